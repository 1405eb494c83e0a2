import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomOf } from '../../../infra/local/simulator/random.ts';
import { type Limiter, limiterOf } from '../../../infra/local/simulator/rate-limit.ts';
import { gatePaceText } from '../../../lib/pace/gate-pace.ts';
import { type ModelledExport, modelExports } from './modelled-export.ts';

const bucket = (ratePerSecond: number, burst: number) => () =>
  limiterOf({ kind: 'token-bucket', ratePerSecond, burst });
const fixedWindow = (requests: number, windowSeconds: number) => () =>
  limiterOf({ kind: 'fixed-window', requests, windowSeconds });

/** Counts the requests of the latest seconds, whenever they began. */
function slidingWindow(requests: number, windowSeconds: number): Limiter {
  const admitted: number[] = [];
  return (nowMs) => {
    while ((admitted[0] ?? nowMs) <= nowMs - windowSeconds * 1000) admitted.shift();
    const oldestMs = admitted[0] ?? nowMs;
    if (admitted.length >= requests)
      return {
        kind: 'throttled',
        waitSeconds: Math.max(1, Math.ceil((oldestMs + windowSeconds * 1000 - nowMs) / 1000)),
      };
    admitted.push(nowMs);
    return { kind: 'admitted' };
  };
}

/** Throttles by chance, whatever the pace. */
function byChance(share: number): Limiter {
  const random = randomOf(5);
  return () => (random() < share ? { kind: 'throttled', waitSeconds: 1 } : { kind: 'admitted' });
}

/** Another limit for each export. */
function changing(limits: readonly Limiter[], pages: number): Limiter {
  let admitted = 0;
  return (nowMs) => {
    const limiter = limits[Math.min(limits.length - 1, Math.floor(admitted / pages))];
    const admission = limiter?.(nowMs) ?? { kind: 'admitted' };
    if (admission.kind === 'admitted') admitted++;
    return admission;
  };
}

interface Row {
  readonly title: string;
  readonly limiter: () => Limiter;
  readonly pages?: number;
  /** Highest wall against the ideal, of the first export and of those after it. */
  readonly first: number;
  readonly later: number;
}

/** At most one request in a hundred is throttled once the limit is known. */
const MAX_THROTTLED = 0.01;

test.each<Row>([
  { title: '50/s, burst 10', limiter: bucket(50, 10), first: 1.3, later: 1.1 },
  { title: '50/s, no burst', limiter: bucket(50, 1), first: 3, later: 1.3 },
  { title: '50/s, burst 50', limiter: bucket(50, 50), first: 1.3, later: 1.1 },
  { title: '100/s, burst 10', limiter: bucket(100, 10), first: 1.6, later: 1.2 },
  { title: '20/s, burst 5', limiter: bucket(20, 5), first: 1.3, later: 1.1 },
  { title: '5/s, burst 10', limiter: bucket(5, 10), first: 1.3, later: 1.1 },
  { title: '1/s, burst 5', limiter: bucket(1, 5), pages: 200, first: 1.3, later: 1.1 },
  { title: '600 a minute', limiter: fixedWindow(600, 60), first: 1.3, later: 1.1 },
  { title: '100 in 10 s', limiter: fixedWindow(100, 10), first: 1.3, later: 1.1 },
  { title: '1 a minute', limiter: fixedWindow(1, 60), pages: 20, first: 1.3, later: 1.1 },
])(
  'comes close to the ideal and is hardly throttled: $title',
  ({ limiter, pages = 1_000, first, later }) => {
    const exports = modelExports(limiter, { pages, exports: 5 });
    expect(exports.map(ratioOf)[0]).toBeLessThan(first);
    for (const each of exports.slice(1)) {
      expect(ratioOf(each)).toBeLessThan(later);
      expect(shareOf(each)).toBeLessThanOrEqual(MAX_THROTTLED);
    }
    expect(Math.max(...exports.map(({ early }) => early))).toBe(0);
  },
);

test('does not slow down where there is no limit', () => {
  const [only] = modelExports(() => limiterOf({ kind: 'none' }), { pages: 1_000, exports: 1 });
  expect(only?.wallMs).toBeLessThan(1_800);
  expect(only?.known).toBeUndefined();
});

test('learns anew when the limit falls, and when it rises', () => {
  const fallen = modelExports(() => changing([bucket(50, 10)(), bucket(25, 10)()], 1_000), {
    pages: 1_000,
    exports: 3,
  });
  expect(fallen.map(ratioOf)[1]).toBeLessThan(1.4);
  expect(fallen.map(ratioOf)[2]).toBeLessThan(1.1);
  const risen = modelExports(() => changing([bucket(20, 10)(), bucket(80, 10)()], 1_000), {
    pages: 1_000,
    exports: 5,
  });
  expect(risen.map(ratioOf)[4]).toBeLessThan(1.1);
});

test('keeps going where throttles come by chance, at about the rate that is admitted', () => {
  const exports = modelExports(() => byChance(0.05), { pages: 1_000, exports: 5 });
  // Each throttle costs a wait of a second and a step: about 55 s without any pace.
  for (const { wallMs } of exports) expect(wallMs).toBeLessThan(100_000);
});

test('answers a window that slides by bursts as well', () => {
  const exports = modelExports(() => slidingWindow(600, 60), { pages: 1_000, exports: 2 });
  for (const each of exports) expect(ratioOf(each)).toBeLessThan(1.1);
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
      const exports = modelExports(() => limiterOf(limit), { pages: 60, exports: 2 });
      for (const { early, known } of exports) {
        expect(early).toBe(0);
        if (known !== undefined) expect(gatePaceText(known).length).toBeLessThan(4_000);
      }
    }),
    { numRuns: 30 },
  );
});

function ratioOf({ wallMs, idealMs }: ModelledExport): number {
  return wallMs / idealMs;
}

function shareOf({ requests, throttled }: ModelledExport): number {
  return throttled / requests;
}
