import { expect, test } from '@jest/globals';
import { cutLines, textRows, textTable } from '../../../infra/command-line/text-table.ts';

test('columns are as wide as what is in them', () => {
  const table = textTable<readonly [string, string]>(
    [
      ['Name', ([name]) => name],
      ['N', ([, n]) => n],
    ],
    [
      ['a', '1,000'],
      ['longer', ''],
    ],
  );

  expect(table).toBe('Name    N\na       1,000\nlonger\n');
});

test('what a terminal of 80 columns would break is cut', () => {
  expect(cutLines(`${'x'.repeat(80)}\n${'y'.repeat(81)}\n`)).toBe(
    `${'x'.repeat(80)}\n${'y'.repeat(79)}…\n`,
  );
});

test('a value breaks at spaces, and stands under itself', () => {
  const sentence = 'Nine words of this are enough for two lines. '.repeat(3).trim();

  const row = textRows([['Why', `${sentence}\nAnother one.`]], 14);

  const lines = row.trimEnd().split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(lines.slice(1).every((line) => /^ {14}\S/.test(line))).toBe(true);
  expect(lines.map((line) => line.slice(14)).join(' ')).toBe(`${sentence} Another one.`);
});

test('a path is never broken', () => {
  const path = `/${'folder/'.repeat(20)}file`;

  expect(textRows([['Parts', `1, in ${path}`]], 14)).toBe(
    `Parts         1, in\n${' '.repeat(14)}${path}\n`,
  );
});
