import { expect, test } from '@jest/globals';
import { likelyLimits } from '../../../lib/pace/likely-limits.ts';

const NOW = Date.UTC(2026, 0, 1);
const LINE = { latencyMs: 20, jitterMs: 2 };

/** Windows of so many requests, ten seconds each, with a throttle at the end of what each admits. */
function windowsOf(admitted: readonly number[]) {
  return admitted.map((requests, index) => {
    const fromMs = NOW + 500 + index * 10_000;
    const [toMs, atMs] = [fromMs + requests * 10, fromMs + requests * 10 + 10];
    const throttle = { atMs, againMs: atMs, tries: 1, waitSeconds: 10, atOnce: 1, behind: [] };
    return { fromMs, toMs, requests, atOnce: 1, throttle };
  });
}

test.each([
  { admitted: [10, 10, 9, 10], requests: 10 },
  { admitted: [9, 9, 10, 9], requests: 9 },
])(
  'keeps $requests in a window where $admitted were admitted: one may count in the next',
  (each) => {
    const { limits } = likelyLimits(windowsOf(each.admitted), LINE, 0);
    expect(limits).toMatchObject([{ periodMs: 10_000, requests: each.requests }]);
  },
);
