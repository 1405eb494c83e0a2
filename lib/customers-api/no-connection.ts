import { CONNECT_TIMEOUT, type HttpFailure } from './http-failure.ts';

/** What failed before a connection was there, by the system's code, and what to check. */
const BY_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND:
    'The host in baseUrl was not found. Check its spelling, and that the name service of this network knows it.',
  EAI_AGAIN:
    'The host in baseUrl could not be looked up: the name service did not answer. Check the network.',
  ECONNREFUSED:
    'The host in baseUrl refused the connection: nothing listens at this port. Check host and port, and that the API is up.',
  EHOSTUNREACH:
    'There is no way to the host in baseUrl. Check the host, and the network, VPN or firewall.',
  ENETUNREACH:
    'There is no way to the network of the host in baseUrl. Check the network, VPN or firewall.',
  // Of undici, when a proxy answers CONNECT with another status than 200 (NODE_USE_ENV_PROXY).
  UND_ERR_ABORTED: 'The proxy refused the connection. Check HTTPS_PROXY and what the proxy wants.',
  CERT_HAS_EXPIRED:
    "The server's certificate has expired; nothing was sent. Check baseUrl and the clock of this machine, and tell the API's operator.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "The server's certificate is for another host name; nothing was sent. Check the host in baseUrl.",
  [CONNECT_TIMEOUT]:
    'The host in baseUrl does not answer: there was no connection in time. Check host and port, and that a firewall, VPN or subnet lets requests out.',
};

/** OpenSSL's own codes, and that of its alerts (https://nodejs.org/api/errors.html#openssl-errors). */
const TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO$|ERR_OSSL_)/;

const NO_TLS =
  'The server at baseUrl does not speak TLS there, or no version that is allowed. Check the port, which is 443 for most APIs.';
const HUNG_UP =
  'The server at baseUrl ended the connection before TLS was set up. Check host and port, and whether it wants a client certificate or another network.';

const UNTRUSTED =
  "The server's certificate is not trusted; nothing was sent. Check baseUrl, or name a private certificate authority's file in NODE_EXTRA_CA_CERTS.";

/** Why there was no connection, in one sentence, and what to check. */
export function noConnection({ networkCode = '' }: HttpFailure): string {
  return told(networkCode, TLS.test(networkCode) ? NO_TLS : HUNG_UP);
}

/** Why the server's certificate was not trusted, and what to check. */
export function untrustedCertificate({ networkCode = '' }: HttpFailure): string {
  return told(networkCode, UNTRUSTED);
}

/** The code comes after the first words, which say what happened. */
function told(code: string, otherwise: string): string {
  return (BY_CODE[code] ?? otherwise).replace(/[.:;]/, (mark) => ` (${code})${mark}`);
}
