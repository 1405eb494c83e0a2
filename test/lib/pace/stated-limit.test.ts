import { expect, test } from '@jest/globals';
import { readThrottle } from '../../../lib/customers-api/throttle-wait.ts';
import { AdaptivePace } from '../../../lib/pace/adaptive-pace.ts';
import { gatePaceText, parseGatePace } from '../../../lib/pace/gate-pace.ts';
import type { Answered } from '../../../lib/pace/pacer.ts';
import { limitFor } from '../../../lib/pace/plain-limit.ts';
import { StatedLimit } from '../../../lib/pace/stated-limit.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

type Told = Record<string, string>;

interface Api {
  readonly told: (number: number, nowMs: number) => Told;
  /** Seconds to wait of a throttled request. */
  readonly waitSeconds?: (number: number, nowMs: number) => number | undefined;
}

/** Sends one request after the other, each as soon as it is due. */
function send(api: Api, requests: number, pace = new AdaptivePace(undefined, 0), fromMs = NOW) {
  let nowMs = fromMs;
  let throttled = 0;
  const sentAtMs: number[] = [];
  for (let admitted = 0; admitted < requests; ) {
    nowMs = pace.nextAtMs(nowMs);
    const { answered } = pace.sent(nowMs);
    sentAtMs.push(nowMs);
    nowMs += 20;
    const headers = new Headers(api.told(sentAtMs.length, nowMs));
    const { rateLimit } = readThrottle(headers, nowMs, () => false);
    const waitSeconds = api.waitSeconds?.(sentAtMs.length, nowMs);
    if (waitSeconds === undefined) admitted++;
    else throttled++;
    const answer: Answered =
      waitSeconds === undefined
        ? { kind: 'admitted', atMs: nowMs, rateLimit }
        : { kind: 'throttled', atMs: nowMs, rateLimit, waitSeconds };
    answered(answer);
  }
  return { pace, sentAtMs, throttled, tookMs: nowMs - fromMs, nowMs };
}

function mostIn(windowMs: number, sentAtMs: readonly number[]): number {
  const counts = sentAtMs.map(
    (fromMs) => sentAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + windowMs).length,
  );
  return Math.max(...counts);
}

/** No more than so many requests in any time of that length. */
function sliding(requests: number, windowMs: number) {
  const admittedAtMs: number[] = [];
  return (_: number, nowMs: number) => {
    const restMs = (admittedAtMs.at(-requests) ?? 0) + windowMs - nowMs;
    if (restMs > 0) return Math.ceil(restMs / 1000);
    admittedAtMs.push(nowMs);
    return undefined;
  };
}

test.each([
  ['a policy of draft 8', { 'RateLimit-Policy': '"a";q=10;w=60' }],
  ['a policy of draft 7', { 'RateLimit-Policy': '10;w=60' }],
  ['a limit of draft 6', { 'RateLimit-Limit': '10, 10;w=60' }],
])('believes %s at once, though no header says what is left', (_title, headers) => {
  const api = { told: () => headers, waitSeconds: sliding(10, 60_000) };
  const { sentAtMs, throttled } = send(api, 20);
  expect(throttled).toBe(0);
  expect(mostIn(60_000, sentAtMs)).toBe(10);
  expect(sentAtMs[9]).toBeLessThan(NOW + 1_000);
  expect(sentAtMs[10]).toBeLessThan(NOW + 61_000);
  // After two minutes of holding back it is asked whether the limit is still there.
  const { throttled: asked, tookMs } = send({ ...api, waitSeconds: sliding(10, 60_000) }, 50);
  expect(asked).toBeLessThanOrEqual(1);
  expect(tookMs).toBeLessThan(1.05 * 240_000);
});

test('keeps all policies that are stated', () => {
  const told = () => ({ 'RateLimit-Policy': '"a";q=5;w=1, "b";q=20;w=40' });
  const { sentAtMs } = send({ told }, 40);
  expect(mostIn(1_000, sentAtMs)).toBe(5);
  expect(sentAtMs.filter((atMs) => atMs < NOW + 40_000)).toHaveLength(20);
});

