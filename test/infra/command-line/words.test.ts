import { expect, test } from '@jest/globals';
import * as words from '../../../infra/command-line/words.ts';

test('counts are written the same on every machine', () => {
  expect([0, 999, 1000, 1234567].map(words.count)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([0, 1, 2].map((value) => words.counted(value, 'page'))).toEqual([
    '0 pages',
    '1 page',
    '2 pages',
  ]);
});

test.each([
  [3, 16.1, '3 s, as the API asked, of 16.1 s'],
  [1_200, 11.3, 'not all 1,200 s that the API asked for, of 11.3 s'],
])('writes that the API asked to wait %d s in %d s', (asked, elapsed, text) => {
  expect(words.waitedText(asked, elapsed)).toBe(text);
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [2_680_571, '2.7 MB'],
  [1e12, '1.0 TB'],
  [1e18, '1000000.0 TB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(words.bytesText(bytes)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [960, '960 ms'],
  [12_340, '12.3 s'],
  [60_000, '1 min 0 s'],
  [3_599_600, '1 h 0 min'],
  [7_260_000, '2 h 1 min'],
])('writes %d ms as %s', (ms, text) => {
  expect(words.durationText(ms)).toBe(text);
});

test('writes times in UTC and small amounts with all their digits', () => {
  expect(words.timeText(Date.UTC(2026, 10, 22, 9, 5, 7, 900))).toBe('2026-11-22 09:05:07 UTC');
  expect([0.0002543, 1.5].map(words.usdText)).toEqual(['0.000254 USD', '1.50 USD']);
});
