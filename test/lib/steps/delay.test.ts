import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { delaySecondsUntil } from '../../../lib/steps/delay.ts';

/** ECMAScript's latest time. */
const MAX_TIME_MS = 8.64e15;

test('delays by whole seconds from 0 to 900, never too little within that', () => {
  // Whole, as clocks tell them: added to a date, a part of a millisecond is lost to rounding.
  const timeMs = fc.integer({ min: -MAX_TIME_MS, max: MAX_TIME_MS });
  fc.assert(
    fc.property(timeMs, timeMs, (nowMs, atMs) => {
      const seconds = delaySecondsUntil(atMs, nowMs);
      expect(Number.isInteger(seconds) && seconds >= 0 && seconds <= 900).toBe(true);
      if (seconds < 900) expect(nowMs + seconds * 1000).toBeGreaterThanOrEqual(atMs);
    }),
  );
});
