import { randomOf } from '../../../infra/simulator/random.ts';
import {
  askFor,
  countOf,
  type LimitCount,
  type Limiter,
  limiterOf,
  type RateLimit,
} from '../../../infra/simulator/rate-limit.ts';
import {
  RATE_LIMIT_HEADERS,
  type RateLimitHeaders,
  rateLimitHeaders,
} from '../../../infra/simulator/rate-limit-headers.ts';
import { type RateLimitFacts, readThrottle } from '../../../lib/customers-api/throttle-wait.ts';

export type ModelledAdmission = ReturnType<Limiter>;

/** The API's limiter, and what the model and the ideal client need to know of it. */
export interface ModelledLimiter {
  ask(nowMs: number): ModelledAdmission;
  /** What the headers of the answer say; absent for an API that states no limit. */
  told?(nowMs: number): RateLimitFacts | undefined;
  /** Share of the latency before the API counts the request. @default 0.5 */
  readonly outShare?: number;
  /** Requests that may run at the same time. */
  readonly atOnce?: number;
  /** Throttles that no pace prevents. */
  readonly isByChance?: boolean;
}

/** A limit as real APIs have them. `Retry-After` says the exact rest, rounded up, unless the name tells otherwise. */
export interface RealisticLimit {
  readonly name: string;
  readonly limiter: (latencyMs?: number) => ModelledLimiter;
  /** Pages of an export. */
  readonly pages: number;
  /** When the first export begins, since midnight; the worst of them counts. @default [0] */
  readonly startsMs?: readonly number[];
  /** Where the limit is this alone: what the least loss of any client is derived from. */
  readonly bucket?: Bucket;
  readonly atOnce?: number;
  readonly rise?: { readonly from: Bucket; readonly to: Bucket; readonly afterRequests: number };
}

export interface Bucket {
  readonly ratePerSecond: number;
  readonly burst: number;
}

/** An export under a slow limit is shorter, so that a model of it does not take long. */
const PAGES = 1_000;
const SLOW_PAGES = 200;
const SLOW_PER_SECOND = 5;

export const bucket = (ratePerSecond: number, burst: number): RealisticLimit => ({
  name: `token bucket, ${ratePerSecond}/s, burst ${burst}`,
  pages: ratePerSecond < SLOW_PER_SECOND ? SLOW_PAGES : PAGES,
  bucket: { ratePerSecond, burst },
  limiter: () => asking(limiterOf({ kind: 'token-bucket', ratePerSecond, burst })),
});

export const fixedWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `window of ${requests} in ${windowSeconds} s`,
  pages: windowPages(requests, windowSeconds),
  limiter: () => asking(limiterOf({ kind: 'fixed-window', requests, windowSeconds })),
});

/**
 * Windows that begin with the clock's seconds, minutes and hours, as counters in a cache often do.
 *
 * @param aheadMs By so much the API's clock is ahead of ours.
 */
const clockWindow = (requests: number, windowSeconds: number, aheadMs = 0): RealisticLimit => {
  const side = aheadMs > 0 ? 'ahead' : 'behind';
  const clock = aheadMs === 0 ? 'the clock' : `a clock ${Math.abs(aheadMs)} ms ${side}`;
  return {
    name: `window of ${requests} in ${windowSeconds} s by ${clock}`,
    pages: windowPages(requests, windowSeconds),
    startsMs: STARTED.map((share) => share * windowSeconds * 1000),
    limiter: () => {
      const count = clockCount(requests, windowSeconds, aheadMs);
      return asking((nowMs) => askFor(count, nowMs));
    },
  };
};

/** Of a window by the clock, so much is over when the first export begins. */
const STARTED = [0, 0.3, 0.5, 0.7, 0.8];

/** Counts the requests of the latest seconds, whenever they began. */
const slidingWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `sliding window of ${requests} in ${windowSeconds} s`,
  pages: windowPages(requests, windowSeconds),
  limiter: () => asking(slidingLimiter(requests, windowSeconds * 1000)),
});

/** Counts the requests that are being answered, for nearly all of the latency. */
export const atOnce = (requests: number): RealisticLimit => ({
  name: `${requests} requests at the same time`,
  pages: PAGES,
  atOnce: requests,
  limiter: (latencyMs = 20) => ({
    ...asking(runningLimiter(requests, latencyMs * 0.9)),
    outShare: 0.1,
    atOnce: requests,
  }),
});

