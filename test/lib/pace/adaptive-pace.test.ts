import { describe, expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import { limiterOf } from '../../../infra/simulator/rate-limit.ts';
import { AdaptivePace } from '../../../lib/pace/adaptive-pace.ts';
import { type GatePace, gatePaceText, parseGatePace } from '../../../lib/pace/gate-pace.ts';
import { NOTHING_LEARNED } from '../../../lib/pace/learned-pace.ts';
import type { Limit } from '../../../lib/pace/limit.ts';
import { plainLimit } from '../../../lib/pace/plain-limit.ts';

const NOW = Date.UTC(2026, 0, 1);

/** Sends one every `intervalMs`, admitted at once, each telling how many are left. */
function sendAll(pace: AdaptivePace, remaining: readonly number[], intervalMs = 10): number {
  let nowMs = NOW;
  for (const left of remaining) {
    pace.sent(nowMs).answered({
      kind: 'admitted',
      rateLimit: { quotas: [{ name: '', remaining: left, resetSeconds: 30 }] },
      atMs: nowMs,
    });
    nowMs += intervalMs;
  }
  return nowMs;
}

test('keeps no limit while none was met', () => {
  const pace = new AdaptivePace(undefined, 0);
  const nowMs = sendAll(pace, [9, 8, 7]);
  expect(pace.known).toMatchObject({ limit: 'none', learned: { limits: [] } });
  expect(pace.nextAtMs(nowMs)).toBe(nowMs);
});

test('counts as many at the same time as were admitted before the throttled one, whichever of them overtook it', () => {
  const pace = new AdaptivePace(undefined, 0);
  const answers = Array.from({ length: 8 }, () => pace.sent(NOW));
  for (const [index, answer] of answers.entries()) {
    if (index >= 5) answer.answered({ kind: 'admitted', atMs: NOW });
    else answer.answered({ kind: 'throttled', waitSeconds: 1, atMs: NOW });
  }
  expect(pace.known?.learned.log).toMatchObject([
    { requests: 3, atOnce: 3, throttle: { atOnce: 4, behind: [{ throttled: 4 }] } },
  ]);
});

test('waits for the reset when headers say that none is left, without being throttled', () => {
  const pace = new AdaptivePace(undefined, 0);
  const nowMs = sendAll(pace, [2, 1, 0]);
  expect(pace.nextAtMs(nowMs)).toBeGreaterThanOrEqual(NOW + 30_000);
});

test('measures no rate from answers that come within a millisecond', () => {
  const pace = new AdaptivePace(undefined, 0);
  sendAll(pace, [47, 46, 49], 0);
  expect(pace.requestsPerSecond).toBeUndefined();
});

test('does not believe a number that never goes down', () => {
  const pace = new AdaptivePace(undefined, 0);
  const nowMs = sendAll(pace, [0, 0, 0]);
  expect(pace.nextAtMs(nowMs)).toBe(nowMs);
});

test('a throttle is learned in the order of sending, whichever answer comes first', () => {
  const pace = new AdaptivePace(undefined, 0);
  const first = pace.sent(NOW);
  const second = pace.sent(NOW + 1);
  second.answered({ kind: 'throttled', waitSeconds: 60, atMs: NOW + 20 });
  expect(pace.known).toBeUndefined();
  first.answered({ kind: 'admitted', atMs: NOW + 30 });
  expect(pace.known?.learned.log).toMatchObject([
    { requests: 1, throttle: { atMs: NOW + 1, waitSeconds: 60, tries: 1 } },
  ]);
});

test('measures the jitter by answers that follow each other, not by the first one or one after a throttle', () => {
  const pace = new AdaptivePace(undefined, 0);
  pace.sent(NOW).answered({ kind: 'admitted', atMs: NOW + 20 });
  pace.sent(NOW + 100).answered({ kind: 'admitted', atMs: NOW + 130 });
  const before = pace.known?.learned.line.jitterMs ?? 0;
  pace.sent(NOW + 200).answered({ kind: 'throttled', waitSeconds: 1, atMs: NOW + 220 });
  pace.sent(NOW + 1_300).answered({ kind: 'admitted', atMs: NOW + 1_320 });
  expect(before).toBeGreaterThan(5);
  expect(pace.known?.learned.line.jitterMs).toBe(before);
});

test('requests that overtook a throttled one ran with it', () => {
  const pace = new AdaptivePace(undefined, 0);
  pace.sent(NOW).answered({ kind: 'admitted', atMs: NOW + 20 });
  pace.sent(NOW + 100).answered({ kind: 'admitted', atMs: NOW + 130 });
  const answers = Array.from({ length: 8 }, () => pace.sent(NOW + 200));
  for (const [index, answer] of answers.entries()) {
    const atMs = NOW + 220;
    answer.answered(
      index === 1 || index > 4
        ? { kind: 'throttled', waitSeconds: 1, atMs }
        : { kind: 'admitted', atMs },
    );
  }
  expect(pace.known?.learned.log.at(-1)?.throttle?.atOnce).toBe(5);
});

test('goes on where the step before has stopped, within a window that is used in part', () => {
  const before = new AdaptivePace(undefined, 0);
  for (let sent = 0; sent < 20; sent++)
    before.sent(NOW + sent).answered({ kind: 'admitted', atMs: NOW + sent });
  before.sent(NOW + 20).answered({ kind: 'throttled', waitSeconds: 60, atMs: NOW + 40 });
  const after = new AdaptivePace(again(before.known), 0);
  let nowMs = NOW + 60_100;
  for (let sent = 0; sent < 20; sent++) {
    expect(after.nextAtMs(nowMs)).toBe(nowMs);
    after.sent(nowMs).answered({ kind: 'admitted', atMs: nowMs });
    nowMs += 5;
  }
  after.sent(nowMs).answered({ kind: 'throttled', waitSeconds: 60, atMs: nowMs });
  const third = new AdaptivePace(again(after.known), 0);
  nowMs += 60_100;
  for (let sent = 0; sent < 20; sent++)
    third.sent(nowMs).answered({ kind: 'admitted', atMs: nowMs });
  expect(third.nextAtMs(nowMs)).toBeGreaterThan(nowMs + 58_000);
  expect(third.burstAtMs(nowMs)).toBe(third.nextAtMs(nowMs));
});

/** Knows a window of 20 requests, and when the API said that the next one opens. */
function knowingWindow(fromMs: number) {
  const pace = new AdaptivePace(undefined, 0);
  const sendWindow = (atMs: number) => {
    for (let sent = 0; sent < 20; sent++)
      pace.sent(atMs + sent).answered({ kind: 'admitted', atMs: atMs + sent });
  };
  sendWindow(fromMs);
  const refused = Array.from({ length: 8 }, () => pace.sent(fromMs + 20));
  for (const { answered } of refused)
    answered({ kind: 'throttled', waitSeconds: 60, atMs: fromMs + 40 });
  return { pace, sendWindow, openMs: fromMs + 61_000 };
}

test('sends the first request of a long window alone, and not where the API said that it is open now', () => {
  const { pace, sendWindow, openMs } = knowingWindow(NOW + 7_000);
  expect(pace.nextAtMs(openMs)).toBe(openMs);
  pace.sent(openMs);
  expect(pace.nextAtMs(openMs)).toBe(openMs);

  const other = knowingWindow(NOW + 7_000);
  sendWindow(openMs);
  other.sendWindow(openMs);
  const nextMs = other.pace.nextAtMs(openMs + 100);
  expect(nextMs).toBeGreaterThan(openMs + 59_000);
  const alone = other.pace.sent(nextMs);
  expect(other.pace.nextAtMs(nextMs)).toBeGreaterThan(nextMs);
  alone.answered({ kind: 'admitted', atMs: nextMs + 20 });
  expect(other.pace.nextAtMs(nextMs + 20)).toBe(nextMs + 20);
  other.pace.sent(nextMs + 20);
  expect(other.pace.nextAtMs(nextMs + 20)).toBe(nextMs + 20);
});

test('takes a window for one by our clock where it began and ends with it, else for a sliding one', () => {
  const kindOf = (fromMs: number) => knowingWindow(fromMs).pace.known?.learned.limits[0]?.kind;
  expect(kindOf(NOW)).toBe('clock');
  expect(kindOf(NOW + 7_000)).toBe('sliding');
});

test('is not held up by a wait that was noted under a clock that has been set back', () => {
  const before = new AdaptivePace(undefined, 0);
  before.sent(NOW).answered({ kind: 'throttled', waitSeconds: 1, atMs: NOW });
  const yesterdayMs = NOW - 24 * 3_600_000;
  expect(new AdaptivePace(again(before.known), 0).nextAtMs(yesterdayMs)).toBeLessThan(
    yesterdayMs + 60_000,
  );
});

test.each([
  { kind: 'bucket', perSecond: 1, burst: 1 },
  { kind: 'window', requests: 1, periodMs: 60_000 },
  { kind: 'sliding', requests: 1, periodMs: 60_000 },
] as const)(
  'is not held up by a $kind that was filled under a clock that has been set back',
  (limit) => {
    const before = new AdaptivePace(undefined, 0);
    before.sent(NOW).answered({ kind: 'admitted', atMs: NOW });
    const { known } = before;
    if (known === undefined) throw new Error('Nothing is known.');
    const learned = { ...known.learned, limits: [limit] };
    const pace = new AdaptivePace({ ...known, learned }, NOW);
    expect(pace.nextAtMs(NOW + 1)).toBeGreaterThan(NOW + 900);
    const hourAgoMs = NOW - 3_600_000;
    expect(pace.nextAtMs(hourAgoMs)).toBe(hourAgoMs);
    // From then on the limit is kept by the new clock.
    pace.sent(hourAgoMs).answered({ kind: 'admitted', atMs: hourAgoMs });
    const dueMs = pace.nextAtMs(hourAgoMs + 1);
    expect(dueMs).toBeGreaterThan(hourAgoMs + 900);
    expect(pace.nextAtMs(dueMs)).toBe(dueMs);
  },
);

test.each([
  { perSecond: 50, burst: 10, waitSeconds: 1, afterS: 64 * (1.12 - 10 / 50) },
  { perSecond: 20, burst: 10, waitSeconds: 1, afterS: 64 * (1.12 - 10 / 20) },
  { perSecond: 20, burst: 10, waitSeconds: 30, afterS: 64 * (30.12 - 10 / 20) },
  // It would not have lasted longer than the time before it: three times the burst, and what is throttled.
  { perSecond: 2, burst: 40, waitSeconds: 1, afterS: (3 * 41) / 2 },
])(
  'tries whether $perSecond/s, burst $burst has risen as soon as it may cost a throttle that asks for $waitSeconds s',
  ({ perSecond, burst, waitSeconds, afterS }) => {
    const throttle = { atMs: NOW, againMs: NOW, tries: 1, waitSeconds, atOnce: burst, behind: [] };
    const log = [{ fromMs: NOW, toMs: NOW, requests: burst, atOnce: burst, throttle }];
    const limits = [{ kind: 'bucket', perSecond, burst }] as const;
    const rateAfter = (calmMs: number) => {
      const learned = { ...NOTHING_LEARNED, log, limits, calmMs };
      const pace = new AdaptivePace({ v: 2, limit: 'bucket', learned }, NOW);
      pace.sent(NOW).answered({ kind: 'admitted', atMs: NOW + 20 });
      return pace.requestsPerSecond;
    };
    expect(rateAfter(afterS * 1000 - 1)).toBe(perSecond);
    expect(rateAfter(afterS * 1000 + 1)).toBe(perSecond * 2);
  },
);

test('counts the time for which it holds back requests as sending, and idle times not', () => {
  const limits = [{ kind: 'bucket', perSecond: 0.5, burst: 1 }] as const;
  const known = { v: 2, limit: 'bucket', learned: { ...NOTHING_LEARNED, limits } } as const;
  const pace = new AdaptivePace(known, 0);
  const calmAfter = (atMs: number) => {
    pace.sent(atMs).answered({ kind: 'admitted', atMs: atMs + 20 });
    return pace.known?.learned.calmMs;
  };
  expect(calmAfter(NOW)).toBe(0);
  expect(calmAfter(NOW + 2_020)).toBe(2_000);
  expect(calmAfter(NOW + 3_602_020)).toBe(4_000);
});

describe('of limits that let a request through once in a while only', () => {
  const slow = { kind: 'bucket', perSecond: 0.05, burst: 1 } as const;
  const hour = { kind: 'window', requests: 1_000, periodMs: 3_600_000 } as const;
  const throttle = { atMs: NOW, againMs: NOW, tries: 1, waitSeconds: 20, atOnce: 1, behind: [] };
  const log = [{ fromMs: NOW, toMs: NOW, requests: 1, atOnce: 1, throttle }];
  const dueAfter = (limits: readonly Limit[], steps: number) => {
    const learned = { ...NOTHING_LEARNED, log, limits, calmMs: 3_600_000 };
    let pace = new AdaptivePace({ v: 2, limit: 'bucket', learned }, 0);
    let nowMs = NOW + 60_000;
    const apartS: number[] = [];
    for (let step = 0; step < steps; step++) {
      pace.sent(nowMs).answered({ kind: 'admitted', atMs: nowMs + 20 });
      pace = new AdaptivePace(again(pace.known), 0);
      const dueMs = pace.nextAtMs(nowMs + 20);
      apartS.push(Math.round((dueMs - nowMs) / 1000));
      nowMs = dueMs;
    }
    return { apartS, limits: pace.known?.learned.limits };
  };

  test('a trial goes on in the next steps, until it has shown that the limit has risen', () => {
    const { apartS, limits } = dueAfter([slow], 11);
    expect(apartS).toEqual([...Array.from({ length: 10 }, () => 10), 0]);
    expect(limits).toEqual([]);
  });

  test('the one of two is tried that holds back most', () => {
    expect(dueAfter([slow, hour], 1).apartS).toEqual([10]);
  });

  test('a window of a single request is tried by half the time, as the bucket that it may be', () => {
    const one = { kind: 'sliding', requests: 1, periodMs: 20_000 } as const;
    expect(dueAfter([one], 11)).toEqual(dueAfter([slow], 11));
  });
});

test.each([
  ['tries more requests at the same time for five seconds after a minute without a throttle', 20],
  ['tries one more of a few requests at the same time as much more seldom', 5],
])('%s', (_, requests) => {
  const limits = [{ kind: 'at-once', requests }] as const;
  const line = { latencyMs: 100, jitterMs: 0 };
  const learned = { ...NOTHING_LEARNED, limits, line, calmMs: 80_000 };
  const pace = new AdaptivePace({ v: 2, limit: 'at-once', learned }, 0);
  let nowMs = NOW;
  const most = () => {
    const asked = Array.from({ length: 40 }, () => {
      nowMs += 5;
      return pace.nextAtMs(nowMs) <= nowMs ? [pace.sent(nowMs)] : [];
    }).flat();
    nowMs += 100;
    for (const { answered } of asked) answered({ kind: 'admitted', atMs: nowMs });
    return asked.length;
  };
  const isTried = requests === 20;
  expect([most(), most()]).toEqual(isTried ? [20, 21] : [5, 5]);
  const rounds = Array.from({ length: 50 }, most);
  expect(rounds.some((count) => count > requests + 1)).toBe(isTried);
});

describe('a window that may have risen', () => {
  const limit = { kind: 'window', periodMs: 5_000, requests: 20 } as const;
  const throttle = { atMs: NOW, againMs: NOW, tries: 1, waitSeconds: 5, atOnce: 20, behind: [] };
  const stretch = { fromMs: NOW, toMs: NOW, requests: 20, atOnce: 20, throttle };
  const learned = { ...NOTHING_LEARNED, log: [stretch], limits: [limit], calmMs: 64_001 };
  const known = { v: 2, limit: 'window', learned } as const;
  const admit = (pace: AdaptivePace, atMs: number) =>
    pace.sent(atMs).answered({ kind: 'admitted', atMs: atMs + 20 });
  const admitMany = (pace: AdaptivePace, count: number, atMs: number) => {
    for (let sent = 0; sent < count; sent++) admit(pace, atMs);
  };

  test('is tried for more and more in one step after the other, and forgotten where that is admitted', () => {
    const nowMs = NOW + 5_200;
    let pace = new AdaptivePace(known, 0);
    const tried = [20, 1, 4, 16].map((count) => {
      expect(pace.nextAtMs(nowMs)).toBe(nowMs);
      admitMany(pace, count, nowMs);
      pace = new AdaptivePace(again(pace.known), 0);
      return [pace.known?.learned.limits[0], plainLimit(pace.known)];
    });
    const of = (requests: number, kept: number) => [
      { ...limit, requests },
      { ...limit, requests: kept },
    ];
    expect(tried).toEqual([of(21, 20), of(25, 21), of(41, 25), [undefined, undefined]]);
    expect(pace.known?.learned.trialAfterMs).toBe(64_000);
  });

  test.each([1, 5])(
    'is tried at its end: until then a wait of %d s would be lost',
    (waitSeconds) => {
      const asked = { ...stretch, throttle: { ...throttle, waitSeconds } };
      const pace = new AdaptivePace({ ...known, learned: { ...learned, log: [asked] } }, 0);
      admitMany(pace, 19, NOW + 5_200);
      expect(pace.known?.learned).toMatchObject({ limits: [limit] });
      admitMany(pace, 1, NOW + 5_200);
      expect(pace.known?.learned).toMatchObject({ limits: [{ requests: 21 }], shared: limit });
    },
  );

  test('is taken for as many as were admitted of a trial, and a throttle for the end of those', () => {
    const nowMs = NOW + 5_200;
    const pace = new AdaptivePace(known, 0);
    admitMany(pace, 23, nowMs);
    pace.sent(nowMs).answered({ kind: 'throttled', waitSeconds: 5, atMs: nowMs + 20 });
    const risen = { ...limit, requests: 23 };
    expect(pace.known?.learned).toMatchObject({ limits: [risen], shared: undefined });
    expect(pace.nextAtMs(nowMs + 20)).toBeGreaterThan(nowMs + 5_000);
  });

  test('is kept as it was, and tried later, where the request above it is throttled', () => {
    const pace = new AdaptivePace(known, 0);
    const nowMs = NOW + 5_200;
    admitMany(pace, 20, nowMs);
    pace.sent(nowMs).answered({ kind: 'throttled', waitSeconds: 5, atMs: nowMs + 20 });
    const kept = { limits: [limit], trialAfterMs: 128_000, calmMs: 0, shared: undefined };
    expect(pace.known?.learned).toMatchObject(kept);
    expect(pace.nextAtMs(nowMs + 20)).toBeGreaterThan(nowMs + 5_000);
  });

  test('has not risen by what two windows admit together', () => {
    const pace = new AdaptivePace(known, 0);
    admitMany(pace, 20, NOW + 5_200);
    for (let count = 0; count < 300; count++) admit(pace, NOW + 10_400 + count * 235);
    expect(pace.known?.learned).toMatchObject({ limits: [{ requests: 21 }], shared: limit });
  });
});

describe('among others', () => {
  const limit = { kind: 'bucket', perSecond: 20, burst: 10 } as const;
  const throttle = { atMs: NOW, againMs: NOW, tries: 1, waitSeconds: 1, atOnce: 10, behind: [] };
  const log = [{ fromMs: NOW, toMs: NOW, requests: 10, atOnce: 10, throttle }];
  const paceAfter = (calmMs: number) => {
    const learned = { ...NOTHING_LEARNED, log, limits: [limit], calmMs };
    return new AdaptivePace({ v: 2, limit: 'bucket', learned }, NOW + 60_000);
  };
  const admitOne = (pace: AdaptivePace, nowMs: number) =>
    pace.sent(nowMs).answered({ kind: 'admitted', atMs: nowMs + 20 });

  test('a trial is later: what the burst makes up for is of no use to others', () => {
    const rateAfter = (calmMs: number) => {
      const pace = paceAfter(calmMs);
      pace.spentElsewhere(1, NOW + 60_000);
      admitOne(pace, NOW + 60_050);
      return pace.limit;
    };
    expect(rateAfter(64 * 1_120 - 60)).toMatchObject({ requestsPerSecond: 20 });
    expect(rateAfter(64 * 1_120)).toMatchObject({ requestsPerSecond: 40 });
  });

  test('a trial fails when another caller is throttled', () => {
    const pace = paceAfter(80_000);
    admitOne(pace, NOW + 60_050);
    expect(pace.limit).toMatchObject({ requestsPerSecond: 40 });
    pace.throttledElsewhere();
    expect(pace.limit).toEqual({ kind: 'bucket', requestsPerSecond: 20, burst: 10 });
    expect(pace.known?.learned).toMatchObject({ trialAfterMs: 128_000, calmMs: 0 });
    // Without a trial it may have any cause.
    pace.throttledElsewhere();
    expect(pace.known?.learned).toMatchObject({ trialAfterMs: 128_000 });
  });

  test('a trial in which all together send no more than the limit shows nothing, and with others it does sooner', () => {
    const sentUntilShown = (everyMs: number, others: number) => {
      const pace = paceAfter(80_000);
      for (let count = 0; count < 200; count++) {
        if (pace.known?.learned.limits.length === 0) return count;
        const nowMs = NOW + 60_000 + count * everyMs;
        if (count % 2 === 1 && others > 0) pace.spentElsewhere(others, nowMs);
        admitOne(pace, nowMs);
      }
      return undefined;
    };
    expect(sentUntilShown(50, 0)).toBeUndefined();
    const alone = sentUntilShown(25, 0) ?? 0;
    expect(alone).toBeGreaterThan(60);
    expect(sentUntilShown(25, 2)).toBeLessThan(alone * 0.6);
  });

  test('that a limit has risen is told to the next step, though nothing else is known yet', () => {
    const pace = paceAfter(80_000);
    for (let count = 0; count < 200 && pace.limit !== undefined; count++) {
      admitOne(pace, NOW + 60_000 + 25 * count);
    }
    expect(pace.known).toMatchObject({ limit: 'none', learned: { log: [], limits: [] } });
  });

  test('requests of others are learned in the order of sending', () => {
    const pace = paceAfter(0);
    const first = pace.sent(NOW + 60_000);
    pace.spentElsewhere(2, NOW + 60_010);
    expect(pace.known?.learned.log).toHaveLength(1);
    first.answered({ kind: 'admitted', atMs: NOW + 60_040 });
    expect(pace.known?.learned.log.at(-1)).toMatchObject({
      ...{ fromMs: NOW + 60_000, toMs: NOW + 60_010, requests: 3 },
    });
  });

  test('others keep the likely limit while the export tries a higher one', () => {
    const shared = { kind: 'bucket', perSecond: 20, burst: 10 } as const;
    const limits = [{ kind: 'bucket', perSecond: 28, burst: 1.5 }] as const;
    const learned = { ...NOTHING_LEARNED, log, limits, shared };
    const known = again({ v: 2, limit: 'bucket', learned });
    const likely = { kind: 'bucket', requestsPerSecond: 20, burst: 10 };
    expect(plainLimit(known)).toEqual(likely);
    const pace = new AdaptivePace(known, 0);
    expect([pace.limit, pace.requestsPerSecond]).toEqual([likely, 28]);
  });
});

test.each(['', '{}', '{"v":1}', '[', '{"v":2,"limit":"bucket","learned":{"log":"x"}}'])(
  'takes %j in the gate for nothing learned',
  (text) => {
    expect(parseGatePace(text)).toBeUndefined();
  },
);

test('keeps six stated limits beside a full log below 4 KB, and reads them again', () => {
  const pace = new AdaptivePace(undefined, 0);
  sendAll(pace, [9]);
  const { known } = pace;
  if (known === undefined) throw new Error('Nothing is known.');
  const log = Array.from({ length: 60 }, (_, index) => ({
    fromMs: NOW + index * 61_234,
    toMs: NOW + index * 61_234 + 54_321,
    requests: 1_234,
    atOnce: 234,
    ...(index % 3 === 0 && {
      throttle: {
        ...{ atMs: NOW + index * 61_234 + 60_001, againMs: NOW + index * 61_234 + 60_001 },
        ...{ tries: 1, waitSeconds: 60, atOnce: 234 },
        behind: [{ admitted: 12, throttled: 222, afterMs: 151 }],
      },
    }),
  }));
  const meters = Array.from({ length: 6 }, (_, index) => ({
    name: `${index}`.padEnd(40, 'n'),
    ...{ requests: 36_000, windowMs: 3_600_000, perMs: 0.01, isShown: true, full: 35_999 },
    ...{ left: 12_345.6, atMs: NOW, backAtMs: NOW + 3_599_999 },
  }));
  const stated = { meters, patienceMs: 120_000, heldMs: 0, heldFromMs: 0 };
  const full = { ...known, learned: { ...known.learned, log }, stated };

  // A log with more throttles is longer.
  expect(gatePaceText(full).length).toBeLessThan(3_500);
  expect(again(full)).toEqual(full);
});

test('keeps by how much windows end later than by our clock, of one that is tried too', () => {
  const tried = { kind: 'clock', requests: 100, periodMs: 10_000, laterMs: 2_500 } as const;
  const limits = [tried, { ...tried, kind: 'sliding', tried }] as const;
  const known = { v: 2, limit: 'window', learned: { ...NOTHING_LEARNED, limits } } as const;
  expect(again(known)).toEqual(known);
});

function again(known: GatePace | undefined): GatePace | undefined {
  return known === undefined ? undefined : parseGatePace(gatePaceText(known));
}

/** Sends one every 10 ms, and waits for a second behind each that is throttled. */
function isByChanceAfter(isThrottled: (number: number, nowMs: number) => boolean, requests = 400) {
  const pace = new AdaptivePace(undefined, 0);
  let nowMs = NOW;
  for (let number = 1; number <= requests; number++) {
    nowMs = Math.max(nowMs + 10, pace.nextAtMs(nowMs + 10));
    const { answered } = pace.sent(nowMs);
    if (isThrottled(number, nowMs))
      answered({ kind: 'throttled', waitSeconds: 1, atMs: nowMs + 5 });
    else answered({ kind: 'admitted', atMs: nowMs + 5 });
  }
  return pace.isByChance;
}

test('says that throttles come by chance where they do, and not of a limit or before the first', () => {
  const random = randomOf(3);
  const ask = limiterOf({ kind: 'token-bucket', ratePerSecond: 20, burst: 5 });
  expect(isByChanceAfter(() => random() < 0.1)).toBe(true);
  expect(isByChanceAfter((_, nowMs) => ask(nowMs).kind === 'throttled')).toBe(false);
  expect(isByChanceAfter(() => false)).toBe(false);
  // One may have any cause, though no pace is kept for it yet.
  expect(isByChanceAfter((number) => number === 17, 17)).toBe(false);
});
