/** How many requests a key may make. */
export type RateLimit =
  | { readonly kind: 'none' }
  | { readonly kind: 'token-bucket'; readonly ratePerSecond: number; readonly burst: number }
  | { readonly kind: 'fixed-window'; readonly requests: number; readonly windowSeconds: number };

type Admission =
  | { readonly kind: 'admitted' }
  /** `waitSeconds` is at least 1: what a `Retry-After` in whole seconds can say. */
  | { readonly kind: 'throttled'; readonly waitSeconds: number };

/** Asks for one request at `nowMs`. */
export type Limiter = (nowMs: number) => Admission;

const ADMITTED: Admission = { kind: 'admitted' };

export function limiterOf(limit: RateLimit): Limiter {
  switch (limit.kind) {
    case 'none':
      return () => ADMITTED;
    case 'token-bucket':
      return tokenBucket(limit.ratePerSecond, limit.burst);
    case 'fixed-window':
      return fixedWindow(limit.requests, limit.windowSeconds * 1000);
  }
}

function tokenBucket(ratePerSecond: number, burst: number): Limiter {
  let tokens = burst;
  let filledAtMs: number | undefined;
  return (nowMs) => {
    const passedMs = Math.max(0, nowMs - (filledAtMs ?? nowMs));
    tokens = Math.min(burst, tokens + (passedMs / 1000) * ratePerSecond);
    filledAtMs = Math.max(nowMs, filledAtMs ?? nowMs);
    // Sums of fractions may end a hair below the whole token that the waiting was for.
    if (tokens < 1 - 1e-9) return throttled(((1 - tokens) / ratePerSecond) * 1000);
    tokens -= 1;
    return ADMITTED;
  };
}

function fixedWindow(requests: number, windowMs: number): Limiter {
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (nowMs) => {
    if (nowMs >= startedAtMs + windowMs) {
      startedAtMs = nowMs;
      used = 0;
    }
    if (used >= requests) return throttled(startedAtMs + windowMs - nowMs);
    used += 1;
    return ADMITTED;
  };
}

function throttled(waitMs: number): Admission {
  return { kind: 'throttled', waitSeconds: Math.max(1, Math.ceil(waitMs / 1000 - 1e-9)) };
}
