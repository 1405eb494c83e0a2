import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cursorText, parseCursor } from '../../../functions/http/cursor.ts';

const CURSOR = { startedAtMs: 1_795_262_404_405, exportId: 'request-b001c90703b5a2341019' };
const TEXT = cursorText('demo', CURSOR);

test('reads what it wrote, for the same connection only', () => {
  expect(parseCursor('demo', TEXT)).toEqual(CURSOR);
  expect(parseCursor('other', TEXT)).toBeUndefined();
  expect(TEXT).toMatch(/^[\w-]+$/);
});

const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each([
  ['', ''],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['another version', of([2, 'demo', 1, 'a'])],
  ['a member more', of([1, 'demo', 1, 'a', 1])],
  ['a time that is none', of([1, 'demo', -1, 'a'])],
  ['an id that is none', of([1, 'demo', 1, '../a'])],
  ['padding', `${TEXT}==`],
  ['characters that decoding passes over', `${TEXT.slice(0, 5)}!${TEXT.slice(5)}`],
  ['another writing of the same', of([1, 'demo', 1, 'a']).replace(/^/, ' ')],
])('refuses %s', (_, text) => {
  expect(parseCursor('demo', text)).toBeUndefined();
});

test('refuses any text that it did not write', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseCursor('demo', text)).toBeUndefined();
    }),
  );
});
