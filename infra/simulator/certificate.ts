// x509 looks for it when it is loaded.
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A server certificate and the CA that signed it, PEM. */
export interface Certificates {
  readonly caPem: string;
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than any run, short enough that a CA file that was left behind soon stops to matter. */
const VALID_DAYS = 90;
const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const ECDSA_WITH_SHA256 = { name: 'ECDSA', hash: 'SHA-256' } as const;
const CA_NAME = 'CN=Customers API simulator CA';

/**
 * Makes a CA and a certificate for `localhost`, `127.0.0.1` and `::1` (RFC 5280, P-256). The CA's own
 * private key is forgotten at once, so nobody can sign anything else with a CA that a user trusted.
 */
export async function createCertificates(nowMs: number): Promise<Certificates> {
  const [ca, server] = await Promise.all([generateKeys(), generateKeys()]);
  const certificateOf = (
    subject: string,
    publicKey: webcrypto.CryptoKey,
    extensions: Extension[],
  ) =>
    X509CertificateGenerator.create(
      {
        issuer: CA_NAME,
        subject,
        publicKey,
        extensions,
        // A day back, for clients whose clock is behind.
        notBefore: new Date(nowMs - DAY_MS),
        notAfter: new Date(nowMs + VALID_DAYS * DAY_MS),
        signingKey: ca.privateKey,
        signingAlgorithm: ECDSA_WITH_SHA256,
      },
      webcrypto,
    );
  const caCertificate = await certificateOf(CA_NAME, ca.publicKey, [
    // It may sign servers and no further CA.
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    await SubjectKeyIdentifierExtension.create(ca.publicKey, false, webcrypto),
  ]);
  const certificate = await certificateOf('CN=localhost', server.publicKey, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension([
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '::1' },
    ]),
    await SubjectKeyIdentifierExtension.create(server.publicKey, false, webcrypto),
    await AuthorityKeyIdentifierExtension.create(ca.publicKey, false, webcrypto),
  ]);
  return {
    // With a line end, so that files of several can be put one after the other.
    caPem: `${caCertificate.toString('pem')}\n`,
    certificatePem: `${certificate.toString('pem')}\n`,
    privateKeyPem: KeyObject.from(server.privateKey)
      .export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  };
}

function generateKeys() {
  return webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
}
