import { type Limiter, limiterOf } from '../../../infra/local/simulator/rate-limit.ts';

/** A limit as real APIs have them. */
export interface RealisticLimit {
  readonly name: string;
  readonly kind: 'bucket' | 'fixed' | 'sliding';
  readonly perSecond: number;
  readonly limiter: () => Limiter;
}

/** What an API says in `Retry-After`: how long it really takes, always a second, or always the whole window. */
export type RetryAfter = 'rest' | '1' | 'window';

export const bucket = (ratePerSecond: number, burst: number): RealisticLimit => ({
  name: `bucket ${ratePerSecond}/s burst ${burst}`,
  kind: 'bucket',
  perSecond: ratePerSecond,
  limiter: () => limiterOf({ kind: 'token-bucket', ratePerSecond, burst }),
});

export const fixedWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `fixed ${requests}/${windowSeconds} s`,
  kind: 'fixed',
  perSecond: requests / windowSeconds,
  limiter: () => limiterOf({ kind: 'fixed-window', requests, windowSeconds }),
});

/** Windows that begin with the clock's seconds, minutes and hours, as counters in a cache often do. */
export const clockWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `clock ${requests}/${windowSeconds} s`,
  kind: 'fixed',
  perSecond: requests / windowSeconds,
  limiter: () => clockLimiter(requests, windowSeconds * 1000),
});

/** Counts the requests of the latest seconds, whenever they began. */
export const slidingWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `sliding ${requests}/${windowSeconds} s`,
  kind: 'sliding',
  perSecond: requests / windowSeconds,
  limiter: () => slidingLimiter(requests, windowSeconds * 1000),
});

export function saying(limit: RealisticLimit, waitSeconds: number): RealisticLimit {
  const limiter = (): Limiter => {
    const inner = limit.limiter();
    return (nowMs) => {
      const admission = inner(nowMs);
      return admission.kind === 'admitted' ? admission : { kind: 'throttled', waitSeconds };
    };
  };
  return { ...limit, name: `${limit.name}, says ${waitSeconds}`, limiter };
}

function clockLimiter(requests: number, windowMs: number): Limiter {
  let window = 0;
  let used = 0;
  return (nowMs) => {
    const current = Math.floor(nowMs / windowMs);
    if (current > window) {
      window = current;
      used = 0;
    }
    if (used >= requests) return throttled((window + 1) * windowMs - nowMs);
    used += 1;
    return { kind: 'admitted' };
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

function throttled(waitMs: number): ReturnType<Limiter> {
  return { kind: 'throttled', waitSeconds: Math.max(1, Math.ceil(waitMs / 1000 - 1e-9)) };
}
