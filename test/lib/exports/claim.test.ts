import { expect, test } from '@jest/globals';
import { claimState, decideClaim } from '../../../lib/exports/claim.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { EXPORT_MEANING } from '../../../lib/exports/export-steps.ts';
import { meaningOf } from '../../../lib/steps/step-kind.ts';
import { END, rulesWith, SETTINGS, START_MS, stateOf } from './state-of.ts';

const NOW = START_MS + 1_000;
const lease = { owner: 'a', untilMs: NOW + 1 };

const GONE = { owner: 'gone', untilMs: NOW - 10 };

const ENDED_NOW = { ...END, atMs: NOW };
const idle = (stepsWithoutPage: number) => ({ ...stateOf().inRow, stepsWithoutPage });

const YEAR_MS = 365 * 24 * 3600 * 1000;

interface Row {
  readonly title: string;
  readonly state: ExportState | undefined;
  readonly step?: number;
  readonly blockedUntilMs?: number;
  readonly expected: object;
}

const ROWS: readonly Row[] = [
  { title: 'no export', state: undefined, expected: { kind: 'missing' } },
  { title: 'completed', state: stateOf({ status: 'completed' }), expected: { kind: 'over' } },
  { title: 'failed', state: stateOf({ status: 'failed' }), expected: { kind: 'over' } },
  { title: 'halted', state: stateOf({ status: 'halted' }), expected: { kind: 'halted' } },
  { title: 'the next step', state: stateOf(), expected: { kind: 'claim' } },
  {
    title: 'a list that these settings do not have',
    state: stateOf({ list: 'gone' }),
    expected: { kind: 'early', notBeforeMs: NOW + 60_000 },
  },
  {
    title: 'an ended list that these settings do not have',
    state: stateOf({ list: 'gone', end: ENDED_NOW }),
    expected: { kind: 'claim' },
  },
  {
    title: 'an older step',
    state: stateOf({ step: 1 }),
    expected: { kind: 'past', sendNext: false },
  },
  {
    title: 'an older step whose successor was not sent',
    state: stateOf({ step: 1, wakeUpSent: false }),
    expected: { kind: 'past', sendNext: true },
  },
  { title: 'a later step', state: stateOf(), step: 2, expected: { kind: 'past', sendNext: false } },
  {
    title: 'a live lease',
    state: stateOf({ lease }),
    expected: { kind: 'held' },
  },
  {
    title: 'a lease that ends now',
    state: stateOf({ lease: { ...lease, untilMs: NOW } }),
    expected: { kind: 'claim' },
  },
  {
    title: 'a wait of its own',
    state: stateOf({ notBeforeMs: NOW + 1 }),
    expected: { kind: 'early', notBeforeMs: NOW + 1 },
  },
  {
    title: 'a wait that ends now',
    state: stateOf({ notBeforeMs: NOW }),
    expected: { kind: 'claim' },
  },
  {
    title: 'the later of two waits',
    state: stateOf({ notBeforeMs: NOW + 5 }),
    blockedUntilMs: NOW + 9,
    expected: { kind: 'early', notBeforeMs: NOW + 9 },
  },
  {
    title: 'a wait longer than the cap',
    state: stateOf(),
    blockedUntilMs: NOW + SETTINGS.maxWaitSeconds * 1000 + 1,
    expected: { kind: 'claim', broken: { code: 'wait-too-long' } },
  },
  {
    title: 'a wait as long as the cap',
    state: stateOf(),
    blockedUntilMs: NOW + SETTINGS.maxWaitSeconds * 1000,
    expected: { kind: 'early' },
  },
  {
    title: 'a list that is over, whatever waits and the deadline of its pages say',
    state: stateOf({ end: ENDED_NOW, notBeforeMs: NOW + 9, deadlineAtMs: NOW }),
    blockedUntilMs: NOW + 9,
    expected: { kind: 'claim' },
  },
  {
    title: 'a list that has been over as long as an export may take',
    state: stateOf({ end: { ...END, atMs: NOW - SETTINGS.maxDurationSeconds * 1000 } }),
    expected: { kind: 'claim', broken: { code: 'deadline' } },
  },
  {
    title: 'a list that is over and that as many workers as may be did not complete',
    state: stateOf({ end: ENDED_NOW, inRow: idle(SETTINGS.maxStepsWithoutPage) }),
    expected: { kind: 'claim' },
  },
  {
    title: 'a list that is over and that too many workers did not complete',
    state: stateOf({ end: ENDED_NOW, inRow: idle(SETTINGS.maxStepsWithoutPage + 1) }),
    expected: { kind: 'claim', broken: { code: 'no-progress' } },
  },
];

test.each(ROWS)('decides for $title', ({ state, step = 0, blockedUntilMs = 0, expected }) => {
  const meaning = meaningOf(EXPORT_MEANING, state, step, NOW);
  const decision = decideClaim(meaning, { blockedUntilMs }, NOW, rulesWith());
  expect(decision).toMatchObject(expected);
  if (!('broken' in expected)) expect(decision).not.toHaveProperty('broken');
});

test('counts a worker that never came back and keeps the pace behind its last request', () => {
  const left = stateOf({ lease: { owner: 'gone', untilMs: NOW - 10 }, lastRequestAtMs: 5 });
  const claimed = claimState(left, { owner: 'b', untilMs: NOW + 60 }, NOW);
  expect(claimed).toMatchObject({
    lease: { owner: 'b' },
    lastRequestAtMs: NOW - 10,
    inRow: { stepsWithoutPage: 1, brokenSteps: 1 },
    wakeUpSent: true,
  });
  expect(meaningOf(EXPORT_MEANING, claimed, 0, NOW + 59).kind).toBe('held');
  expect(meaningOf(EXPORT_MEANING, claimed, 0, NOW + 60).kind).toBe('open');
  const first = claimState(stateOf(), { owner: 'b', untilMs: NOW + 60 }, NOW);
  expect(first.inRow.stepsWithoutPage).toBe(0);
});

test('one that is claimed needs no sweep any more', () => {
  const woken = stateOf({ isWoken: true });
  expect(claimState(woken, lease, NOW)).not.toHaveProperty('isWoken');
});

test('no request counts as sent after a claim, however far ahead the clock of the worker before was', () => {
  const lost = stateOf({ lease: { owner: 'b', untilMs: NOW + YEAR_MS } });
  const sent = stateOf({ lastRequestAtMs: NOW + YEAR_MS });

  expect(claimState(lost, lease, NOW).lastRequestAtMs).toBe(NOW);
  expect(claimState(sent, lease, NOW).lastRequestAtMs).toBe(NOW);
});

test.each<[string, Partial<ExportState>, boolean]>([
  ['once a worker has failed after the end of its list', { end: ENDED_NOW, lease: GONE }, true],
  ['not while none has', { end: ENDED_NOW }, false],
  ['not where one failed before that', { lease: GONE }, false],
])('an export leaves its line %s', (_title, own, leaves) => {
  expect(claimState(stateOf(own), lease, NOW).leavesLine ?? false).toBe(leaves);
});