test('takes a policy whose window is throttled before its end for a bucket with its rate', () => {
  let tokens = 10;
  let filledAtMs = NOW;
  const waitSeconds = (_: number, nowMs: number) => {
    tokens = Math.min(10, tokens + ((nowMs - filledAtMs) / 1000) * 20);
    filledAtMs = nowMs;
    if (tokens < 1) return 1;
    tokens--;
    return undefined;
  };
  const told = () => ({ 'RateLimit-Policy': '"a";q=1200;w=60' });
  const { pace, throttled, tookMs } = send({ told, waitSeconds }, 1_000);
  expect(pace.requestsPerSecond).toBeCloseTo(20);
  expect(throttled).toBeLessThan(3);
  expect(tookMs).toBeLessThan(1.05 * 50_000);
});

test.each([
  ['a policy far below what is admitted', () => ({ 'RateLimit-Policy': '"a";q=1;w=86400' })],
  [
    'policies with another name each time',
    (number: number) => ({ 'RateLimit-Policy': `"${number}";q=1;w=86400` }),
  ],
  [
    'a number that goes down once and stays at none',
    (number: number) => ({ RateLimit: `"a";r=${number < 3 ? 3 - number : 0};t=3000` }),
  ],
  [
    'no room beside a single request',
    () => ({ 'RateLimit-Policy': '"a";q=1;qu="concurrent-requests"' }),
  ],
  ['a reset in a thousand years', () => ({ RateLimit: '"a";r=0;t=31536000000' })],
  [
    'nothing left for ten years',
    () => ({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': `${NOW / 1000 + 315_360_000}`,
    }),
  ],
  [
    'a policy of ten years that is used up',
    () => ({ 'RateLimit-Policy': '"a";q=100;w=315360000', RateLimit: '"a";r=0;t=315360000' }),
  ],
])('%s slows nothing down for ever', (_title, told) => {
  const first = send({ told }, 300);
  expect(first.tookMs).toBeLessThan(250_000);
  // Nor does it in another step.
  const { known } = first.pace;
  const again = new AdaptivePace(
    known === undefined ? undefined : parseGatePace(gatePaceText(known)),
    0,
  );
  expect(send({ told }, 300, again, first.nowMs).tookMs).toBe(300 * 20);
  expect(again.requestsPerSecond).toBeUndefined();
});

test.each([
  ['no request in a minute', { 'RateLimit-Policy': '"a";q=0;w=60' }],
  ['a window of nothing', { 'RateLimit-Policy': '"a";q=1;w=0' }],
  ['bytes', { 'RateLimit-Policy': '"a";q=1;w=60;qu="content-bytes"' }],
  ['a negative number', { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '-1' }],
  ['more than 1,000 characters', { 'RateLimit-Policy': `"${'a'.repeat(1_000)}";q=1;w=60` }],
  [
    'thousands of policies',
    { 'RateLimit-Policy': Array.from({ length: 5_000 }, (_, n) => `"${n}";q=1;w=60`).join(', ') },
  ],
])('%s holds nothing back', (_title, headers) => {
  expect(send({ told: () => headers }, 100).tookMs).toBe(100 * 20);
});

test('keeps a stated number of requests at the same time', () => {
  const pace = new AdaptivePace(undefined, 0);
  const quotas = [{ name: 'a', requests: 2, isAtOnce: true as const }];
  pace.sent(NOW).answered({ kind: 'admitted', atMs: NOW + 20, rateLimit: { quotas } });
  const first = pace.sent(NOW + 20);
  expect(pace.nextAtMs(NOW + 20)).toBe(NOW + 20);
  pace.sent(NOW + 20);
  expect(pace.nextAtMs(NOW + 30)).toBeGreaterThan(NOW + 30);
  first.answered({ kind: 'admitted', atMs: NOW + 40, rateLimit: { quotas } });
  expect(pace.nextAtMs(NOW + 40)).toBe(NOW + 40);
  // More are told later.
  const third = pace.sent(NOW + 40);
  pace.sent(NOW + 40);
  const more = [{ name: 'a', requests: 4, isAtOnce: true as const }];
  third.answered({ kind: 'admitted', atMs: NOW + 50, rateLimit: { quotas: more } });
  expect(pace.nextAtMs(NOW + 50)).toBe(NOW + 50);
});

