import { expect, test } from '@jest/globals';
import { createProgress, progressLine } from '../../../../infra/local/start/progress.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { START_MS, stateOf, walkWith } from '../../../lib/exports/state-of.ts';

/** The only list. */
const ALONE = { number: 1, of: 1 };

function stateAt(customers: number, pages: number, own: Partial<ExportState> = {}): ExportState {
  const state = stateOf();
  return { ...state, counters: { ...state.counters, customers, pages }, ...own };
}

const withTotal = (lastTotal: number) => ({
  walk: walkWith(stateOf().walk, { lastTotal }),
});

test('shows customers and pages with separators, and the total once the API has sent it', () => {
  expect(progressLine(stateAt(1200, 12), ALONE, false, START_MS)).toBe('1,200 customers, 12 pages');
  expect(progressLine(stateAt(1200, 12, withTotal(20_000)), ALONE, false, START_MS)).toBe(
    '1,200 of 20,000 customers, 12 pages',
  );
});

test('shows throttles, and the end of a wait while it lasts', () => {
  const notBeforeMs = Date.UTC(2026, 0, 1, 10, 20, 30);
  const { counters } = stateAt(100, 1);
  const state = stateAt(100, 1, { notBeforeMs, counters: { ...counters, throttles: 3 } });

  expect(progressLine(state, ALONE, false, notBeforeMs - 1)).toBe(
    '100 customers, 1 pages, 3 throttled, waiting until 10:20:30 UTC',
  );
  expect(progressLine(state, ALONE, false, notBeforeMs)).toBe(
    '100 customers, 1 pages, 3 throttled',
  );
});

test('names the list and its turn when there are several', () => {
  const state = stateAt(1200, 12, { list: 'invoices', ...withTotal(5_000) });

  expect(progressLine(state, { number: 2, of: 3 }, false, START_MS)).toBe(
    'invoices (2 of 3 lists): 1,200 of 5,000 records, 12 pages',
  );
  expect(progressLine(state, ALONE, false, START_MS)).toBe('1,200 of 5,000 records, 12 pages');
});

test.each([
  [0, `[${'-'.repeat(24)}] `],
  [50, `[${'#'.repeat(12)}${'-'.repeat(12)}] `],
  [100, `[${'#'.repeat(24)}] `],
  [150, `[${'#'.repeat(24)}] `],
])('draws a bar for %i of 100 customers', (customers, bar) => {
  const line = progressLine(stateAt(customers, 1, withTotal(100)), ALONE, true, START_MS);

  expect(line.slice(0, bar.length)).toBe(bar);
});

test('draws no bar without a total to measure against', () => {
  expect(progressLine(stateAt(5, 1), ALONE, true, START_MS)).toBe('5 customers, 1 pages');
  expect(progressLine(stateAt(0, 1, withTotal(0)), ALONE, true, START_MS)).toMatch(/^0 of 0/);
});

function written(
  isTTY: boolean,
  act: (progress: ReturnType<typeof createProgress>) => void,
  columns = 200,
) {
  let text = '';
  const out = { isTTY, columns, write: (more: string) => (text += more) };
  act(createProgress(out, () => START_MS));
  return text;
}

test('writes a line for each change where there is no terminal', () => {
  const text = written(false, (progress) => {
    progress.say('Starting');
    progress.show(stateAt(100, 1), ALONE);
    progress.show(stateAt(100, 1), ALONE);
    progress.show(stateAt(200, 2), ALONE);
    progress.end();
  });

  expect(text).toBe('Starting\n100 customers, 1 pages\n200 customers, 2 pages\n');
});

test('writes over the one line of a terminal and clears it at the end', () => {
  const text = written(true, (progress) => {
    progress.say('Starting');
    progress.show(stateAt(100, 1), ALONE);
    progress.end();
    progress.end();
  });

  expect(text).toBe('\r\u001b[KStarting\r\u001b[K100 customers, 1 pages\r\u001b[K');
});

test.each([
  [
    110,
    '[########----------------] invoices (2 of 3 lists): 6,300 of 20,000 records, 63 pages, 9 throttled',
  ],
  [98, 'invoices (2 of 3 lists): 6,300 of 20,000 records, 63 pages, 9 throttled'],
  // As long as the terminal is wide: the cursor would stand in the next line.
  [71, 'invoices (2 of 3 lists): 6,300 of 20,000 records, 63 pages, 9 throttl…'],
  [40, 'invoices (2 of 3 lists): 6,300 of 20,0…'],
])('is never wider than a terminal of %d columns', (columns, expected) => {
  const { counters } = stateAt(6_300, 63);
  const own = { list: 'invoices', counters: { ...counters, throttles: 9 }, ...withTotal(20_000) };
  const state = stateAt(6_300, 63, own);

  const text = written(true, (progress) => progress.show(state, { number: 2, of: 3 }), columns);

  expect(text).toBe(`\r\u001b[K${expected}`);
});

test('a note has a line of its own, and what was shown stands below it again', () => {
  const act = (progress: ReturnType<typeof createProgress>) => {
    progress.say('Starting');
    progress.note('A function failed');
  };

  expect(written(true, act)).toBe('\r\u001b[KStarting\r\u001b[KA function failed\nStarting');
  expect(written(false, act)).toBe('Starting\nA function failed\n');
});
