import { expect, test } from '@jest/globals';
import { gaugeOf } from '../../../lib/pace/limit-gauge.ts';

const NOW = Date.UTC(2026, 0, 1);
const LINE = { latencyMs: 150, jitterMs: 10 };

test('requests at the same time are spread over a latency, and are as many as the limit admits', () => {
  const gauge = gaugeOf({ kind: 'at-once', requests: 8 }, [], LINE);
  const sentAtMs: number[] = [];
  let nowMs = NOW;
  while (sentAtMs.length < 8) {
    const dueMs = gauge.dueAtMs(nowMs, sentAtMs.length);
    if (dueMs <= nowMs) {
      gauge.spend(nowMs);
      sentAtMs.push(nowMs - NOW);
    }
    nowMs = Math.max(nowMs, Math.ceil(dueMs));
  }
  // Two together, the others in four fifths of the latency.
  expect(sentAtMs.slice(0, 3)).toEqual([0, 0, 12]);
  expect(sentAtMs.at(-1)).toBe(87);
  expect(gauge.dueAtMs(NOW + 1_000, 8)).toBeGreaterThan(NOW + 1_000);
  expect(gauge.dueAtMs(NOW + 1_000, 7)).toBe(NOW + 1_000);
});

test('a place of requests at the same time stays empty for as long as the API still counts the answered one', () => {
  const gauge = gaugeOf({ kind: 'at-once', requests: 8, laterMs: 3 }, [], LINE);

  expect(gauge.dueAtMs(NOW, 7)).toBe(NOW);
  expect(gauge.dueAtMs(NOW + 1, 8)).toBeGreaterThan(NOW + 10);
  expect(gauge.dueAtMs(NOW + 10, 7)).toBe(NOW + 13);
  expect(gauge.dueAtMs(NOW + 12, 6)).toBe(NOW + 13);
  expect(gauge.dueAtMs(NOW + 13, 6)).toBe(NOW + 13);
});

test.each([
  ['a bucket', { kind: 'bucket', perSecond: 10, burst: 4 }],
  ['a window', { kind: 'window', periodMs: 1_000, requests: 4 }],
  ['a sliding window', { kind: 'sliding', periodMs: 1_000, requests: 4 }],
] as const)('keeps room in %s for those that wait for their connections', (_title, limit) => {
  const gauge = gaugeOf(limit, [], LINE);
  gauge.spend(NOW);
  gauge.spend(NOW);
  expect(gauge.dueAtMs(NOW, 3, 1)).toBe(NOW);
  expect(gauge.dueAtMs(NOW, 4, 2)).toBeGreaterThan(NOW + 90);
});

test('without a burst, requests that wait for their connections keep apart as they were counted', () => {
  const gauge = gaugeOf({ kind: 'bucket', perSecond: 10, burst: 1 }, [], LINE);
  gauge.wait?.(NOW);
  expect(gauge.dueAtMs(NOW, 1, 1)).toBe(NOW + 100);
  expect(gauge.dueAtMs(NOW + 100, 1, 1)).toBe(NOW + 100);
});

test('no more wait for their connections than the next window admits', () => {
  const gauge = gaugeOf({ kind: 'window', periodMs: 1_000, requests: 4 }, [], LINE);
  gauge.spend(NOW);
  expect(gauge.dueAtMs(NOW + 1_020, 3, 3)).toBe(NOW + 1_020);
  expect(gauge.dueAtMs(NOW + 1_020, 4, 4)).toBeGreaterThan(NOW + 1_020);
});

test.each([
  { laterMs: 0, opensMs: 10_012 },
  { laterMs: 3_000, opensMs: 13_012 },
])(
  'sends nothing before a window by the clock begins, however short the way: $laterMs ms',
  (each) => {
    const { laterMs, opensMs } = each;
    const clock = { kind: 'clock', periodMs: 10_000, requests: 2, laterMs } as const;
    const gauge = gaugeOf(clock, [], LINE);
    gauge.spend(NOW + 9_000);
    gauge.spend(NOW + 9_000);
    expect(gauge.dueAtMs(NOW + 9_500, 0)).toBe(NOW + opensMs);
  },
);

test('tries by single requests whether a fixed window is open where a sliding one is closed for long', () => {
  const period = { periodMs: 10_000, requests: 100 } as const;
  const tried = { kind: 'clock', ...period } as const;
  const line = { latencyMs: 20, jitterMs: 2 };
  const gauge = gaugeOf({ kind: 'sliding', ...period, tried }, [], line);
  const sendAll = (atMs: number) => {
    for (let count = 0; count < 100; count++) gauge.spend(atMs);
    return gauge.isTry;
  };
  expect(sendAll(5_000)).toBe(false);
  expect(gauge.dueAtMs(6_000, 0)).toBeCloseTo(10_004, 0);
  expect(gauge.dueAtMs(10_010, 0)).toBe(10_010);
  expect(gauge.dueAtMs(10_010, 1)).toBeGreaterThan(10_050);
  gauge.spend(10_010);
  expect(gauge.isTry).toBe(true);
  // Less than a second later the sliding one is open too.
  expect(sendAll(19_500)).toBe(false);
  expect(gauge.dueAtMs(29_000, 0)).toBeGreaterThan(29_500);
});
