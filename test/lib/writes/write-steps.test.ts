import { expect, test } from '@jest/globals';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { sweepAtMs } from '../../../lib/writes/write-steps.ts';
import { writeState } from '../../functions/aws/write-state.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Writes here are accepted then. */
const AT_MS = 1_000;

test.each<[string, Partial<WriteState>, number | undefined]>([
  ['never at one that is closed', { status: 'done', closed: true }, undefined],
  [
    'soon at one that is closed, with a wait that the gate did not take',
    { status: 'done', closed: true, untoldWait: { sinceMs: 5, untilMs: HOUR_MS } },
    5,
  ],
  [
    'soon at one that waits, with a wait that the gate did not take',
    { notBeforeMs: HOUR_MS, untoldWait: { sinceMs: 5, untilMs: HOUR_MS } },
    5,
  ],
  ['at one that waits for a key at once', { halted: { sinceMs: 7 } }, 7],
  ['at one that was just accepted after four minutes', {}, AT_MS + 4 * MINUTE_MS],
  ['four minutes after a wait', { notBeforeMs: AT_MS + 9 }, AT_MS + 9 + 4 * MINUTE_MS],
  [
    'four minutes after a lease',
    { lease: { owner: 'a', untilMs: AT_MS + 9 } },
    AT_MS + 9 + 4 * MINUTE_MS,
  ],
  [
    'four minutes after a wake-up of one that has waited for a day',
    { updatedAtMs: 25 * HOUR_MS },
    25 * HOUR_MS + 4 * MINUTE_MS,
  ],
])('the sweep looks %s', (_, own, atMs) => {
  expect(sweepAtMs(writeState(own))).toBe(atMs);
});
