import { expect, test } from '@jest/globals';
import { retryAtMs } from '../../../lib/steps/retry-at.ts';

const NOW_MS = 50_000;

test.each([
  [0, 1_000, 2_000],
  [1, 2_000, 4_000],
  [8, 256_000, 512_000],
  [9, 450_000, 900_000],
  [1_000, 450_000, 900_000],
])('after %i failures in a row a try comes %i to %i ms later', (inRow, leastMs, mostMs) => {
  expect(retryAtMs(inRow, 0, NOW_MS)).toBe(NOW_MS + leastMs);
  expect(retryAtMs(inRow, 1, NOW_MS)).toBe(NOW_MS + mostMs);
});
