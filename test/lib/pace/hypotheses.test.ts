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

test('takes for the end of windows by another clock what all waits tell that are rounded up to seconds', () => {
  const log = [
    { atMs: 400, waitSeconds: 3 },
    { atMs: 3_900, waitSeconds: 10 },
    { atMs: 14_200, waitSeconds: 9 },
  ].reduce<RequestLog>((before, { atMs, waitSeconds }) => {
    const [fromMs, throttledMs] = [NOW + atMs - 300, NOW + atMs];
    const admitted = [0, 50, 100].reduce((all, ms) => logAdmitted(all, fromMs + ms, 1), before);
    return logThrottled(admitted, { atMs: throttledMs, atOnce: 1, waitSeconds });
  }, []);

  const [likeliest] = weigh(log, LINE).toSorted((a, b) => b.weight - a.weight);

  // After the second one, which says more than 2.9 s, and not after the third one, which says 3.2 s at most.
  const meter = likeliest?.meter;
  expect(meter).toMatchObject({ kind: 'clock', periodMs: 10_000 });
  const laterMs = meter?.kind === 'clock' ? (meter.laterMs ?? 0) : 0;
  expect(laterMs).toBeGreaterThan(2_900);
  expect(laterMs).toBeLessThanOrEqual(3_200 + LINE.latencyMs / 2);
});

test('finds the end of windows of a second by another clock in how many they admit: each wait is a second', () => {
  const END_MS = 430;
  const windowOf = (atMs: number) => Math.floor((atMs - END_MS) / 1_000);
  let log: RequestLog = [];
  for (let fromMs = 1_000; fromMs < 8_000; fromMs += 1_270) {
    const used = new Map<number, number>();
    let atMs = fromMs;
    for (; (used.get(windowOf(atMs)) ?? 0) < 10; atMs += 25) {
      used.set(windowOf(atMs), 1 + (used.get(windowOf(atMs)) ?? 0));
      log = logAdmitted(log, NOW + atMs - LINE.latencyMs / 2, 1);
    }
    log = logThrottled(log, { atMs: NOW + atMs - LINE.latencyMs / 2, atOnce: 1, waitSeconds: 1 });
  }

  const [likeliest] = weigh(log, LINE).toSorted((a, b) => b.weight - a.weight);

  const meter = likeliest?.meter;
  expect(meter).toMatchObject({ kind: 'clock', periodMs: 1_000 });
  const laterMs = meter?.kind === 'clock' ? (meter.laterMs ?? 0) : 0;
  expect(Math.abs(laterMs - END_MS)).toBeLessThan(50);
});

test('an API that always asks for the whole window is likelier than one that asks for any other wait', () => {
  // Two of ten seconds are left.
  const windows = weigh(throttledAfter(8_000, 10), LINE).filter(
    ({ meter }) => meter?.kind === 'window',
  );
  const weightOf = (seconds: number) =>
    windows.find(({ meter }) => meter && 'periodMs' in meter && meter.periodMs === seconds * 1_000)
      ?.weight ?? 0;

  // One whose rest is the wait is likelier still.
  expect(weightOf(10)).toBeLessThan(weightOf(18));
  expect(weightOf(10)).toBeGreaterThan(weightOf(18) / 50);
});
