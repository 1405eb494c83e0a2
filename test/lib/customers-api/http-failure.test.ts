import { expect, test } from '@jest/globals';
import { connectionBroke, failureOf } from '../../../lib/customers-api/http-failure.ts';

const withCode = (code: string) => new TypeError('fetch failed', { cause: { code } });

test.each([
  ['ended by its caller before it left', undefined, 'aborted', true, 'aborted', false],
  ['ended by its caller under way', undefined, 'aborted', false, 'aborted', true],
  ['broken without a code before it left', new Error('no'), undefined, true, 'network', false],
  ['broken without a code under way', new Error('no'), undefined, false, 'network', true],
  [
    'without headers in time',
    withCode('UND_ERR_HEADERS_TIMEOUT'),
    undefined,
    false,
    'timeout',
    true,
  ],
  ['whose body stands still', withCode('UND_ERR_BODY_TIMEOUT'), undefined, false, 'timeout', true],
  [
    'without a connection in time',
    withCode('UND_ERR_CONNECT_TIMEOUT'),
    undefined,
    false,
    'unreachable',
    false,
  ],
] as const)('tells why there is no answer to a request %s, and whether it left', (...row) => {
  const [, error, endedBy, isKept, reason, sent] = row;
  expect(failureOf(error, endedBy, isKept)).toMatchObject({ kind: 'failure', reason, sent });
});

test.each([
  ['ECONNRESET', true],
  ['EPIPE', true],
  ['UND_ERR_SOCKET', true],
  ['ECONNREFUSED', false],
])('a read may be sent once more after %s: %s', (code, mayRepeat) => {
  expect(connectionBroke(failureOf(withCode(code), undefined, false))).toBe(mayRepeat);
});
