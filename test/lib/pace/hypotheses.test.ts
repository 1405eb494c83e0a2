import { expect, test } from '@jest/globals';
import { weigh } from '../../../lib/pace/hypotheses.ts';
import { logAdmitted, logThrottled, type RequestLog } from '../../../lib/pace/request-log.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const LINE = { latencyMs: 20, jitterMs: 2 };

/** Three requests, and a throttle so long after the first one. */
function throttledAfter(afterMs: number, waitSeconds: number): RequestLog {
  const admitted = [0, 100, 200].reduce<RequestLog>((log, ms) => logAdmitted(log, NOW + ms, 1), []);
  return logThrottled(admitted, { atMs: NOW + afterMs, atOnce: 1, waitSeconds });
}

test.each([
  { after: 'some seconds', afterMs: 6_000, waitSeconds: 31, isThere: true },
  { after: 'hours', afterMs: DAY_MS / 3, waitSeconds: 3_601, isThere: true },
  {
    after: 'days, as a wrong clock shows them',
    afterMs: 3 * DAY_MS,
    waitSeconds: 60,
    isThere: false,
  },
])('takes the time to the end of a wait for a window: $after', (each) => {
  const log = throttledAfter(each.afterMs, each.waitSeconds);
  const periodMs = each.afterMs + each.waitSeconds * 1_000;

  const windows = weigh(log, LINE).flatMap(({ meter }) =>
    meter !== undefined && 'periodMs' in meter ? meter.periodMs : [],
  );

  expect(windows.some((ms) => Math.abs(ms - periodMs) < 2_000)).toBe(each.isThere);
  expect(Math.max(...windows)).toBeLessThanOrEqual(DAY_MS);
});
