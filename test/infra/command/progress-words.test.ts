import { expect, test } from '@jest/globals';
import { progressWords } from '../../../infra/command/progress-words.ts';
import { fitWords } from '../../../infra/command-line/fit-line.ts';
import { liveLine } from '../../../infra/command-line/live-line.ts';

const NOW_MS = Date.parse('2026-05-01T00:00:00Z');
const WORDS = progressWords(
  {
    status: 'running',
    pages: 12_345,
    records: 1_234_500,
    total: 9_876_543,
    pagesPerSecond: 9.87,
    waitsUntilMs: NOW_MS + 754_000,
    waitReason: 'Retry-After: 754',
    throttles: 1_234,
    endMs: NOW_MS + 7_300_000,
  },
  NOW_MS,
);

test.each([
  [60, '12% 1,234,500 of 9,876,543, waiting 13 min, 2 h 2 min left'],
  [80, '12% 1,234,500 of 9,876,543, waiting 13 min, Retry-After: 754, 2 h 2 min left'],
  [
    120,
    '12% 1,234,500 of 9,876,543, waiting 13 min, Retry-After: 754, 2 h 2 min left, 12,345 pages, 9.9 pages/s',
  ],
])(
  'in %i columns the most important words are there, and the line never breaks',
  (columns, line) => {
    expect(fitWords(WORDS, columns)).toBe(line);
  },
);

test('no line is as wide as the terminal, whatever the width', () => {
  for (let columns = 3; columns < 200; columns++) {
    expect(fitWords(WORDS, columns).length).toBeLessThan(columns);
  }
});

test('what is over has no wait, no rate and no rest', () => {
  const over = {
    status: 'completed',
    pages: 1,
    records: 3,
    throttles: 0,
    waitsUntilMs: NOW_MS + 9,
  };
  expect(progressWords({ ...over, pagesPerSecond: 2, endMs: NOW_MS + 5 }, NOW_MS)).toEqual([
    '3 records',
    'completed',
    '1 page',
  ]);
});

test('a line changes in place on a terminal, and is a line of its own elsewhere', () => {
  const written = { terminal: '', file: '' };
  for (const [name, isTTY] of [
    ['terminal', true],
    ['file', false],
  ] as const) {
    const line = liveLine({ isTTY, columns: 20, write: (text) => (written[name] += text) });
    line.show(['3 records', '1 page']);
    line.show(['3 records', '1 page']);
    line.note('A note');
    line.end();
  }
  expect(written).toEqual({
    terminal: '\r\u001b[K3 records, 1 page\r\u001b[KA note\n3 records, 1 page\r\u001b[K',
    file: '3 records, 1 page\nA note\n',
  });
});
