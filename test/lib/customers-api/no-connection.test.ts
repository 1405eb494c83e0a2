import { expect, test } from '@jest/globals';
import { noConnection, untrustedCertificate } from '../../../lib/customers-api/no-connection.ts';

test.each([
  ['CERT_HAS_EXPIRED', /^The server's certificate has expired \(CERT_HAS_EXPIRED\); .*clock/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /^The .* is for another host name \(ERR_TLS_\w+\); .*host/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /^The .* is not trusted \(SELF_\w+\); .*NODE_EXTRA_CA_CERTS/],
])('says why a certificate with %s is not trusted, and what to check', (networkCode, words) => {
  const message = untrustedCertificate({
    kind: 'failure',
    reason: 'certificate',
    sent: false,
    networkCode,
  });

  expect(message).toMatch(words);
  expect(message).toContain('; nothing was sent. Check ');
});

test.each([
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS there/],
  ['UND_ERR_ABORTED', /^The proxy refused the connection \(UND_ERR_ABORTED\)\. Check HTTPS_PROXY/],
  ['ECONNRESET', /ended the connection before TLS was set up/],
])('says what to check when a connection was refused with %s', (networkCode, words) => {
  expect(
    noConnection({ kind: 'failure', reason: 'unreachable', sent: false, networkCode }),
  ).toMatch(words);
});