/** Throttles a share of the requests, whatever the pace. */
export const byChance = (share: number, seed = 1): RealisticLimit => ({
  name: `throttles by chance, ${share * 100} %`,
  pages: PAGES,
  limiter: () => {
    const random = randomOf(seed);
    const ask = (): ModelledAdmission =>
      random() < share ? { kind: 'throttled', waitSeconds: 1 } : { kind: 'admitted' };
    return { ask, isByChance: true };
  },
});

/** Both count a request only when both admit it. */
const bucketAndWindow = (
  [ratePerSecond, burst]: readonly [number, number],
  [requests, windowSeconds]: readonly [number, number],
): RealisticLimit => ({
  name: `token bucket, ${ratePerSecond}/s, burst ${burst}, and window of ${requests} in ${windowSeconds} s`,
  pages: PAGES,
  limiter: () => asking(limiterOf(bothOf([ratePerSecond, burst], [requests, windowSeconds]))),
});

function bothOf(
  [ratePerSecond, burst]: readonly [number, number],
  [requests, windowSeconds]: readonly [number, number],
): RateLimit {
  const bucket = { kind: 'token-bucket', ratePerSecond, burst } as const;
  return { kind: 'all', limits: [bucket, { kind: 'fixed-window', requests, windowSeconds }] };
}

/** The limit after the export's first pages is another one. */
export function changing(
  first: RealisticLimit,
  then: RealisticLimit,
  afterRequests: number,
): RealisticLimit {
  const { bucket: from } = first;
  const { bucket: to } = then;
  const isRise = from !== undefined && to !== undefined && to.ratePerSecond > from.ratePerSecond;
  return {
    name: `${first.name}, then ${then.name}`,
    pages: first.pages,
    ...(isRise && { rise: { from, to, afterRequests } }),
    limiter: (latencyMs) => {
      const limiters = [first.limiter(latencyMs), then.limiter(latencyMs)] as const;
      let admitted = 0;
      return {
        ask: (nowMs) => {
          const answer = limiters[admitted < afterRequests ? 0 : 1].ask(nowMs);
          if (answer.kind === 'admitted') admitted++;
          return answer;
        },
      };
    },
  };
}

/** The same limit, but throttles always ask for the same wait. */
export function saying(limit: RealisticLimit, waitSeconds: number): RealisticLimit {
  const limiter = (latencyMs?: number): ModelledLimiter => {
    const inner = limit.limiter(latencyMs);
    return {
      ...inner,
      ask: (nowMs) => {
        const admission = inner.ask(nowMs);
        return admission.kind === 'admitted' ? admission : { kind: 'throttled', waitSeconds };
      },
    };
  };
  return { ...limit, name: `${limit.name}, always Retry-After: ${waitSeconds}`, limiter };
}

function shorter(limit: RealisticLimit, pages: number): RealisticLimit {
  return { ...limit, name: `${limit.name}, ${pages} pages`, pages };
}

/** Answers state the limits in headers, as the simulator writes them and the client reads them. */
function toldInAllForms(limit: RealisticLimit, begin: () => LimitCount): readonly RealisticLimit[] {
  return RATE_LIMIT_HEADERS.filter((form) => form !== 'none').map((form) => ({
    ...limit,
    name: `${limit.name}, headers ${form}`,
    limiter: () => {
      const count = begin();
      return {
        ask: (nowMs) => askFor(count, nowMs),
        told: (nowMs) => readThrottle(headersOf(form, count, nowMs), nowMs, () => false).rateLimit,
      };
    },
  }));
}

function headersOf(form: RateLimitHeaders, count: LimitCount, nowMs: number): Headers {
  const headers = new Headers({ date: new Date(nowMs).toUTCString() });
  const lines = rateLimitHeaders(form, count.quotas(nowMs), nowMs);
  for (const [name, value] of lines) headers.set(name, value);
  return headers;
}

function asking(limiter: Limiter): ModelledLimiter {
  return { ask: limiter };
}

function windowPages(requests: number, windowSeconds: number): number {
  if (requests / windowSeconds >= SLOW_PER_SECOND) return PAGES;
  // Each export but the first meets the end of a window.
  return Math.max(SLOW_PAGES, requests * 0.7);
}