test('keeps six limits at most, the first ones', () => {
  const told = (number: number) => ({ 'RateLimit-Policy': `"${number}";q=1000;w=1` });
  const names = send({ told }, 10).pace.known?.stated?.meters.map(({ name }) => name);
  expect(names).toEqual(['1', '2', '3', '4', '5', '6']);
});

test('requests of a bucket without a burst keep apart by what they may overtake each other', () => {
  const meter = { name: 'a', requests: 50, windowMs: 1_000, perMs: 0.05, isShown: true, full: 1 };
  const meters = [{ ...meter, left: 1, atMs: NOW, backAtMs: 0 }];
  const stated = { meters, patienceMs: 120_000, heldMs: 0, heldFromMs: 0 };
  const limit = new StatedLimit(stated, 10);
  const answer = sentBy(limit, NOW);
  expect(limit.dueAtMs(NOW, 1)).toBe(NOW + 20 + 15);
  // Few answers have shown how much they differ: so does a share of the latency.
  const answered = { kind: 'admitted', atMs: NOW + 100 } as const;
  answer(answered, 10);
  expect(limit.dueAtMs(NOW, 0)).toBe(NOW + 20 + 15 + 30);
});

/** A request that is sent then. */
function sentBy(limit: StatedLimit, nowMs: number, others = 0) {
  const isTry = limit.send(nowMs, others);
  const sent = { number: limit.spend(nowMs), atMs: nowMs, isTry, underWay: 0 };
  return (answered: Answered, jitterMs = 0) => limit.answered(answered, sent, jitterMs);
}

/** A limit of which one answer was told. */
function toldOnce(remaining: number | undefined, kind: 'admitted' | 'throttled' = 'admitted') {
  const limit = new StatedLimit();
  const answer = sentBy(limit, NOW);
  const quota = { name: '5', requests: 5, ...(remaining === undefined ? {} : { remaining }) };
  const answered = { kind, atMs: NOW, waitSeconds: 1, rateLimit: { quotas: [quota] } };
  answer(answered);
  return limit;
}

test('without an end of its window one request at a time asks whether it has come', () => {
  const limit = toldOnce(0);
  expect(limit.dueAtMs(NOW + 10, 1)).toBe(NOW + 60);
  expect(limit.dueAtMs(NOW + 10, 0)).toBe(NOW + 10);
});

test('a throttled answer tells nothing of what its request has taken', () => {
  expect(toldOnce(3, 'admitted').known).toMatchObject({ meters: [{ full: 4 }] });
  expect(toldOnce(3, 'throttled').known).toMatchObject({ meters: [{ full: 0 }] });
});

test('a header that says that something is left makes patient anew', () => {
  for (const [remaining, heldMs] of [
    [0, 50_000],
    [3, 0],
  ] as const) {
    const limit = toldOnce(0);
    limit.dueAtMs(NOW, 1);
    limit.dueAtMs(NOW + 50_000, 0);
    const answer = sentBy(limit, NOW + 50_000);
    const rateLimit = { quotas: [{ name: '5', requests: 5, remaining }] };
    const answered = { kind: 'admitted', atMs: NOW + 50_000, rateLimit } as const;
    answer(answered);
    expect(limit.known?.heldMs).toBe(heldMs);
  }
});

test('what was under way with a throttle counts once', () => {
  const limit = new StatedLimit();
  const rateLimit = { quotas: [{ name: 'a', requests: 100, windowSeconds: 10 }] };
  const answer = sentBy(limit, NOW);
  answer({ kind: 'admitted', atMs: NOW, rateLimit });
  const others = Array.from({ length: 20 }, (_, each) => sentBy(limit, NOW, each));
  // Without a wait one of a second is taken.
  const throttled = { kind: 'throttled', atMs: NOW + 20, waitSeconds: undefined } as const;
  for (const other of others.slice(10, 13)) expect(other(throttled)).toBe(true);
  expect(limit.known).toMatchObject({ meters: [{ full: 6 }], patienceMs: 240_000 });
  expect(limit.known?.meters[0]?.backAtMs).toBe(NOW + 1_020);
});

