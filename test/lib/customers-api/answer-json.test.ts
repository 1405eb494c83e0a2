import { expect, test } from '@jest/globals';
import { outcomeOfFailure, readJsonBody } from '../../../lib/customers-api/answer-json.ts';

function read(text: string, headers: Record<string, string>) {
  const body = { bytes: Buffer.from(text), release: () => {} };
  const answer = { kind: 'answer', status: 200, headers: new Headers(headers), body } as const;
  return readJsonBody(answer, () => false, 1_000_000);
}

const CHUNKS = { 'transfer-encoding': 'chunked' };

test.each([
  ['a length of 0', { 'content-length': '0' }, 'empty'],
  ['an end mark', CHUNKS, 'empty'],
  ['an end mark, and compressed', { ...CHUNKS, 'content-encoding': 'gzip' }, 'cut'],
  ['neither', {}, 'cut'],
])('an answer without a byte and with %s is whole or cut', (_title, headers, reason) => {
  expect(read('', headers)).toMatchObject({ kind: 'no-json', reason });
});

test.each([
  ['{"name":"Ada"}', 'iso-8859-1', 'json'],
  ['{"name":"Ad\u00e9"}', 'iso-8859-1', 'no-json'],
  ['{"name":"Ad\u00e9"}', 'UTF-8', 'json'],
])('%s of the charset %s is %s', (text, charset, kind) => {
  expect(read(text, { 'content-type': `application/json; charset=${charset}` }).kind).toBe(kind);
});

test.each([
  ['HPE_INVALID_CONSTANT', 'No whole answer: it is no HTTP (HPE_INVALID_CONSTANT). Repeat later.'],
  ['ECONNRESET', 'No whole answer: the connection broke (ECONNRESET). Repeat later.'],
])('what ended with %s says: %s', (networkCode, message) => {
  const failure = { kind: 'failure', reason: 'network', networkCode, sent: true } as const;

  expect(outcomeOfFailure(failure, 1_000_000)).toMatchObject({ kind: 'unavailable', message });
});
