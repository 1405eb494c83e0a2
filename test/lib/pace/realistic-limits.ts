import { type Limiter, limiterOf } from '../../../infra/simulator/rate-limit.ts';

/** A limit as real APIs have them. `Retry-After` says the exact rest, rounded up, unless the name tells otherwise. */
export interface RealisticLimit {
  readonly name: string;
  readonly limiter: () => Limiter;
  /** Pages of an export. */
  readonly pages: number;
}

/** An export under a slow limit is shorter, so that a model of it does not take long. */
const PAGES = 1_000;
const SLOW_PAGES = 200;
const SLOW_PER_SECOND = 5;

export const bucket = (ratePerSecond: number, burst: number): RealisticLimit => ({
  name: `token bucket, ${ratePerSecond}/s, burst ${burst}`,
  pages: ratePerSecond < SLOW_PER_SECOND ? SLOW_PAGES : PAGES,
  limiter: () => limiterOf({ kind: 'token-bucket', ratePerSecond, burst }),
});

export const fixedWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `window of ${requests} in ${windowSeconds} s`,
  pages: windowPages(requests, windowSeconds),
  limiter: () => limiterOf({ kind: 'fixed-window', requests, windowSeconds }),
});

/** Windows that begin with the clock's seconds, minutes and hours, as counters in a cache often do. */
const clockWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `window of ${requests} in ${windowSeconds} s by the clock`,
  pages: windowPages(requests, windowSeconds),
  limiter: () => clockLimiter(requests, windowSeconds * 1000),
});

/** Counts the requests of the latest seconds, whenever they began. */
const slidingWindow = (requests: number, windowSeconds: number): RealisticLimit => ({
  name: `sliding window of ${requests} in ${windowSeconds} s`,
  pages: windowPages(requests, windowSeconds),
  limiter: () => slidingLimiter(requests, windowSeconds * 1000),
});

/** The same limit, but throttles always ask for the same wait. */
export function saying(limit: RealisticLimit, waitSeconds: number): RealisticLimit {
  const limiter = (): Limiter => {
    const inner = limit.limiter();
    return (nowMs) => {
      const admission = inner(nowMs);
      return admission.kind === 'admitted' ? admission : { kind: 'throttled', waitSeconds };
    };
  };
  return { ...limit, name: `${limit.name}, always Retry-After: ${waitSeconds}`, limiter };
}

function windowPages(requests: number, windowSeconds: number): number {
  if (requests / windowSeconds >= SLOW_PER_SECOND) return PAGES;
  // Each export but the first meets the end of a window.
  return Math.max(SLOW_PAGES, requests * 0.7);
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

/** What the pace is measured with. */
export const REALISTIC_LIMITS: readonly RealisticLimit[] = [
  bucket(1, 5),
  bucket(2, 40),
  bucket(4, 2),
  bucket(10, 10),
  bucket(20, 5),
  bucket(50, 1),
  bucket(50, 10),
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
  slidingWindow(100, 10),
  saying(slidingWindow(100, 10), 1),
  saying(slidingWindow(100, 10), 10),
  slidingWindow(60, 60),
  slidingWindow(600, 60),
];
