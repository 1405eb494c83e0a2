import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  booleanTrue,
  context,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

/** A server certificate and the CA that signed it, PEM. */
export interface Certificates {
  readonly caPem: string;
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than any run, short enough that a CA file that was left behind soon stops to matter. */
const VALID_DAYS = 90;

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const KEY_CERT_SIGN_AND_CRL_SIGN = bitString(Buffer.of(0b0000_0110), 1);
const DIGITAL_SIGNATURE = bitString(Buffer.of(0b1000_0000), 7);
const SERVER_AUTHENTICATION = objectIdentifier('1.3.6.1.5.5.7.3.1');

/**
 * Makes a CA and a certificate for `localhost`, `127.0.0.1` and `::1` (RFC 5280, P-256). The CA's own
 * private key is forgotten at once, so nobody can sign anything else with a CA that a user trusted.
 */
export function createCertificates(nowMs: number): Certificates {
  const ca = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = nameOf('Customers API simulator CA');
  const signed = (subject: Buffer, publicKey: KeyObject, extensions: readonly Buffer[]) =>
    certificatePem({ issuer, signer: ca.privateKey, subject, publicKey, extensions, nowMs });
  return {
    caPem: signed(issuer, ca.publicKey, [
      extension('2.5.29.19', sequence(booleanTrue(), integer(Buffer.of(0))), 'critical'),
      extension('2.5.29.15', KEY_CERT_SIGN_AND_CRL_SIGN, 'critical'),
      extension('2.5.29.14', octetString(keyIdentifier(ca.publicKey))),
    ]),
    certificatePem: signed(nameOf('localhost'), server.publicKey, [
      extension('2.5.29.19', sequence(), 'critical'),
      extension('2.5.29.15', DIGITAL_SIGNATURE, 'critical'),
      extension('2.5.29.37', sequence(SERVER_AUTHENTICATION)),
      extension('2.5.29.17', subjectAlternativeNames()),
      extension('2.5.29.14', octetString(keyIdentifier(server.publicKey))),
      extension('2.5.29.35', sequence(context(0, false, keyIdentifier(ca.publicKey)))),
    ]),
    privateKeyPem: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

interface CertificateParts {
  readonly issuer: Buffer;
  readonly signer: KeyObject;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly nowMs: number;
}

function certificatePem(parts: CertificateParts): string {
  const toBeSigned = sequence(
    context(0, true, integer(Buffer.of(2))), // version 3 is written as 2
    integer(Buffer.concat([Buffer.of(0x40), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    parts.issuer,
    // A day back, for clients whose clock is behind.
    sequence(time(parts.nowMs - DAY_MS), time(parts.nowMs + VALID_DAYS * DAY_MS)),
    parts.subject,
    spkiOf(parts.publicKey),
    context(3, true, sequence(...parts.extensions)),
  );
  const signature = bitString(sign('sha256', toBeSigned, parts.signer));
  const base64 = sequence(toBeSigned, ECDSA_WITH_SHA256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(commonName))));
}

function extension(oid: string, value: Buffer, critical?: 'critical'): Buffer {
  const flag = critical === undefined ? [] : [booleanTrue()];
  return sequence(objectIdentifier(oid), ...flag, octetString(value));
}

function subjectAlternativeNames(): Buffer {
  const loopback6 = Buffer.alloc(16);
  loopback6[15] = 1;
  return sequence(
    context(2, false, Buffer.from('localhost')),
    context(7, false, Buffer.of(127, 0, 0, 1)),
    context(7, false, loopback6),
  );
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** Any value that is the same for the same key will do (RFC 5280 section 4.2.1.2). */
function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha256').update(spkiOf(key)).digest().subarray(0, 20);
}
