import { expect, test } from '@jest/globals';
import {
  createProgress,
  progressLines,
  troubleIn,
} from '../../../../infra/local/start/progress.ts';
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

/** The most detailed line. */
const lineOf = (state: ExportState, turn = ALONE, nowMs = START_MS) =>
  progressLines(state, turn, nowMs)[0];

test('shows customers and pages with separators, and the total once the API has sent it', () => {
  expect(lineOf(stateAt(1200, 12))).toBe('1,200 customers, 12 pages');
  expect(lineOf(stateAt(1200, 12, withTotal(20_000)))).toBe('1,200 of 20,000 customers, 12 pages');
});

const UNTIL_MS = Date.UTC(2026, 0, 1, 10, 20, 30);

test.each([
  ['throttled', 0, 'as the API asked'],
  ['paced', 3, 'to keep the rate'],
  ['unreachable', 1, 'since there was no connection'],
  ['timeout', 4, 'since no answer came in time, 4 times in a row'],
  ['server-error', 2, 'since the API failed, 2 times in a row'],
  [undefined, 0, 'as the API asked'],
] as const)(
  'shows the end of a wait and its reason %s while it lasts',
  (waitsFor, failures, why) => {
    const { counters } = stateAt(100, 1);
    const state = stateAt(100, 1, {
      notBeforeMs: UNTIL_MS,
      counters: { ...counters, throttles: 3 },
      inRow: { failures, blindThrottles: 0, stepsWithoutPage: 0 },
      ...(waitsFor === undefined ? {} : { waitsFor }),
    });

    expect(lineOf(state, ALONE, UNTIL_MS - 1)).toBe(
      `100 customers, 1 page, 3 throttled, waiting until 10:20:30 UTC, ${why}`,
    );
    expect(lineOf(state, ALONE, UNTIL_MS)).toBe('100 customers, 1 page, 3 throttled');
  },
);

test('names the list and its turn when there are several', () => {
  const state = stateAt(1200, 12, { list: 'invoices', ...withTotal(5_000) });

  expect(lineOf(state, { number: 2, of: 3 })).toBe(
    'invoices (2 of 3 lists): 1,200 of 5,000 records, 12 pages',
  );
  expect(lineOf(state)).toBe('1,200 of 5,000 records, 12 pages');
});

test.each([
  [0, `[${'-'.repeat(24)}] `],
  [50, `[${'#'.repeat(12)}${'-'.repeat(12)}] `],
  [100, `[${'#'.repeat(24)}] `],
  [150, `[${'#'.repeat(24)}] `],
])('draws a bar for %i of 100 customers', (customers, bar) => {
  const text = written(true, (progress) =>
    progress.show(stateAt(customers, 1, withTotal(100)), ALONE),
  );

  expect(text.slice(CLEAR.length, CLEAR.length + bar.length)).toBe(bar);
});

test('draws no bar without a total to measure against', () => {
  for (const state of [stateAt(5, 1), stateAt(0, 1, withTotal(0))]) {
    expect(written(true, (progress) => progress.show(state, ALONE))).not.toContain('[-');
  }
});

const CLEAR = '\r\u001b[K';

function written(
  isTTY: boolean,
  act: (progress: ReturnType<typeof createProgress>) => void,
  columns = 200,
  nowMs = START_MS,
) {
  let text = '';
  const out = { isTTY, columns, write: (more: string) => (text += more) };
  act(createProgress(out, () => nowMs));
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

  expect(text).toBe('Starting\n100 customers, 1 page\n200 customers, 2 pages\n');
});

test('writes over the one line of a terminal and clears it at the end', () => {
  const text = written(true, (progress) => {
    progress.say('Starting');
    progress.show(stateAt(100, 1), ALONE);
    progress.end();
    progress.end();
  });

  expect(text).toBe('\r\u001b[KStarting\r\u001b[K100 customers, 1 page\r\u001b[K');
});

const TERMINALS: readonly (readonly [number, string])[] = [
  [
    140,
    '[########----------------] 6,300 of 20,000 customers, 63 pages, 9 throttled, waiting until 10:20:30 UTC, as the API asked',
  ],
  [
    120,
    '6,300 of 20,000 customers, 63 pages, 9 throttled, waiting until 10:20:30 UTC, as the API asked',
  ],
  [80, '6,300 of 20,000 customers, 63 pages, until 10:20:30 UTC: throttled'],
  [60, '6,300 of 20,000 customers, until 10:20:30 UTC: throttled'],
  [57, '6,300 of 20,000 customers, until 10:20:30 UTC: throttled'],
  // As long as the terminal is wide: the cursor would stand in the next line.
  [56, '6,300 of 20,000 customers, until 10:20:30 UTC: throttl…'],
  [20, '6,300 of 20,000 cu…'],
];

test.each(TERMINALS)('is never wider than a terminal of %d columns', (columns, expected) => {
  const { counters } = stateAt(6_300, 63);
  const own = { counters: { ...counters, throttles: 9 }, ...withTotal(20_000) };
  const state = stateAt(6_300, 63, { ...own, notBeforeMs: UNTIL_MS });
  const text = written(true, (progress) => progress.show(state, ALONE), columns, UNTIL_MS - 1);

  expect(text).toBe(CLEAR + expected);
});

test('a note has a line of its own, and what was shown stands below it again', () => {
  const act = (progress: ReturnType<typeof createProgress>) => {
    progress.say('Starting');
    progress.note('A function failed');
  };

  expect(written(true, act)).toBe('\r\u001b[KStarting\r\u001b[KA function failed\nStarting');
  expect(written(false, act)).toBe('Starting\nA function failed\n');
});

test.each([
  [
    { level: 'ERROR', message: 'Message failed', errorName: 'TimeoutError', errorMessage: 'late' },
    'Worker: Message failed (TimeoutError: late). It is tried again by itself.',
  ],
  [{ level: 'ERROR', message: 'Key rejected' }, 'Worker: Key rejected.'],
  [{ level: 'WARN', message: 'Organization changed' }, 'Worker: Organization changed.'],
  [
    { level: 'ERROR', message: 'Event sent to the undelivered queue', reason: 'no such list' },
    'Worker: Event sent to the undelivered queue (no such list).',
  ],
  [{ level: 'INFO', message: 'Step' }, undefined],
])('of the log line %j a person is told %j', (line, told) => {
  expect(troubleIn('Worker', JSON.stringify(line))).toBe(told);
});
