import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseWakeUp } from '../../../functions/messages/wake-up.ts';
import { cancelled } from '../../../lib/exports/cancelled.ts';
import { exportIdOf, type Trigger } from '../../../lib/exports/export-id.ts';
import { type ExportSettings, exportSettingsOf } from '../../../lib/exports/export-settings.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { decideSweep } from '../../../lib/exports/wake-stalled.ts';
import { STALL_GRACE_MS } from '../../../lib/steps/sweep.ts';
import { END, rulesWith, START_MS, stateOf } from './state-of.ts';

const trigger: fc.Arbitrary<Trigger> = fc.oneof(
  fc.record({ kind: fc.constant('request' as const), idempotencyKey: fc.string() }),
  fc.record({ kind: fc.constant('schedule' as const), scheduledTime: fc.string() }),
  fc.record({ kind: fc.constant('event' as const), eventId: fc.string() }),
);

test('gives equal triggers equal ids that a wake-up can carry, whatever their own id holds', () => {
  fc.assert(
    fc.property(trigger, (each) => {
      const exportId = exportIdOf('acme', 'customers', each);
      expect(exportIdOf('acme', 'customers', structuredClone(each))).toBe(exportId);
      const body = JSON.stringify({ v: 1, connection: 'acme', exportId, step: 0 });
      expect(parseWakeUp(body).kind).toBe('value');
    }),
  );
});

test('gives other triggers, lists and connections other ids', () => {
  const ids = [
    exportIdOf('a', 'customers', { kind: 'request', idempotencyKey: 'x' }),
    exportIdOf('b', 'customers', { kind: 'request', idempotencyKey: 'x' }),
    exportIdOf('a', 'customers', { kind: 'request', idempotencyKey: 'y' }),
    exportIdOf('a', 'customers', { kind: 'event', eventId: 'x' }),
    exportIdOf('a', 'customers', { kind: 'schedule', scheduledTime: 'x' }),
    exportIdOf('a', 'invoices', { kind: 'schedule', scheduledTime: 'x' }),
    exportIdOf('a', 'b', { kind: 'schedule', scheduledTime: 'x' }),
    exportIdOf('b', 'a', { kind: 'schedule', scheduledTime: 'x' }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test('gives a trigger for customers the id that it had before there were lists', () => {
  const exportId = exportIdOf('acme', 'customers', { kind: 'request', idempotencyKey: 'x' });

  expect(exportId).toBe('request-07fe51f66a736bc0b944');
});

test.each([
  ['requestsPerSecond', { requestsPerSecond: 0 }],
  ['requestsPerSecond', { requestsPerSecond: Number.NaN }],
  ['pagesInFlight', { pagesInFlight: 257 }],
  ['partMaxPages', { partMaxPages: 49 }],
  ['partMaxBytes', { partMaxBytes: 1 }],
  ['maxWaitSeconds', { maxWaitSeconds: 1.5 }],
  ['maxDurationSeconds', { maxDurationSeconds: 59 }],
  ['historyDays', { historyDays: 60 }],
] satisfies readonly [string, Partial<ExportSettings>][])(
  'refuses a wrong %s by name: %j',
  (setting, given) => {
    expect(() => exportSettingsOf(given)).toThrow(expect.objectContaining({ setting }));
  },
);

test('takes fractions of a request a second', () => {
  expect(exportSettingsOf({ requestsPerSecond: 0.25 }).requestsPerSecond).toBe(0.25);
});

const LATER = START_MS + STALL_GRACE_MS;
const AT_WORK = { lease: { owner: 'a', untilMs: START_MS + 1 } };

function cancelledWith(parts: 'keep' | 'remove', own: Partial<ExportState> = {}): ExportState {
  const cancellation = { by: 'ada', reason: 'Wanted.', parts, atMs: START_MS };
  return { ...cancelled(stateOf(), cancellation), ...own };
}

test.each([
  ['a completed one', stateOf({ status: 'completed' }), 0, START_MS, 'close'],
  ['a failed one', stateOf({ status: 'failed' }), 0, START_MS, 'close'],
  ['a halted one', stateOf({ status: 'halted' }), 0, START_MS, 'resume'],
  [
    'a halted one past its deadline',
    stateOf({ status: 'halted', deadlineAtMs: LATER }),
    0,
    LATER,
    'fail',
  ],
  ['one that just ran', stateOf(), 0, LATER - 1, 'nothing'],
  ['one that stands still', stateOf(), 0, LATER, 'wake'],
  ['one that waits', stateOf({ notBeforeMs: START_MS + 1 }), 0, LATER, 'nothing'],
  ['one that the gate holds', stateOf(), START_MS + 1, LATER, 'nothing'],
  ['one at work', stateOf({ lease: { owner: 'a', untilMs: START_MS + 1 } }), 0, LATER, 'nothing'],
  ['one without its list', stateOf({ list: 'gone' }), 0, START_MS, 'fail'],
  [
    'a halted one without its list',
    stateOf({ list: 'gone', status: 'halted' }),
    0,
    START_MS,
    'fail',
  ],
  [
    'one at work without its list',
    stateOf({ list: 'gone', lease: { owner: 'a', untilMs: START_MS + 1 } }),
    0,
    START_MS,
    'nothing',
  ],
  ['one that needs its list no more', stateOf({ list: 'gone', end: END }), 0, START_MS, 'nothing'],
  [
    'one that needs no request any more',
    stateOf({ end: END, notBeforeMs: LATER }),
    LATER,
    LATER,
    'wake',
  ],
  ['a cancelled one', cancelledWith('keep'), 0, START_MS, 'close'],
  ['a cancelled one whose parts are there', cancelledWith('remove'), 0, START_MS, 'wake'],
  ['a cancelled one that a worker is at', cancelledWith('keep', AT_WORK), 0, START_MS, 'nothing'],
  ['a cancelled one that a worker left', cancelledWith('keep', AT_WORK), 0, START_MS + 1, 'close'],
  [
    'a cancelled one whose parts a worker may still store',
    cancelledWith('remove', AT_WORK),
    0,
    START_MS,
    'nothing',
  ],
])('sweeps %s', (_title, state, blockedUntilMs, nowMs, decision) => {
  expect(decideSweep(state, { blockedUntilMs }, nowMs, rulesWith())).toBe(decision);
});
