import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Pace } from '../../../lib/exports/pace.ts';
import { pagesInFlightLimit } from '../../../lib/exports/pages-in-flight.ts';

test('sends no more than the rate in any stretch, however late each request is', () => {
  const lateness = fc.array(fc.nat({ max: 400 }), { minLength: 2, maxLength: 60 });
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 200, noNaN: true }), lateness, (rate, lates) => {
      const pace = new Pace(rate, 0);
      let nowMs = 1_000_000;
      const sentAtMs = lates.map((lateMs) => {
        nowMs = pace.nextAtMs(nowMs) + lateMs;
        pace.sent(nowMs);
        return nowMs;
      });
      for (const [from, first] of sentAtMs.entries()) {
        for (const [count, last] of sentAtMs.slice(from).entries()) {
          expect(count).toBeLessThanOrEqual(((last - first + 5) * rate) / 1000 + 1e-6);
        }
      }
    }),
  );
});

test('keeps the rate although timers are late by a few milliseconds', () => {
  const pace = new Pace(50, 0);
  let nowMs = 1_000_000;
  for (let sent = 0; sent < 1_000; sent++) {
    nowMs = pace.nextAtMs(nowMs) + 2;
    pace.sent(nowMs);
  }
  expect(nowMs - 1_000_000).toBeLessThan(20_030);
});

test('begins with the latest request of the step before', () => {
  expect(new Pace(1, 5_000).nextAtMs(5_400)).toBe(6_000);
  expect(new Pace(1, 5_000).nextAtMs(7_000)).toBe(7_000);
  expect(new Pace(undefined, 5_000).nextAtMs(5_000)).toBe(5_000);
});

test.each([
  ['the first page alone', {}, 0, 100, 1],
  ['the first page alone, whatever is set', { pagesInFlight: 9 }, 0, 100, 1],
  ['what is set', { pagesInFlight: 9, requestsPerSecond: 1 }, 1, 100, 9],
  ['one more with each page without a rate', {}, 3, 100, 4],
  ['eight at most without a rate', {}, 30, 100, 8],
  ['rate times latency and two', { requestsPerSecond: 50 }, 1, 80, 6],
  ['two for a slow rate', { requestsPerSecond: 0.1 }, 1, 0, 2],
  ['sixteen at most', { requestsPerSecond: 1_000 }, 1, 1_000, 16],
])('has %s under way', (_title, settings, pagesTaken, latencyMs, expected) => {
  expect(pagesInFlightLimit(settings, pagesTaken, latencyMs)).toBe(expected);
});
