import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomOf } from '../../../infra/simulator/random.ts';
import { limiterOf } from '../../../infra/simulator/rate-limit.ts';
import { gatePaceText } from '../../../lib/pace/gate-pace.ts';
import { amountOf, isDeep } from '../../deep/depth.ts';
import { type ModelledExport, modelExports } from './modelled-export.ts';
import {
  atOnce,
  bucket,
  byChance,
  changing,
  fixedWindow,
  type ModelledLimiter,
  saying,
} from './realistic-limits.ts';

test('does not slow down where there is no limit: the processor is busy, at any latency', () => {
  for (const latencyMs of [20, 150]) {
    const unlimited = () => ({ ask: limiterOf({ kind: 'none' }) });
    const [only] = modelExports(unlimited, { pages: 4_000, exports: 1, latencyMs });
    // 1.25 ms of processor time a page; with 16 at the same time it would be 38 s at 150 ms.
    expect(only?.wallMs).toBeLessThan(4_000 * 1.25 * 1.3);
    expect(only?.known).toMatchObject({ limit: 'none' });
  }
});

test('keeps a window of a single request', () => {
  const exports = modelExports(fixedWindow(1, 60).limiter, { pages: 20, exports: 3 });
  for (const each of exports) expect(ratioOf(each)).toBeLessThan(1.1);
  expect(exports[2]?.throttled).toBe(0);
});

test('learns a rate although the API asks for the same wait each time, far longer than the bucket needs', () => {
  const [first, second] = modelExports(saying(bucket(40, 8), 2).limiter, {
    ...{ pages: 1_000, exports: 2, latencyMs: 60, jitterMs: 6, seed: 3 },
  });
  expect(first && ratioOf(first)).toBeLessThan(1.75);
  expect(second && ratioOf(second)).toBeLessThan(1.2);
});

test('learns a rate without any burst, and takes it for no limit of requests at the same time', () => {
  const exports = modelExports(bucket(200, 1).limiter, {
    ...{ pages: 1_000, exports: 2, latencyMs: 10, jitterMs: 1, seed: 51 },
  });
  for (const each of exports) expect(ratioOf(each)).toBeLessThan(1.8);
});

test('keeps a limit of requests at the same time that is no slower than the processor', () => {
  const limit = atOnce(17);
  const [, second, third] = modelExports(() => limit.limiter(15), {
    ...{ pages: 1_000, exports: 3, latencyMs: 15, jitterMs: 0.7, seed: 910_101 },
  });
  expect([second?.throttled, third?.throttled]).toEqual([0, 0]);
});

test('waits a little before a place is taken again, where the API counts a request longer than its answer takes', () => {
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
  const later = seeds.map((seed) => {
    const [, ...exports] = modelExports(() => countedLonger(5, 100, seed), {
      ...{ pages: 150, exports: 4, latencyMs: 100, jitterMs: 1, seed },
    });
    return exports;
  });
  const throttled = later.flat().reduce((sum, each) => sum + each.throttled, 0);
  const ratios = later.flat().map(ratioOf);
  const mean = ratios.reduce((a, b) => a + b, 0) / ratios.length;
  expect(throttled).toBeLessThan(10);
  expect(mean).toBeLessThan(1.1);
});

test('takes the lower rate that is kept where there is no burst for no fall of the limit', () => {
  const exports = modelExports(bucket(50, 1).limiter, {
    ...{ pages: 1_000, exports: 3, latencyMs: 150, jitterMs: 15, seed: 8 },
  });
  for (const each of exports) expect(ratioOf(each)).toBeLessThan(2.6);
});

test('learns a long window although the API says each time that it is over in a second', () => {
  const hour = saying(fixedWindow(1_000, 3_600), 1);
  const [first, second] = modelExports(hour.limiter, { pages: 1_500, exports: 2 });
  // Up to a hundred of them are under way when the window is first used up.
  expect(first?.throttled).toBeLessThan(110);
  expect(second?.throttled).toBeLessThan(15);
  for (const each of [first, second]) expect(each && ratioOf(each)).toBeLessThan(1.3);
});

test.each([
  ['falls', changing(bucket(50, 10), bucket(25, 10), 500), 1.75],
  ['rises', changing(bucket(20, 10), bucket(80, 10), 500), 3.3],
  ['falls soon after a throttle', changing(bucket(100, 20), bucket(40, 20), 500), 1.75],
])('learns anew when the limit %s', (_title, limit, worst) => {
  const exports = modelExports(limit.limiter, { pages: 1_000, exports: 4 });
  for (const each of exports) expect(ratioOf(each)).toBeLessThan(worst);
  const last = exports.at(-1);
  expect(last && ratioOf(last)).toBeLessThan(1.1);
});