test.each([
  ['is halved when the request that went out all the same was admitted', undefined, 60_000],
  ['stays when its answer says that something is left', 5, 120_000],
])('patience %s', (_title, remaining, patienceMs) => {
  const limit = new StatedLimit();
  for (const left of [undefined, remaining]) {
    const answer = sentBy(limit, NOW);
    const quota = { name: 'a', requests: 1, windowSeconds: 60 };
    const quotas = [left === undefined ? quota : { ...quota, remaining: left }];
    const answered = { kind: 'admitted', atMs: NOW, rateLimit: { quotas } } as const;
    answer(answered);
  }
  expect(limit.known?.patienceMs).toBe(patienceMs);
});

test.each([
  ['a window', { requests: 50 }, true],
  ['a window of which only what is left is stated', { full: 50 }, true],
  ['a small window', { requests: 4 }, false],
  ['a bucket', { requests: 50, perMs: 0.05 }, false],
])('whether many may be sent at once after a wait, by %s', (_title, stated, isBurst) => {
  const meter = { name: 'a', requests: 0, windowMs: 1_000, perMs: 0, isShown: true, full: 0 };
  const meters = [{ ...meter, left: 0, atMs: NOW, backAtMs: 0, ...stated }];
  const limit = new StatedLimit({ meters, patienceMs: 120_000, heldMs: 0, heldFromMs: 0 });
  expect(limit.isBurst).toBe(isBurst);
});

test('what is left may count in other numbers than requests', () => {
  // A window of 100 units a minute; each request costs five.
  const told = (number: number, nowMs: number) => {
    const used = ((number - 1) % 20) + 1;
    return {
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': `${100 - 5 * used}`,
      'X-RateLimit-Reset': `${Math.ceil((Math.floor((nowMs - NOW) / 60_000) + 1) * 60)}`,
    };
  };
  const { sentAtMs } = send({ told }, 60);
  expect(mostIn(59_000, sentAtMs)).toBeLessThanOrEqual(21);
});

test('learns nothing from a throttle that the stated limit explains', () => {
  const told = (number: number) => ({
    'RateLimit-Policy': '"a";q=10;w=60',
    RateLimit: `"a";r=${Math.max(0, 10 - number)};t=60`,
  });
  const { pace, nowMs } = send({ told }, 10);
  pace.sent(nowMs).answered({
    kind: 'throttled',
    waitSeconds: 59,
    atMs: nowMs + 20,
    rateLimit: readThrottle(new Headers(told(10)), nowMs, () => false).rateLimit,
  });
  const { log = [], blockedUntilMs } = pace.known?.learned ?? {};
  expect(log.some(({ throttle }) => throttle !== undefined)).toBe(false);
  expect(blockedUntilMs).toBe(nowMs + 59_020);
});

test.each([
  ['says that nothing is left', { requests: 5 }, 3, 0, true],
  ['says that something is left', { requests: 5 }, 0, 3, false],
  ['says nothing, and nothing is left by our count', { requests: 5 }, 0, undefined, true],
  ['says nothing, and something is left by our count', { requests: 50 }, 40, undefined, false],
  ['says each time that nothing is left, and no size', {}, 0, 0, false],
])('tells whether a limit explains a throttle that %s', (_title, size, before, at, isExplained) => {
  const limit = new StatedLimit();
  const answers = [
    ['admitted', before],
    ['throttled', at],
  ] as const;
  const explained = answers.map(([kind, remaining]) => {
    const answer = sentBy(limit, NOW);
    const quota = { name: 'a', ...size, ...(remaining === undefined ? {} : { remaining }) };
    const answered = { kind, atMs: NOW, waitSeconds: 1, rateLimit: { quotas: [quota] } };
    return answer(answered);
  });
  expect(explained).toEqual([false, isExplained]);
});

test('learns from a throttle that comes although much is left', () => {
  const told = () => ({ RateLimit: '"a";r=500;t=60' });
  const waitSeconds = (number: number) => (number % 20 === 0 ? 1 : undefined);
  const { pace } = send({ told, waitSeconds }, 60);
  expect(pace.known?.learned.log.some(({ throttle }) => throttle !== undefined)).toBe(true);
});

