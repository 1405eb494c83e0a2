import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fitLine, fitWords, widthOf } from '../../../infra/command-line/fit-line.ts';

test.each([
  ['plain', 5],
  ['Ünïcödé', 7],
  ['e\u0301', 1],
  ['顧客リスト', 10],
  ['한국', 4],
  ['ﾊﾝｶｸ', 4],
  ['👩‍👩‍👧‍👦', 2],
  ['🎉✔️', 4],
  ['a…b', 3],
  ['\u200b', 0],
])('%s takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test.each([
  [20, 'the whole long line'],
  [19, 'the short'],
  [10, 'the short'],
  // As long as the terminal is wide: the cursor would stand in the next line.
  [9, 'the sho…'],
  [2, '…'],
  [1, ''],
])('says as much as fits into %i columns', (columns, expected) => {
  expect(fitLine(['the whole long line', 'the short'], columns)).toBe(expected);
});

test.each([
  [Number.POSITIVE_INFINITY, '顧客 20, waiting 12 s, 3 pages'],
  [31, '顧客 20, waiting 12 s, 3 pages'],
  [30, '顧客 20, waiting 12 s'],
  [17, '顧客 20, 3 pages'],
  [8, '顧客 20'],
  [7, '顧客 …'],
])('leaves words out from the end until the rest fits into %d columns', (columns, expected) => {
  expect(fitWords(['顧客 20', 'waiting 12 s', '3 pages'], columns)).toBe(expected);
});

test('a wide character is kept whole or left out', () => {
  expect(fitLine(['顧客リスト'], 8)).toBe('顧客リ…');
  expect(fitLine(['顧客リスト'], 7)).toBe('顧客…');
});

test('no line reaches the last column, whatever is in it', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 130 }),
      (lines, columns) => {
        expect(widthOf(fitLine(lines, columns))).toBeLessThan(columns);
      },
    ),
  );
});