function clockCount(requests: number, windowSeconds: number, aheadMs = 0): LimitCount {
  const windowMs = windowSeconds * 1000;
  let window = 0;
  let used = 0;
  const roll = (nowMs: number) => {
    const current = Math.floor((nowMs + aheadMs) / windowMs);
    if (current > window) [window, used] = [current, 0];
    return (window + 1) * windowMs - nowMs - aheadMs;
  };
  return {
    waitMs: (nowMs) => {
      const resetMs = roll(nowMs);
      return used < requests ? 0 : resetMs;
    },
    take: () => {
      used += 1;
    },
    atOnce: () => Number.POSITIVE_INFINITY,
    quotas: (nowMs) => {
      const resetMs = roll(nowMs);
      return [{ requests, windowSeconds, remaining: requests - used, resetMs }];
    },
  };
}

function slidingLimiter(requests: number, windowMs: number): Limiter {
  const admittedAtMs: number[] = [];
  return (nowMs) => {
    while ((admittedAtMs[0] ?? nowMs) <= nowMs - windowMs) admittedAtMs.shift();
    const oldestMs = admittedAtMs[0] ?? nowMs;
    if (admittedAtMs.length >= requests) return throttled(oldestMs + windowMs - nowMs);
    admittedAtMs.push(nowMs);
    return { kind: 'admitted' };
  };
}

function runningLimiter(requests: number, serviceMs: number): Limiter {
  let endsAtMs: number[] = [];
  return (nowMs) => {
    endsAtMs = endsAtMs.filter((each) => each > nowMs);
    if (endsAtMs.length >= requests) return throttled(1);
    endsAtMs.push(nowMs + serviceMs);
    return { kind: 'admitted' };
  };
}

function throttled(waitMs: number): ReturnType<Limiter> {
  return { kind: 'throttled', waitSeconds: Math.max(1, Math.ceil(waitMs / 1000 - 1e-9)) };
}

const HALF = PAGES / 2;

const BUCKETS_THAT_ARE_TOLD = [
  [50, 10],
  [50, 1],
  [10, 1],
  [4, 2],
  [20, 5],
  [100, 100],
  [200, 20],
] as const;

/** What the pace is measured with. */
export const REALISTIC_LIMITS: readonly RealisticLimit[] = [
  bucket(1, 5),
  bucket(2, 40),
  bucket(4, 2),
  bucket(10, 10),
  bucket(20, 5),
  bucket(50, 1),
  bucket(50, 10),
  shorter(bucket(50, 10), 200),
  bucket(50, 50),
  bucket(100, 10),
  bucket(100, 100),
  bucket(200, 20),
  fixedWindow(10, 1),
  clockWindow(10, 1),
  fixedWindow(100, 10),
  saying(fixedWindow(100, 10), 1),
  clockWindow(100, 10),
  fixedWindow(600, 60),
  saying(fixedWindow(600, 60), 1),
  clockWindow(600, 60),
  fixedWindow(5_000, 3_600),
  saying(fixedWindow(5_000, 3_600), 1),
  clockWindow(5_000, 3_600),
  clockWindow(10, 1, 700),
  clockWindow(100, 10, 700),
  clockWindow(100, 10, -300),
  clockWindow(600, 60, 25_000),
  slidingWindow(100, 10),
  saying(slidingWindow(100, 10), 1),
  saying(slidingWindow(100, 10), 10),
  slidingWindow(60, 60),
  slidingWindow(600, 60),
  atOnce(4),
  atOnce(8),
  bucketAndWindow([10, 10], [300, 60]),
  changing(bucket(50, 10), bucket(25, 10), HALF),
  changing(bucket(20, 10), bucket(80, 10), HALF),
  byChance(0.01),
  byChance(0.05),
  byChance(0.2),
  ...BUCKETS_THAT_ARE_TOLD.flatMap(([ratePerSecond, burst]) =>
    toldInAllForms(bucket(ratePerSecond, burst), () =>
      countOf({ kind: 'token-bucket', ratePerSecond, burst }),
    ),
  ),
  ...toldInAllForms(fixedWindow(600, 60), () =>
    countOf({ kind: 'fixed-window', requests: 600, windowSeconds: 60 }),
  ),
  ...toldInAllForms(clockWindow(600, 60), () => clockCount(600, 60)),
  ...toldInAllForms(bucketAndWindow([10, 10], [300, 60]), () =>
    countOf(bothOf([10, 10], [300, 60])),
  ),
];
