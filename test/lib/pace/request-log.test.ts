import { expect, test } from '@jest/globals';
import { logAdmitted, logThrottled, type RequestLog } from '../../../lib/pace/request-log.ts';

const NOW = Date.UTC(2026, 0, 1);
const MANY = 100;

/** Ten at the same time, `everyMs` after each other, and a single one so long after each ten. */
function bursts(log: RequestLog, everyMs: number, singlesAfterMs: readonly number[]): RequestLog {
  let sent = log;
  for (let burst = 0; burst < MANY; burst++) {
    const fromMs = NOW + burst * everyMs;
    for (let each = 0; each < 10; each++) sent = logAdmitted(sent, fromMs + each, 1 + each);
    for (const afterMs of singlesAfterMs) sent = logAdmitted(sent, fromMs + afterMs, 1);
  }
  return sent;
}

test('a throttle is kept longer than the calm after it', () => {
  const atMs = NOW - 1_000;
  const throttled = logThrottled(logAdmitted([], atMs - 10, 1), {
    atMs,
    atOnce: 2,
    waitSeconds: 1,
  });
  const log = bursts(throttled, 1_000, []);
  expect(log[0]).toMatchObject({ requests: 1, throttle: { atMs } });
  expect(log.length).toBeLessThan(MANY);
  expect(log.at(-1)?.toMs).toBe(NOW + (MANY - 1) * 1_000 + 9);
});

test('a pause between two single requests is no time in which requests before them were sent', () => {
  const log = bursts([], 2_000, [400, 1_400]);
  const longest = Math.max(
    ...log.filter(({ requests }) => requests > 2).map(({ fromMs, toMs }) => toMs - fromMs),
  );
  expect(longest).toBe(9);
});
