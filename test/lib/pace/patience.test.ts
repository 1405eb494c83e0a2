import { expect, test } from '@jest/globals';
import { afterThrottle, endsAtMs, held, NEW_PATIENCE } from '../../../lib/pace/patience.ts';

test('what is held back counts from its first moment on, and in all', () => {
  const first = held(held(NEW_PATIENCE, 1_000, true), 5_000, true);
  expect(endsAtMs(first)).toBe(121_000);
  const again = held(held(first, 41_000, false), 50_000, true);
  expect(endsAtMs(again)).toBe(130_000);
  expect(held(again, 60_000, false)).toMatchObject({ heldMs: 50_000, heldFromMs: 0 });
});

test('each throttle makes patient anew, and for twice as long, up to an hour', () => {
  const throttled = afterThrottle({ ...NEW_PATIENCE, heldMs: 50_000 });
  expect(throttled).toMatchObject({ patienceMs: 240_000, heldMs: 0 });
  const often = Array.from({ length: 10 }).reduce(afterThrottle, throttled);
  expect(often).toMatchObject({ patienceMs: 3_600_000 });
});
