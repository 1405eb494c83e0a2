import { expect, test } from '@jest/globals';
import { outcomeOfFailure, readJsonBody } from '../../../lib/customers-api/answer-json.ts';

function read(text: string | Buffer, headers: Record<string, string>) {
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
  ['{"name":"Ad\u00e9"}', 'US-ASCII', 'json'],
])('%s of the charset %s is %s', (text, charset, kind) => {
  expect(read(text, { 'content-type': `application/json; charset=${charset}` }).kind).toBe(kind);
});

test.each([
  ['2 bytes', '\u00e9'],
  ['3 bytes', '\u20ac'],
  ['4 bytes', '\u{1f600}'],
])('a body that ends inside a character of %s is cut', (_title, character) => {
  const bytes = Buffer.from(`{"name":"${character}`);
  for (let left = 1; left < Buffer.byteLength(character); left++) {
    expect(read(bytes.subarray(0, -left), {})).toMatchObject({ reason: 'cut' });
  }
});

test.each([
  ['in another encoding, even one that is cut', Buffer.from('{"name":"Ad\u00e9laide', 'latin1')],
  ['that has the beginning of a character behind its end', Buffer.from('{}\u00c3', 'latin1')],
])('a body %s is no JSON', (_title, bytes) => {
  expect(read(bytes, {})).toMatchObject({ reason: 'not-json', problem: 'the body is not UTF-8' });
});

test.each([
  ['NOT_HTTP', 'No whole answer: it is no HTTP (NOT_HTTP). Repeat later.'],
  ['ECONNRESET', 'No whole answer: the connection broke (ECONNRESET). Repeat later.'],
])('what ended with %s says: %s', (networkCode, message) => {
  const failure = { kind: 'failure', reason: 'network', networkCode, sent: true } as const;

  expect(outcomeOfFailure(failure, 1_000_000)).toMatchObject({ kind: 'unavailable', message });
});
