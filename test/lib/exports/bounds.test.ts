import { expect, test } from '@jest/globals';
import { brokenBound } from '../../../lib/exports/bounds.ts';
import { SETTINGS, START_MS, stateOf } from './state-of.ts';

const { counters, inRow, deadlineAtMs } = stateOf();
const DAY_MS = 24 * 3600 * 1000;

test.each([
  ['nothing', stateOf(), 0, START_MS, undefined, ''],
  ['the last moment', stateOf(), 0, deadlineAtMs - 1, undefined, ''],
  ['the deadline', stateOf(), 0, deadlineAtMs, 'deadline', 'maxDurationSeconds'],
  [
    'a long wait',
    stateOf(),
    START_MS + DAY_MS + 1,
    START_MS,
    'wait-too-long',
    '2026-01-02T00:00:00.001Z',
  ],
  ['a wait as long as may be', stateOf(), START_MS + DAY_MS, START_MS, undefined, ''],
  [
    'as many waits as may be',
    stateOf({ counters: { ...counters, waitedSeconds: SETTINGS.maxTotalWaitSeconds } }),
    0,
    START_MS,
    undefined,
    '',
  ],
  [
    'as many idle steps as may be',
    stateOf({ inRow: { ...inRow, stepsWithoutPage: SETTINGS.maxStepsWithoutPage } }),
    0,
    START_MS,
    undefined,
    '',
  ],
  [
    'many waits',
    stateOf({ counters: { ...counters, waitedSeconds: SETTINGS.maxTotalWaitSeconds + 1 } }),
    0,
    START_MS,
    'waited-too-long',
    'maxTotalWaitSeconds',
  ],
  [
    'idle steps',
    stateOf({ inRow: { ...inRow, stepsWithoutPage: SETTINGS.maxStepsWithoutPage + 1 } }),
    0,
    START_MS,
    'no-progress',
    'maxStepsWithoutPage',
  ],
  [
    'many pages',
    stateOf({ counters: { ...counters, pages: SETTINGS.maxPages } }),
    0,
    START_MS,
    'too-many-pages',
    'maxPages',
  ],
])('knows %s', (_title, state, blockedUntilMs, nowMs, code, says) => {
  const reason = brokenBound(state, blockedUntilMs, nowMs, SETTINGS);
  expect(reason?.code).toBe(code);
  expect(reason?.message ?? '').toContain(says);
});

test('tells when a wait that is too long ends, also an absurd one', () => {
  const reason = brokenBound(stateOf(), 8.64e15, START_MS, SETTINGS);
  expect(reason).toMatchObject({ code: 'wait-too-long', resumeAtMs: 8.64e15 });
});
