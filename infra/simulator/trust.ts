import tls from 'node:tls';
import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../lib/errors.ts';

const CERTIFICATE_EXPECTED = 'expected the text of a certificate (PEM), such as simulator.caPem';
const CertificateSchema = v.pipe(
  v.string(CERTIFICATE_EXPECTED),
  v.includes('-----BEGIN CERTIFICATE-----', CERTIFICATE_EXPECTED),
);

/**
 * Lets `fetch` and `node:https` in this process accept a simulator's certificate, beside those that they accept
 * already, for requests that are made from then on. Where that is not possible, name the file of the certificate in
 * `NODE_EXTRA_CA_CERTS` before the process starts, or give the certificate to the client (`ca` of `node:https`).
 *
 * @param caPem `simulator.caPem`.
 * @throws SettingError naming `caPem`, and in a Node.js without `tls.setDefaultCACertificates`, which came with 22.19 and 24.5.
 */
export function trust(caPem: string): void {
  parseSetting(CertificateSchema, caPem, 'caPem');
  // Older versions, which the types do not know, have neither.
  const { setDefaultCACertificates, getCACertificates }: Partial<typeof tls> = tls;
  if (setDefaultCACertificates === undefined || getCACertificates === undefined) {
    throw new SettingError(
      'trust',
      `needs Node.js 22.19, 24.5 or newer, and this is ${process.version}: write simulator.caPem to a file and name it in NODE_EXTRA_CA_CERTS before the process starts`,
    );
  }
  try {
    setDefaultCACertificates([...getCACertificates('default'), caPem]);
  } catch {
    throw new SettingError('caPem', CERTIFICATE_EXPECTED);
  }
}
