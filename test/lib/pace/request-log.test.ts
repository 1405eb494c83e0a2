import { expect, test } from '@jest/globals';
import { readBucket, readMeter } from '../../../lib/pace/meter.ts';
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

test('old bursts that are kept apart do not blur when the requests of the latest one were sent', () => {
  let log = logThrottled([], { atMs: NOW - 1_000, atOnce: 1, waitSeconds: 1 });
  for (let window = 0; window < MANY; window++) {
    const fromMs = NOW + window * 10_000;
    log = logAdmitted(log, fromMs, 1);
    for (let each = 1; each <= 130; each++) log = logAdmitted(log, fromMs + 400, each);
  }
  expect(log[0]?.throttle).toBeDefined();
  expect(log.length).toBeLessThan(MANY);
  // The first request of a window would seem to be followed by others soon.
  expect(Math.max(...log.map(({ fromMs, toMs }) => toMs - fromMs))).toBe(0);
});

/** A single request, and `requests` at the same time after its answer. */
function ramp(requests: number): RequestLog {
  let log = logAdmitted([], NOW, 1);
  for (let each = 1; each <= requests; each++) log = logAdmitted(log, NOW + 25, each);
  return log;
}

test('requests at the same time are not spread over the time before them', () => {
  // Alone it would be empty again after 5 ms.
  expect(readBucket(200, ramp(8), 0).reading.highest).toBe(8);
});

test('what others sent since the last look at them is spread, since its times are not known', () => {
  const log = logAdmitted(
    logAdmitted(logAdmitted([], NOW, 1), NOW + 10, 1, true),
    NOW + 10,
    1,
    true,
  );
  expect(log).toMatchObject([{ fromMs: NOW, toMs: NOW + 10, requests: 3 }]);
});

test('a long calm does not blur how many ran at the same time when one was throttled', () => {
  const throttled = logThrottled(ramp(8), { atMs: NOW + 25, atOnce: 9, waitSeconds: 1 });
  let log = throttled;
  for (let sent = 0; sent < 30 * MANY; sent++) {
    const atMs = NOW + 2_000 + sent * 20 + (sent % 7) * (sent % 3);
    log = logAdmitted(log, atMs, 1 + (sent % 8));
  }
  const line = { latencyMs: 20, jitterMs: 2 };
  const read = readMeter({ kind: 'at-once' }, log, line, 1);
  expect(log.length).toBeLessThan(MANY);
  expect(read.highest).toBe(8);
  expect(readBucket(200, log, 0).reading.throttled).toMatchObject([{ level: 9 }]);
});

test('a long calm does not blur how full a bucket was when one was throttled', () => {
  let log = logAdmitted([], NOW, 1);
  for (let round = 1; round <= 4; round++) {
    const most = 4 * 2 ** round;
    for (let each = 1; each <= most; each++) {
      log = logAdmitted(log, NOW + round * 160 + Math.floor((each * each) / 40), each);
    }
  }
  log = logThrottled(log, { atMs: NOW + 800, atOnce: 70, waitSeconds: 1 });
  const [before] = readBucket(100, log, 0).reading.throttled;
  for (let sent = 0; sent < 30 * MANY; sent++) {
    const round = Math.floor(sent / 20);
    log = logAdmitted(log, NOW + 2_000 + round * 200 + (sent % 20) * (1 + (round % 6)), 20);
  }
  expect(log.length).toBeLessThan(MANY);
  const [after] = readBucket(100, log, 0).reading.throttled;
  expect(after?.level).toBeCloseTo(before?.level ?? 0);
});

test('nothing was admitted as late as a throttle that came alone', () => {
  const single = logAdmitted([], NOW, 1);
  const throttled = logThrottled(single, { atMs: NOW + 200, atOnce: 1, waitSeconds: 1 });
  const log = logAdmitted(throttled, NOW + 1_300, 1);
  expect(log[0]).toMatchObject({ toMs: NOW, requests: 1, throttle: { atMs: NOW + 200 } });
});
