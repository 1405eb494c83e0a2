import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  X509Certificate as Parsed,
  SubjectKeyIdentifierExtension,
} from '@peculiar/x509';
import { createCertificates } from '../../../infra/simulator/certificate.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);

test('the CA signs itself and a certificate for this machine only', async () => {
  const { caPem, certificatePem } = await createCertificates(NOW_MS);
  const ca = new X509Certificate(caPem);
  const leaf = new X509Certificate(certificatePem);

  expect([ca.ca, leaf.ca]).toEqual([true, false]);
  expect(ca.verify(ca.publicKey)).toBe(true);
  expect(leaf.verify(ca.publicKey)).toBe(true);
  expect(leaf.checkIssued(ca)).toBe(true);
  expect(leaf.subjectAltName).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  );
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
});

test('each names the key that signed it, and the CA may sign no other CA', async () => {
  const { caPem, certificatePem } = await createCertificates(NOW_MS);
  const [ca, leaf] = [new Parsed(caPem), new Parsed(certificatePem)];
  const idOf = (certificate: Parsed) =>
    certificate.getExtension(SubjectKeyIdentifierExtension)?.keyId;

  expect(ca.getExtension(BasicConstraintsExtension)).toMatchObject({ ca: true, pathLength: 0 });
  expect(leaf.getExtension(AuthorityKeyIdentifierExtension)?.keyId).toBe(idOf(ca));
  expect(idOf(ca)).toMatch(/^[0-9a-f]{40}$/);
  expect(idOf(leaf)).not.toBe(idOf(ca));
  expect(ca.serialNumber).not.toBe(leaf.serialNumber);
});

test('is valid from a day ago for 90 days', async () => {
  const { certificatePem } = await createCertificates(NOW_MS);
  const leaf = new X509Certificate(certificatePem);

  expect(Date.parse(leaf.validFrom)).toBe(Date.UTC(2026, 10, 20, 12));
  expect(Date.parse(leaf.validTo)).toBe(Date.UTC(2027, 1, 19, 12));
});

test('writes years from 2050 on in full', async () => {
  const { certificatePem } = await createCertificates(Date.UTC(2060, 0, 2));
  const leaf = new X509Certificate(certificatePem);

  expect(Date.parse(leaf.validFrom)).toBe(Date.UTC(2060, 0, 1));
});
