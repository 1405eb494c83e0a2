import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createCertificates } from '../../../../infra/local/simulator/certificate.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);

test('the CA signs itself and a certificate for this machine only', () => {
  const { caPem, certificatePem } = createCertificates(NOW_MS);
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

test('is valid from a day ago for 90 days', () => {
  const leaf = new X509Certificate(createCertificates(NOW_MS).certificatePem);

  expect(Date.parse(leaf.validFrom)).toBe(Date.UTC(2026, 10, 20, 12));
  expect(Date.parse(leaf.validTo)).toBe(Date.UTC(2027, 1, 19, 12));
});

test('writes years from 2050 on in full', () => {
  const leaf = new X509Certificate(createCertificates(Date.UTC(2060, 0, 2)).certificatePem);

  expect(Date.parse(leaf.validFrom)).toBe(Date.UTC(2060, 0, 1));
});