test('what is stated goes on in the next step, within a window that is used in part', () => {
  const told = () => ({ 'RateLimit-Policy': '"a";q=10;w=60' });
  const before = send({ told }, 6);
  const text = before.pace.known === undefined ? '' : gatePaceText(before.pace.known);
  const after = send({ told }, 5, new AdaptivePace(parseGatePace(text), 0), before.nowMs);
  expect(after.sentAtMs[3]).toBeLessThan(NOW + 1_000);
  expect(after.sentAtMs[4]).toBeGreaterThanOrEqual(NOW + 59_000);
});

test('is not held up under a clock that has been set back', () => {
  const told = () => ({ 'RateLimit-Policy': '"a";q=1;w=60' });
  const { pace } = send({ told }, 1);
  expect(pace.nextAtMs(NOW + 1_000)).toBeGreaterThan(NOW + 50_000);
  expect(pace.nextAtMs(NOW - HOUR_MS)).toBe(NOW - HOUR_MS);
});

test.each([
  ['a window', '"a";q=300;w=60', { kind: 'window', requests: 300, periodMs: 60_000 }],
  [
    'the lowest of two rates',
    '"a";q=10;w=1, "b";q=300;w=60',
    { kind: 'window', requests: 300, periodMs: 60_000 },
  ],
])('tells other callers of %s that is stated', (_title, policy, limit) => {
  const { pace } = send({ told: () => ({ 'RateLimit-Policy': policy }) }, 1);
  expect(pace.limit).toEqual(limit);
  expect(limitFor(undefined, pace.known)).toEqual(limit);
  expect(limitFor(5, pace.known)).toMatchObject({ kind: 'bucket', requestsPerSecond: 5 });
});

test('a bucket that is stated is told to other callers by its rate and burst', () => {
  let left = 9;
  const told = (number: number) => {
    if (number > 1) left = Math.min(9, left + 0.02 * 50 - 1);
    return {
      'RateLimit-Policy': '"a";q=50;w=1',
      RateLimit: `"a";r=${Math.max(0, Math.floor(left))};t=1`,
    };
  };
  const { pace } = send({ told }, 100);
  expect(pace.limit).toEqual({ kind: 'bucket', requestsPerSecond: 50, burst: 10 });
});

test('keeps room for those that wait for their connections', () => {
  const meter = { name: 'a', requests: 10, windowMs: 1_000, perMs: 0.01, isShown: true, full: 10 };
  const meters = [{ ...meter, left: 10, atMs: NOW, backAtMs: 0 }];
  const limit = new StatedLimit({ meters, patienceMs: 120_000, heldMs: 0, heldFromMs: 0 });
  limit.spend(NOW);
  expect(limit.dueAtMs(NOW, 9, 8)).toBe(NOW);
  expect(limit.dueAtMs(NOW, 10, 9)).toBe(NOW + 100);
});

test('an answer to what was not spent tells nothing', () => {
  const limit = toldOnce(3);
  const rateLimit = { quotas: [{ name: '5', requests: 5, remaining: 0 }] };
  const sent = { number: undefined, atMs: NOW, isTry: false, underWay: 0 };
  limit.answered({ kind: 'admitted', atMs: NOW, rateLimit }, sent, 0);
  expect(limit.known?.meters).toMatchObject([{ left: 3 }]);
});

test('no more wait for their connections than a window admits that has ended', () => {
  const meter = { name: 'a', requests: 4, windowMs: 1_000, perMs: 0, isShown: true, full: 4 };
  const meters = [{ ...meter, left: 0, atMs: NOW, backAtMs: NOW + 1_000 }];
  const limit = new StatedLimit({ meters, patienceMs: 120_000, heldMs: 0, heldFromMs: 0 });
  expect(limit.dueAtMs(NOW + 1_010, 3, 3)).toBe(NOW + 1_010);
  expect(limit.dueAtMs(NOW + 1_010, 4, 4)).toBeGreaterThan(NOW + 1_010);
});
