import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { reserveSlots } from '../../../lib/writes/reserve-slots.ts';

test('hands out the first slots at once and puts the next ones behind them', () => {
  const asked = { count: 3, requestsPerSecond: 50, earliestAtMs: 1_000, latestAtMs: 9_000 };
  expect(reserveSlots(undefined, asked)).toEqual({
    granted: 3,
    firstAtMs: 1_000,
    intervalMs: 20,
    nextSlotAtMs: 1_060,
  });
  expect(reserveSlots(1_060, asked)).toMatchObject({ firstAtMs: 1_060, nextSlotAtMs: 1_120 });
  // Time that nobody used is not made up for.
  expect(reserveSlots(500, asked)).toMatchObject({ firstAtMs: 1_000 });
});

test('keeps the rate for any reservations of any callers, and grants none that is too late', () => {
  const request = fc.record({
    count: fc.integer({ min: 1, max: 20 }),
    afterMs: fc.integer({ min: 0, max: 500 }),
    patienceMs: fc.integer({ min: 0, max: 2_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(request, { maxLength: 30 }),
      fc.double({ min: 0.5, max: 500, noNaN: true }),
      (requests, requestsPerSecond) => {
        let next: number | undefined;
        let nowMs = 0;
        const slots: number[] = [];
        for (const { count, afterMs, patienceMs } of requests) {
          nowMs += afterMs;
          const latestAtMs = nowMs + patienceMs;
          const asked = { count, requestsPerSecond, earliestAtMs: nowMs, latestAtMs };
          const reserved = reserveSlots(next, asked);
          next = reserved.nextSlotAtMs;
          for (let index = 0; index < reserved.granted; index++) {
            const atMs = reserved.firstAtMs + index * reserved.intervalMs;
            expect(atMs).toBeGreaterThanOrEqual(nowMs);
            expect(atMs).toBeLessThanOrEqual(latestAtMs + 1e-6);
            slots.push(atMs);
          }
        }
        for (let index = 1; index < slots.length; index++) {
          const gapMs = (slots[index] ?? 0) - (slots[index - 1] ?? 0);
          expect(gapMs).toBeGreaterThanOrEqual(1000 / requestsPerSecond - 1e-6);
        }
      },
    ),
  );
});
