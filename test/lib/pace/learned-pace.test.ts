import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomOf } from '../../../infra/simulator/random.ts';
import { type Limiter, limiterOf } from '../../../infra/simulator/rate-limit.ts';
import { gatePaceText } from '../../../lib/pace/gate-pace.ts';
import { type ModelledExport, modelExports } from './modelled-export.ts';
import { bucket, fixedWindow, saying } from './realistic-limits.ts';

/** Throttles by chance, whatever the pace. */
function byChance(share: number, seed: number): Limiter {
  const random = randomOf(seed);
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

test('does not slow down where there is no limit', () => {
  const [only] = modelExports(() => limiterOf({ kind: 'none' }), { pages: 1_000, exports: 1 });
  expect(only?.wallMs).toBeLessThan(1_800);
  expect(only?.known).toBeUndefined();
});

test('learns anew when the limit falls, and when it rises', () => {
  const fallen = modelExports(
    () => changing([bucket(50, 10).limiter(), bucket(25, 10).limiter()], 1_000),
    {
      pages: 1_000,
      exports: 3,
    },
  );
  expect(fallen.map(ratioOf)[1]).toBeLessThan(1.4);
  expect(fallen.map(ratioOf)[2]).toBeLessThan(1.1);
  const risen = modelExports(
    () => changing([bucket(20, 10).limiter(), bucket(80, 10).limiter()], 1_000),
    {
      pages: 1_000,
      exports: 5,
    },
  );
  expect(risen.map(ratioOf)[4]).toBeLessThan(1.1);
});

test('keeps going where throttles come by chance, at about the rate that is admitted', () => {
  const walls = [5, 6, 7, 8].flatMap((seed) =>
    modelExports(() => byChance(0.05, seed), { pages: 1_000, exports: 5 }).map(
      ({ wallMs }) => wallMs / 1000,
    ),
  );
  // Each throttle costs a wait of a second and a step: about 55 s without any pace.
  expect(Math.max(...walls)).toBeLessThan(250);
  expect(walls.reduce((sum, wall) => sum + wall, 0) / walls.length).toBeLessThan(125);
});

test('keeps a window of a single request', () => {
  const exports = modelExports(fixedWindow(1, 60).limiter, { pages: 20, exports: 3 });
  for (const each of exports) expect(ratioOf(each)).toBeLessThan(1.1);
  expect(exports[2]?.throttled).toBe(0);
});

test('learns a long window although the API says each time that it is over in a second', () => {
  const hour = saying(fixedWindow(1_000, 3_600), 1);
  const [first, second] = modelExports(hour.limiter, { pages: 1_500, exports: 2 });
  expect(first?.throttled).toBeLessThan(60);
  expect(second?.throttled).toBeLessThan(15);
  for (const each of [first, second]) expect(each && ratioOf(each)).toBeLessThan(1.3);
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
