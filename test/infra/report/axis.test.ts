import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countAxis, elapsedText, timeAxis } from '../../../infra/report/axis.ts';

test.each([
  [233, 4, [0, 100, 200, 300]],
  [1, 4, [0, 1]],
  [0, 4, [0, 1]],
  [40, 4, [0, 10, 20, 30, 40]],
  [9_999, 5, [0, 2_000, 4_000, 6_000, 8_000, 10_000]],
])('marks counts up to %d in at most %d steps that people count in', (highest, ticks, expected) => {
  expect(countAxis(highest, ticks)).toEqual({ ticks: expected, max: expected.at(-1) });
});

test('an axis reaches the highest value, with no more marks than there is room for', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: 2, max: 9 }), (highest, maxTicks) => {
      const { ticks, max } = countAxis(highest, maxTicks);
      expect(max).toBeGreaterThanOrEqual(highest);
      expect(ticks.length).toBeLessThanOrEqual(maxTicks + 1);
      expect([ticks[0], ticks.at(-1)]).toEqual([0, max]);
      const time = timeAxis(highest, maxTicks);
      expect(time.ticks.length).toBeLessThanOrEqual(maxTicks + 1);
      expect(time.ticks.at(-1)).toBeLessThanOrEqual(time.max);
    }),
  );
});

test('writes elapsed times as clocks do', () => {
  const times = [0, 7_000, 750_000, 3_600_000, 90_061_000].map(elapsedText);
  expect(times).toEqual(['0:00', '0:07', '12:30', '1:00:00', '25:01:01']);
});