test('finds out that a limit has fallen where as many at the same time would explain its throttles', () => {
  const limit = changing(bucket(50, 10), bucket(25, 10), 500);
  const exports = modelExports(limit.limiter, {
    ...{ pages: 1_000, exports: 1, latencyMs: 150, jitterMs: 15, seed: 8 },
  });
  for (const each of exports) expect(ratioOf(each)).toBeLessThan(1.35);
});

test('finds out soon that a limit has fallen, and that it is as high as before again', () => {
  const bucketOf = (ratePerSecond: number) => ({
    ...{ kind: 'token-bucket' as const, ratePerSecond, burst: 10 },
  });
  const steps = [
    { limit: bucketOf(50), forSeconds: 12 },
    { limit: bucketOf(20), forSeconds: 15 },
    { limit: bucketOf(50), forSeconds: 1 },
  ];
  const firsts = [1, 2, 3, 4].slice(0, amountOf({ short: 2, deep: 4 })).map((seed) => {
    const limiter = () => ({ ask: limiterOf({ kind: 'changing', steps }) });
    const [first] = modelExports(limiter, {
      ...{ pages: 1_500, exports: 1, latencyMs: 22, jitterMs: 3, seed },
    });
    // 12 s at 50 a second, 15 at 20 and the rest at 50 again, with a burst at each change.
    return (first?.wallMs ?? 0) / 38_400;
  });
  expect(Math.max(...firsts)).toBeLessThan(1.45);
});

/** Each of them shows it: whether throttles come by chance is weighed after each one. */
const CHANCE_SEEDS = isDeep ? [61, 62, 63, 64] : [61];

test.each([
  { share: 0.01, pages: 400 },
  // Fewer show the same: each throttle is weighed again.
  { share: 0.05, pages: 200 },
  { share: 0.2, pages: 100 },
])('takes throttles of $share of the requests by chance for no limit', ({ share, pages }) => {
  for (const latencyMs of isDeep ? [20, 150] : [150]) {
    for (const seed of CHANCE_SEEDS) {
      const exports = modelExports(byChance(share, seed).limiter, {
        ...{ pages, exports: 3, latencyMs, jitterMs: latencyMs / 10, seed },
      });
      expect(exports.map(({ known }) => known?.limit)).toEqual(['none', 'none', 'none']);
    }
  }
});

test('keeps a window of a second beside one of a minute as they are, while nothing else is met', () => {
  const windows = [
    { kind: 'fixed-window', requests: 10, windowSeconds: 1 },
    { kind: 'fixed-window', requests: 300, windowSeconds: 60 },
  ] as const;
  for (const seed of [1, 2]) {
    const limiter = () => ({ ask: limiterOf({ kind: 'all', limits: windows }) });
    const of = { pages: 1_300, exports: 4, latencyMs: 80, seed };
    const [, ...later] = modelExports(limiter, of);
    expect(Math.max(...later.map(({ throttled }) => throttled))).toBeLessThanOrEqual(3);
  }
});

test('never sends while a wait runs, and keeps what it knows below 4 KB, whatever the limit', () => {
  const limits = fc.oneof(
    fc.record({
      kind: fc.constant('token-bucket' as const),
      ratePerSecond: fc.double({ min: 0.2, max: 200, noNaN: true }),
      burst: fc.integer({ min: 1, max: 200 }),
    }),
    fc.record({
      kind: fc.constant('fixed-window' as const),
      requests: fc.integer({ min: 1, max: 600 }),
      windowSeconds: fc.integer({ min: 1, max: 120 }),
    }),
  );
  fc.assert(
    fc.property(limits, (limit) => {
      const exports = modelExports(() => ({ ask: limiterOf(limit) }), { pages: 60, exports: 2 });
      for (const { early, known } of exports) {
        expect(early).toBe(0);
        if (known !== undefined) expect(gatePaceText(known).length).toBeLessThan(4_000);
      }
    }),
    { numRuns: amountOf({ short: 12, deep: 30 }) },
  );
});

/** One request in ten counts up to 6 ms longer than until its answer is sent. */
function countedLonger(requests: number, latencyMs: number, seed: number): ModelledLimiter {
  const random = randomOf(seed);
  let endsAtMs: number[] = [];
  return {
    outShare: 0.005,
    atOnce: requests,
    ask: (nowMs) => {
      endsAtMs = endsAtMs.filter((each) => each > nowMs);
      if (endsAtMs.length >= requests) return { kind: 'throttled', waitSeconds: 1 };
      endsAtMs.push(nowMs + latencyMs * 0.99 + (random() < 0.1 ? random() * 6 : 0));
      return { kind: 'admitted' };
    },
  };
}

