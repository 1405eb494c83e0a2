import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  backoffSeconds,
  rateLimitResetSecondsOf,
} from '../../../lib/customers-api/throttle-wait.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const nowSeconds = now / 1000;

test.each([
  [{ 'RateLimit-Reset': '42' }, 42],
  [{ 'X-RateLimit-Reset': '42' }, 42],
  [{ 'X-Rate-Limit-Reset': String(nowSeconds + 42) }, 42],
  [{ 'X-RateLimit-Reset': String(now + 42_000) }, 42],
  [{ 'X-RateLimit-Reset': String(nowSeconds + 42), Date: 'Sat, 21 Nov 2026 12:00:40 GMT' }, 2],
  [{ 'X-RateLimit-Reset': 'Sat, 21 Nov 2026 12:00:42 GMT' }, 42],
  [{ 'X-RateLimit-Reset-After': '0.25' }, 1],
  [{ 'X-RateLimit-Retry-After': '5', 'X-RateLimit-Reset': '42' }, 5],
  [{ RateLimit: '"default";r=0;t=30' }, 30],
  [{ RateLimit: '"burst";r=0;t=3, "daily";r=0;t=900, "monthly";r=10;t=90000' }, 900],
  [{ RateLimit: 'limit=100, remaining=0, reset=50' }, 50],
  [{ 'X-RateLimit-Reset': '42, 5' }, 42],
  [{ 'X-RateLimit-Reset': 'soon' }, undefined],
  [{}, undefined],
])('%j asks to wait %s s', (headers, seconds) => {
  expect(rateLimitResetSecondsOf(new Headers(headers), now)).toBe(seconds);
});

test('guesses from 1 s to 60 s, at most 2, 4, 8, … s for the first throttles in a row', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.nat(2000), random, (attempt, fraction) => {
      const seconds = backoffSeconds(attempt, fraction);
      expect(Number.isInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(Math.min(60, 2 ** (attempt + 1)));
    }),
  );
});

test.each([
  [0, 2],
  [1, 4],
  [4, 32],
  [5, 60],
  [2000, 60],
])('the longest guess for throttle %i in a row, from 0, is %i s', (attempt, seconds) => {
  expect(backoffSeconds(attempt, 1 - Number.EPSILON)).toBe(seconds);
});
