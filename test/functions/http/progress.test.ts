import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { progressOf } from '../../../functions/http/progress.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { stateOf, walkWith } from '../../lib/exports/state-of.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const MINUTE_MS = 60_000;

function running(
  customers: number,
  lastTotal: number | undefined,
  more: Partial<ExportState> = {},
) {
  const state = stateOf();
  return {
    ...state,
    startedAtMs: NOW_MS - 10 * MINUTE_MS,
    counters: { ...state.counters, customers, pages: 3 },
    walk: lastTotal === undefined ? state.walk : walkWith(state.walk, { lastTotal }),
    ...more,
  };
}

const at = (minutes: number) => new Date(NOW_MS + minutes * MINUTE_MS).toISOString();

test.each([
  ['half of what was told', running(50, 100), 0, 50, at(10)],
  ['a quarter, while the API asks to wait for an hour', running(25, 100), 60, 25, at(90)],
  ['no total', running(50, undefined), 0, null, null],
  ['more than the total', running(150, 100), 0, null, null],
  ['nothing yet', running(0, 100), 0, 0, null],
  ['an empty list', running(0, 0), 0, 0, null],
  ['nearly all', running(99_999, 100_000), 0, 99, expect.any(String)],
  ['all, but not stored yet', running(100, 100), 0, 99, at(0)],
  ['a completed one', running(100, undefined, { status: 'completed' }), 0, 100, null],
  ['a failed one', running(50, 100, { status: 'failed' }), 0, 50, null],
])('tells percent and end of %s', (_, state, waitMinutes, percent, expectedEndAt) => {
  expect(progressOf(state, NOW_MS + waitMinutes * MINUTE_MS, NOW_MS)).toMatchObject({
    percent,
    expectedEndAt,
  });
});

test('never tells an end in the past, more than 99 percent before the end, or a time that there is not', () => {
  const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(count, count, fc.integer({ min: 0, max: 8.64e15 }), (customers, total, untilMs) => {
      const { percent, expectedEndAt } = progressOf(running(customers, total), untilMs, NOW_MS);
      if (percent !== null) expect(percent >= 0 && percent <= 99).toBe(true);
      if (expectedEndAt !== null) expect(Date.parse(expectedEndAt)).toBeGreaterThanOrEqual(NOW_MS);
    }),
  );
});
