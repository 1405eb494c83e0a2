import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs } from '../../lib/backoff.ts';

test.each([
  [0, 2_000],
  [1, 4_000],
  [4, 32_000],
  [5, 60_000],
  [2_000, 60_000],
])('waits longer after each failure, up to the most: failure %d', (failuresBefore, longestMs) => {
  const backoff = { firstMs: 2_000, mostMs: 60_000, leastShare: 0 };
  expect(backoffMs(backoff, failuresBefore, 1 - Number.EPSILON)).toBe(longestMs);
});

test('keeps the certain share of the wait, whatever chance says', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const fraction = fc.double({ min: 0, max: 0.999_999, noNaN: true });
  fc.assert(
    fc.property(share, fraction, fc.nat(100), (leastShare, chance, failuresBefore) => {
      const waitMs = backoffMs({ firstMs: 500, mostMs: 5_000, leastShare }, failuresBefore, chance);
      const longestMs = Math.min(5_000, 500 * 2 ** failuresBefore);
      expect(Number.isInteger(waitMs)).toBe(true);
      expect(waitMs).toBeGreaterThanOrEqual(longestMs * leastShare - 1e-6);
      expect(waitMs).toBeLessThanOrEqual(Math.ceil(longestMs));
    }),
  );
});
