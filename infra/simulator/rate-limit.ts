/** How many requests a key may make. */
export type RateLimit =
  | { readonly kind: 'none' }
  | { readonly kind: 'token-bucket'; readonly ratePerSecond: number; readonly burst: number }
  | { readonly kind: 'fixed-window'; readonly requests: number; readonly windowSeconds: number }
  /** Requests under way at the same time. One too many is asked to wait a second. */
  | { readonly kind: 'at-once'; readonly requests: number }
  /** A request needs room in each of them, and takes room in none where it is throttled. */
  | { readonly kind: 'all'; readonly limits: readonly RateLimit[] }
  /** One after the other, from the first request on; the last one stays. */
  | { readonly kind: 'changing'; readonly steps: readonly RateLimitStep[] };

export interface RateLimitStep {
  readonly limit: RateLimit;
  /** How long it holds, s. */
  readonly forSeconds: number;
}

type Admission =
  | { readonly kind: 'admitted' }
  /** `waitSeconds` is at least 1: what a `Retry-After` in whole seconds can say. */
  | { readonly kind: 'throttled'; readonly waitSeconds: number };

/** Asks for one request at `nowMs`. */
export type Limiter = (nowMs: number) => Admission;

/** What an API says of one of its limits in headers. */
export interface Quota {
  /** Requests in a window. */
  readonly requests: number;
  readonly windowSeconds: number;
  /** Requests that are admitted still. */
  readonly remaining: number;
  /** Until all of them are there again. */
  readonly resetMs: number;
}

/** A limit and what was used of it. */
export interface LimitCount {
  /** Time until a request is admitted, ms; 0: now. */
  waitMs(nowMs: number): number;
  take(): void;
  /** Most requests under way at the same time. */
  atOnce(nowMs: number): number;
  quotas(nowMs: number): readonly Quota[];
}

const ADMITTED: Admission = { kind: 'admitted' };
const UNLIMITED: LimitCount = {
  waitMs: () => 0,
  take: () => {},
  atOnce: () => Number.POSITIVE_INFINITY,
  quotas: () => [],
};

/** Limits by the number of requests alone; how many are under way is known to who answers them. */
export function limiterOf(limit: RateLimit): Limiter {
  const count = countOf(limit);
  return (nowMs) => askFor(count, nowMs);
}

export function askFor(count: LimitCount, nowMs: number): Admission {
  const waitMs = count.waitMs(nowMs);
  if (waitMs > 0) return throttled(waitMs);
  count.take();
  return ADMITTED;
}

export function countOf(limit: RateLimit): LimitCount {
  switch (limit.kind) {
    case 'none':
      return UNLIMITED;
    case 'token-bucket':
      return tokenBucket(limit.ratePerSecond, limit.burst);
    case 'fixed-window':
      return fixedWindow(limit.requests, limit.windowSeconds);
    case 'at-once':
      return { ...UNLIMITED, atOnce: () => limit.requests };
    case 'all':
      return allOf(limit.limits.map(countOf));
    case 'changing':
      return changing(limit.steps);
  }
}

function tokenBucket(ratePerSecond: number, burst: number): LimitCount {
  let tokens = burst;
  let filledAtMs: number | undefined;
  const fill = (nowMs: number) => {
    const passedMs = Math.max(0, nowMs - (filledAtMs ?? nowMs));
    tokens = Math.min(burst, tokens + (passedMs / 1000) * ratePerSecond);
    filledAtMs = Math.max(nowMs, filledAtMs ?? nowMs);
  };
  const msFor = (missing: number) => (missing / ratePerSecond) * 1000;
  // In whole requests and seconds, as headers say it.
  const isFast = ratePerSecond >= 1;
  const requests = isFast ? Math.floor(ratePerSecond) : 1;
  const windowSeconds = isFast ? 1 : Math.ceil(1 / ratePerSecond);
  return {
    ...UNLIMITED,
    waitMs: (nowMs) => {
      fill(nowMs);
      // Sums of fractions may end a hair below the whole token that the waiting was for.
      return tokens < 1 - 1e-9 ? msFor(1 - tokens) : 0;
    },
    take: () => {
      tokens -= 1;
    },
    quotas: (nowMs) => {
      fill(nowMs);
      const remaining = Math.max(0, Math.floor(tokens + 1e-9));
      return [{ requests, windowSeconds, remaining, resetMs: msFor(burst - tokens) }];
    },
  };
}

function fixedWindow(requests: number, windowSeconds: number): LimitCount {
  const windowMs = windowSeconds * 1000;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  const begin = (nowMs: number) => {
    if (nowMs < startedAtMs + windowMs) return;
    startedAtMs = nowMs;
    used = 0;
  };
  return {
    ...UNLIMITED,
    waitMs: (nowMs) => {
      begin(nowMs);
      return used < requests ? 0 : startedAtMs + windowMs - nowMs;
    },
    take: () => {
      used += 1;
    },
    quotas: (nowMs) => {
      begin(nowMs);
      const resetMs = startedAtMs + windowMs - nowMs;
      return [{ requests, windowSeconds, remaining: requests - used, resetMs }];
    },
  };
}

function allOf(counts: readonly LimitCount[]): LimitCount {
  return {
    waitMs: (nowMs) => Math.max(0, ...counts.map((each) => each.waitMs(nowMs))),
    take: () => {
      for (const each of counts) each.take();
    },
    atOnce: (nowMs) => Math.min(...counts.map((each) => each.atOnce(nowMs))),
    quotas: (nowMs) => counts.flatMap((each) => each.quotas(nowMs)),
  };
}

function changing(steps: readonly RateLimitStep[]): LimitCount {
  const counts = steps.map(({ limit }) => countOf(limit));
  let startedAtMs: number | undefined;
  let current = counts[0] ?? UNLIMITED;
  const at = (nowMs: number) => {
    startedAtMs ??= nowMs;
    let endMs = startedAtMs;
    const place = steps.findIndex(({ forSeconds }) => {
      endMs += forSeconds * 1000;
      return nowMs < endMs;
    });
    current = counts.at(place) ?? current;
    return current;
  };
  return {
    waitMs: (nowMs) => at(nowMs).waitMs(nowMs),
    take: () => current.take(),
    atOnce: (nowMs) => at(nowMs).atOnce(nowMs),
    quotas: (nowMs) => at(nowMs).quotas(nowMs),
  };
}

function throttled(waitMs: number): Admission {
  return { kind: 'throttled', waitSeconds: Math.max(1, Math.ceil(waitMs / 1000 - 1e-9)) };
}
