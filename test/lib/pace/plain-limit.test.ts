import { expect, test } from '@jest/globals';
import { AdaptivePace } from '../../../lib/pace/adaptive-pace.ts';
import { plainLimit } from '../../../lib/pace/plain-limit.ts';
import { modelExports } from './modelled-export.ts';
import { bucket, fixedWindow } from './realistic-limits.ts';

test('tells other callers of the limit that was learned', () => {
  const [ofBucket] = modelExports(bucket(10, 10).limiter, { pages: 1_000, exports: 1 });
  const told = plainLimit(ofBucket?.known);
  expect(told).toMatchObject({ kind: 'bucket' });
  const { requestsPerSecond = 0, burst = 0 } = told?.kind === 'bucket' ? told : {};
  expect(requestsPerSecond).toBeCloseTo(10, 0);
  expect(burst).toBeGreaterThan(1);
  const [ofWindow] = modelExports(fixedWindow(60, 60).limiter, { pages: 200, exports: 1 });
  expect(plainLimit(ofWindow?.known)).toMatchObject({ kind: 'window', requests: 60 });
  expect(plainLimit(undefined)).toBeUndefined();
});

test.each([
  [60, { kind: 'window', requests: 2, periodMs: 60_000 }],
  [3_600, { kind: 'window', requests: 2, periodMs: 3_600_000 }],
  [3_601, undefined],
  [999_999_999_999_999, undefined],
])('keeps no caller out for a stated window of more than an hour: %i s', (windowSeconds, limit) => {
  const pace = new AdaptivePace(undefined, 0);
  const quotas = [{ name: 'stated', requests: 2, windowSeconds }];
  pace.sent(1_000).answered({ kind: 'admitted', rateLimit: { quotas }, atMs: 1_100 });
  expect(plainLimit(pace.known)).toEqual(limit);
});

test('does not spend what other callers have spent of a window', () => {
  const [before] = modelExports(fixedWindow(60, 60).limiter, { pages: 170, exports: 1 });
  const nowMs = (before?.known?.learned.blockedUntilMs ?? 0) + 200_000;
  const pace = new AdaptivePace(before?.known, 0);
  expect(pace.nextAtMs(nowMs)).toBe(nowMs);
  pace.spentElsewhere(60, nowMs);
  expect(pace.nextAtMs(nowMs + 10)).toBeGreaterThan(nowMs + 50_000);
});
