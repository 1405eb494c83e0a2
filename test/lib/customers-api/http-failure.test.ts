import { expect, test } from '@jest/globals';
import { connectionBroke, failureOf } from '../../../lib/customers-api/http-failure.ts';

const withCode = (code: string) => new TypeError('fetch failed', { cause: { code } });

test.each([
  ['ended by its caller before it left', undefined, 'aborted', 'kept', 'aborted', false],
  ['ended by its caller under way', undefined, 'aborted', 'left', 'aborted', true],
  ['broken without a code before it left', new Error('no'), undefined, 'kept', 'network', false],
  ['broken without a code under way', new Error('no'), undefined, 'left', 'network', true],
  [
    'without headers in time',
    withCode('UND_ERR_HEADERS_TIMEOUT'),
    undefined,
    'left',
    'timeout',
    true,
  ],
  ['whose body stands still', withCode('UND_ERR_BODY_TIMEOUT'), undefined, 'left', 'timeout', true],
  [
    'without a connection in time',
    withCode('UND_ERR_CONNECT_TIMEOUT'),
    undefined,
    'unknown',
    'unreachable',
    false,
  ],
] as const)('tells why there is no answer to a request %s, and whether it left', (...row) => {
  const [, error, endedBy, where, reason, sent] = row;
  expect(failureOf(error, endedBy, where)).toMatchObject({ kind: 'failure', reason, sent });
});

test.each([
  'CERT_REVOKED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'CRL_HAS_EXPIRED',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  // Of a client, of somebody who is no authority, or by one that may sign none.
  'INVALID_PURPOSE',
  'INVALID_CA',
  'PATH_LENGTH_EXCEEDED',
  // Signed with SHA-1, or by an authority for other names.
  'UNSPECIFIED',
])('takes %s for a certificate that is not trusted', (code) => {
  const failure = { kind: 'failure', reason: 'certificate', networkCode: code, sent: false };
  expect(failureOf(withCode(code), undefined, 'kept')).toEqual(failure);
});

test.each([
  ['other side closed', 'ECONNRESET'],
  ['bad response', 'NOT_HTTP'],
  ['bad upgrade', 'NOT_HTTP'],
])('tells a connection that was closed from one that undici closes: %s', (message, networkCode) => {
  const error = { cause: Object.assign(new Error(message), { code: 'UND_ERR_SOCKET' }) };
  expect(failureOf(error, undefined, 'left')).toMatchObject({ networkCode });
});

test.each([
  ['NOT_HTTP', false],
  ['UND_ERR_HEADERS_OVERFLOW', false],
  ['ECONNRESET', true],
  ['EPIPE', true],
  ['UND_ERR_SOCKET', true],
  ['ECONNREFUSED', false],
])('a read may be sent once more after %s: %s', (code, mayRepeat) => {
  expect(connectionBroke(failureOf(withCode(code), undefined, 'unknown'))).toBe(mayRepeat);
});