test('uses a burst that saves more than the throttle may cost, if the rate is lower', () => {
  const options = { pages: 1_000, exports: 2, latencyMs: 150, jitterMs: 15, seed: 11 };
  const [, second] = modelExports(bucket(100, 100).limiter, options);
  expect(second && ratioOf(second)).toBeLessThan(1.05);
});

/** None of them is among the usual periods: the waits show it. */
const UNUSUAL = [
  { requests: 70, seconds: 7, pages: 700 },
  { requests: 100, seconds: 3, pages: 1_000 },
  { requests: 500, seconds: 45, pages: 3_000 },
];
test.each(UNUSUAL.slice(0, amountOf({ short: 1, deep: 3 })))(
  'learns a window of $requests in $seconds s from its waits',
  ({ requests, seconds, pages }) => {
    for (const latencyMs of isDeep ? [20, 150] : [20]) {
      const options = { pages, exports: 2, latencyMs, jitterMs: latencyMs / 10 };
      const [first, second] = modelExports(fixedWindow(requests, seconds).limiter, options);
      expect(first && ratioOf(first)).toBeLessThan(1.25);
      expect(second && ratioOf(second)).toBeLessThan(1.08);
    }
  },
);

/** After a trial that comes 64 s (or twelve long windows) after the latest throttle at the latest. */
const RISEN = [
  { from: 50, to: 100, seconds: 1, pages: 2_000, trialAt: 2 },
  { from: 50, to: 200, seconds: 5, pages: 2_000, trialAt: 1 },
  { from: 50, to: 60, seconds: 1, pages: 2_000, trialAt: 2 },
  { from: 600, to: 1_200, seconds: 60, pages: 6_000, trialAt: 2 },
];
test.each(RISEN.slice(0, amountOf({ short: 2, deep: 4 })))(
  'finds that a window has risen from $from to $to in $seconds s, over steps and exports',
  ({ from, to, seconds, pages, trialAt }) => {
    const limit = changing(fixedWindow(from, seconds), fixedWindow(to, seconds), from * 4);
    for (const latencyMs of isDeep ? [20, 150] : [20]) {
      const options = { pages, exports: trialAt + 2, latencyMs, jitterMs: latencyMs / 10 };
      const exports = modelExports(() => limit.limiter(latencyMs), options);
      for (const each of exports.slice(trialAt)) expect(ratioOf(each)).toBeLessThan(1.2);
    }
  },
);

test.each([
  { from: 1, to: 10, burst: 5 },
  // What admits one at a time may be a window too.
  { from: 1, to: 10, burst: 1 },
  { from: 0.05, to: 0.5, burst: 1 },
])('finds that a bucket of $from/s, burst $burst has risen to $to/s', ({ from, to, burst }) => {
  const limit = changing(bucket(from, burst), bucket(to, burst), 100);
  const exports = modelExports(limit.limiter, { pages: 150, exports: 3, latencyMs: 50 });
  const last = exports.at(-1);
  expect(last && ratioOf(last)).toBeLessThan(1.2);
});

/** What all of the log fits best, if badly: throttles by chance, or a limit beside the one that was known. */
test.each([
  { seemed: 'throttles by chance', after: 54, line: { latencyMs: 20, jitterMs: 3 } },
  { seemed: 'a limit that is lower by half', after: 54, line: { latencyMs: 200, jitterMs: 1 } },
  { seemed: 'a limit that is far lower', after: 482, line: { latencyMs: 200, jitterMs: 20 } },
])('learns that a window has fallen, and not what fits all of the log: $seemed', (row) => {
  const limit = changing(fixedWindow(20, 1), fixedWindow(10, 1), row.after);
  const options = { pages: 300, exports: 3, seed: 1, ...row.line };
  const [, ...later] = modelExports(limit.limiter, options);
  for (const each of later) {
    expect(ratioOf(each)).toBeLessThan(1.3);
    expect(each.throttled).toBeLessThan(40);
  }
});

test('tries seldom whether a window has risen, and loses less than a hundredth of the requests by it', () => {
  const windows = [fixedWindow(10, 1), fixedWindow(50, 5), fixedWindow(100, 10)];
  for (const { limiter } of [...windows, fixedWindow(600, 60)]) {
    for (const latencyMs of isDeep ? [20, 150] : [20]) {
      const options = { pages: 4_000, exports: 3, latencyMs, jitterMs: latencyMs / 10 };
      const [, ...later] = modelExports(limiter, options);
      const throttled = later.reduce((sum, each) => sum + each.throttled, 0);
      expect(throttled).toBeGreaterThan(0);
      expect(throttled).toBeLessThan(80);
      for (const each of later) expect(ratioOf(each)).toBeLessThan(1.1);
    }
  }
});

function ratioOf({ wallMs, idealMs }: ModelledExport): number {
  return wallMs / idealMs;
}
