import { expect, test } from '@jest/globals';
import {
  changeSweepMetrics,
  exportSweepMetrics,
  fanOutMetrics,
  foundMetrics,
  publishMetrics,
  stepMetrics,
} from '../../../functions/services/metric-values.ts';
import { type StepReport, withShare } from '../../../lib/exports/step-report.ts';
import type { SweptExport } from '../../../lib/exports/wake-exports.ts';
import { changeStateOf } from '../../lib/changes/change-state-of.ts';

const before = {
  pages: 10,
  customers: 1_000,
  bytes: 5_000,
  requests: 12,
  throttles: 2,
  waitedSeconds: 60,
};
const facts = { connection: 'demo', list: 'customers', exportId: 'e', step: 4 };

function reportOf(result: StepReport['result'], counters: object): StepReport {
  return withShare({ answer: 'acknowledge', result, facts: { ...facts, ...counters } }, before);
}

test('a step tells what it added, not what the export came to', () => {
  const after = { pages: 15, customers: 1_500, requests: 18, throttles: 3, waitedSeconds: 90 };

  expect(stepMetrics(reportOf('goes-on', after))).toEqual({
    Steps: 1,
    Pages: 5,
    Customers: 500,
    Requests: 6,
    Throttles: 1,
    WaitSeconds: 30,
  });
});

test.each([
  ['completed', 'ExportsCompleted'],
  ['failed', 'ExportsFailed'],
  ['halted', 'ExportsHalted'],
] as const)('an export that a step ended as %s is counted as %s', (result, metric) => {
  expect(stepMetrics(reportOf(result, before))).toMatchObject({ Customers: 0, [metric]: 1 });
});

test('a repeated message and a hop of a wait tell nothing', () => {
  for (const result of ['early', 'past', 'over', 'held'] as const) {
    expect(stepMetrics({ answer: 'acknowledge', result, facts: { ...facts, pages: 7 } })).toEqual(
      {},
    );
  }
});

test('a sweep tells levels, zeros too', () => {
  const sweptAs = (...results: SweptExport['result'][]) =>
    exportSweepMetrics(
      results.map((result) => ({ connection: 'c', list: 'customers', exportId: 'e', result })),
    );

  const none = { QueuedExports: 0, LongestQueuedSeconds: 0 };
  expect(sweptAs()).toEqual({ StalledExports: 0, HaltedExports: 0, ExportsFailed: 0, ...none });
  expect(sweptAs('nothing', 'close', 'resume', 'wake', 'error', 'still-halted', 'fail')).toEqual({
    StalledExports: 2,
    HaltedExports: 1,
    ExportsFailed: 1,
    ...none,
  });
});

test.each<[string, SweptExport['result'][], number]>([
  ['that no worker claims, while none is at work', ['wake', 'woken', 'nothing'], 2],
  ['that wait for their turn, while workers are at others', ['wake', 'woken', 'at-work'], 0],
  [
    'that break off again and again, are not left or fail',
    ['breaks-off', 'wake-broken', 'leave', 'error', 'at-work'],
    4,
  ],
])('of exports %s, a sweep counts as stalled: %j', (_, results, expected) => {
  const swept = results.map((result) => ({
    ...{ connection: 'c', list: 'customers', exportId: 'e' },
    result,
  }));
  expect(exportSweepMetrics(swept)).toMatchObject({ StalledExports: expected });
});

test('a sweep tells how many lists wait for their turn in all connections, and how long the first of them has', () => {
  const head = { connection: 'c', list: 'customers', exportId: 'e', result: 'nothing' } as const;
  const waiting = { queued: 2, longestQueuedSeconds: 60 };

  expect(
    exportSweepMetrics([
      { ...head, ...waiting },
      { ...head, connection: 'd', queued: 1, longestQueuedSeconds: 900 },
      { ...head, connection: 'f' },
    ]),
  ).toMatchObject({ QueuedExports: 3, LongestQueuedSeconds: 900 });
});

test.each(['found', 'publishing', 'published'] as const)(
  'changes that are %s count the records that are told',
  (status) => {
    const told = { RecordsAdded: 2, RecordsChanged: 3, RecordsRemoved: 1 };
    expect(foundMetrics(changeStateOf({ status }))).toEqual(told);
  },
);

test.each(['first', 'held', 'discarded', 'superseded', 'refused'] as const)(
  'changes that are %s count none',
  (status) => {
    expect(foundMetrics(changeStateOf({ status }))).toEqual({});
  },
);

test('a sweep tells how many changes wait for a person, stand still, and how long they are on their way', () => {
  const name = { connection: 'demo', exportId: 'e' };
  const swept = [
    { ...name, result: 'waits' },
    { ...name, result: 'wake', waitedSeconds: 900 },
    { ...name, result: 'nothing', waitedSeconds: 30 },
    { ...name, result: 'error' },
  ] as const;

  expect(changeSweepMetrics(swept)).toEqual({
    ChangesHeld: 1,
    StalledChanges: 2,
    ChangesWaitingSeconds: 900,
  });
  expect(changeSweepMetrics([])).toEqual({
    ChangesHeld: 0,
    StalledChanges: 0,
    ChangesWaitingSeconds: 0,
  });
  const unread = { ...name, result: 'error' } as const;
  expect(changeSweepMetrics([{ ...unread, unread: 'held' }])).toEqual({
    StalledChanges: 1,
    ChangesWaitingSeconds: 0,
  });
  expect(changeSweepMetrics([{ ...unread, unread: 'unfinished' }])).toEqual({
    ChangesHeld: 0,
    StalledChanges: 1,
  });
  expect(publishMetrics(7)).toEqual({ RecordEvents: 7 });
  expect(publishMetrics(0)).toEqual({});
});

test('a fan-out counts what runs or waits by it, and what failed', () => {
  const counts = { started: 1, joined: 2, queued: 4, resumed: 8, halted: 16, over: 32 };
  const failed = [{ connection: 'acme', problem: 'Error' }];
  expect(fanOutMetrics({ counts, failed })).toEqual({ FanOutStarts: 15, FanOutFailures: 1 });
});
