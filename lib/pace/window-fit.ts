/** A limit that counts requests in a window and restarts at its end. */
export interface WindowFit {
  readonly requests: number;
  /** The window was open again after this time, or the API stated it. */
  readonly periodMs: number;
  /** The window was still closed after this time. */
  readonly closedMs?: number | undefined;
  /** Requests admitted beyond its size since the latest throttle. */
  readonly grown?: number | undefined;
  /** Throttles when the window was used up. */
  readonly hits: number;
  /** How many of the latest such throttles in a row came after the same number of requests. */
  readonly same?: number | undefined;
  /** Throttles in a row long before the window was used up. */
  readonly misses: number;
}

export interface WindowUse {
  /** When its first request was sent; milliseconds since the epoch. */
  readonly fromMs: number;
  readonly used: number;
  /** The end that the API stated; absent when the API stated a time inside the window. */
  readonly untilMs?: number | undefined;
}

/** A throttle before this share of a window has another cause. */
const USED_UP = 0.9;

/** After so many such throttles the window is assumed to be smaller. */
const MAX_MISSES = 3;

/** Windows whose sizes differ by no more than this share count as equal. */
const SAME_SIZE = 0.02;

/** Longest wait for a window that is only suspected. */
const MAX_SUSPECTED_MS = 61_000;

/** A period is known when its uncertainty is at most this share. */
const KNOWN_PERIOD = 0.06;

/** Factor for a time at which the window was still closed: the next first request may be slower. */
const LATER = 1.03;

/**
 * When to try the next window, after the start of this one. `Retry-After` counts whole seconds and is rounded
 * up, so the window opens earlier than stated.
 */
export function triedPeriodMs({ periodMs, closedMs = 0, hits }: WindowFit): number {
  const isKnown = periodMs - closedMs <= periodMs * KNOWN_PERIOD;
  return isKnown || hits < 2 ? periodMs : (periodMs + closedMs) / 2;
}

export function windowEndMs({ fromMs, untilMs }: WindowUse, fit: WindowFit): number {
  return Math.min(fromMs + triedPeriodMs(fit), untilMs ?? Number.POSITIVE_INFINITY);
}

export function useWindow(
  use: WindowUse | undefined,
  fit: WindowFit | undefined,
  atMs: number,
): WindowUse {
  const isOver = use !== undefined && fit !== undefined && atMs >= windowEndMs(use, fit);
  if (use === undefined || isOver || atMs < use.fromMs) return { fromMs: atMs, used: 1 };
  return { ...use, used: use.used + 1 };
}

/** The window after an admitted request that is the first of the next window or exceeds the known size. */
export function windowAfterAdmitted(
  fit: WindowFit,
  before: WindowUse | undefined,
  { fromMs, used }: WindowUse,
): WindowFit {
  const openMs = before === undefined ? 0 : fromMs - before.fromMs;
  const wasUsedUp = before !== undefined && before.used >= fit.requests;
  if (openMs > 0 && wasUsedUp && openMs < fit.periodMs) return { ...fit, periodMs: openMs };
  if (used <= fit.requests) return fit;
  return { ...fit, requests: used, misses: 0, grown: (fit.grown ?? 0) + 1 };
}

export interface WindowEnd {
  readonly sentAtMs: number;
  readonly waitSeconds: number;
  /** The end of the stated wait. */
  readonly endMs: number;
  readonly previousEndMs: number;
  /** Whether no request was admitted since the previous throttle. */
  readonly isAgain: boolean;
  /** Requests admitted within the period before it. */
  readonly recent: number;
}

export function refitWindow(
  fit: WindowFit | undefined,
  { fromMs, used }: WindowUse,
  { sentAtMs, waitSeconds, endMs, previousEndMs, isAgain, recent }: WindowEnd,
): WindowFit {
  const requests = Math.max(1, used);
  const seenMs = endMs - fromMs;
  const closedMs = sentAtMs - fromMs + (waitSeconds - 1) * 1000;
  if (fit === undefined)
    return { requests, periodMs: seenMs, closedMs, hits: 1, same: 1, misses: 0 };
  // Windows follow each other without a gap: a period is from end to end, however late its first request was.
  const gapMs = fromMs - previousEndMs;
  const isNext = gapMs >= 0 && gapMs < seenMs / 10;
  const periodMs = isNext ? endMs - previousEndMs : seenMs;
  if (used >= fit.requests * USED_UP) {
    const hasGrown = (fit.grown ?? 0) > 0;
    const isSame = !hasGrown && Math.abs(used - fit.requests) <= fit.requests * SAME_SIZE;
    const counted = isAgain
      ? { hits: fit.hits, same: fit.same }
      : { hits: fit.hits + 1, same: isSame ? (fit.same ?? 0) + 1 : 1 };
    return { requests, ...periodAfter(fit, closedMs, periodMs), ...counted, misses: 0 };
  }
  // A sliding window still counts requests of the previous one.
  if (isAgain || recent >= fit.requests * USED_UP) return fit;
  const misses = fit.misses + 1;
  if (misses >= MAX_MISSES) {
    return { requests, periodMs: seenMs, closedMs, hits: 0, same: 0, misses: 0 };
  }
  // One wait is longer than the known period: the period was measured from the middle of a window.
  const isLonger = endMs - sentAtMs > fit.periodMs;
  return { ...fit, periodMs: isLonger ? periodMs : fit.periodMs, misses, grown: 0 };
}

/** The use of the window after a throttle: it continues until its end, or until the stated end. */
export function useAfterThrottle(
  use: WindowUse | undefined,
  fit: WindowFit,
  { endMs, isAgain }: Pick<WindowEnd, 'endMs' | 'isAgain'>,
): WindowUse | undefined {
  if (use === undefined) return undefined;
  const periodMs = triedPeriodMs(fit);
  if (endMs >= use.fromMs + periodMs) return { ...use, untilMs: endMs };
  // The stated wait was too short: other callers use the same window, or it slides.
  const isClosed = isAgain && periodMs <= MAX_SUSPECTED_MS;
  return { fromMs: use.fromMs, used: isClosed ? Math.max(use.used, fit.requests) : use.used };
}

/** The known period after a used-up window was still closed at `closedMs`. */
function periodAfter(
  fit: WindowFit,
  closedMs: number,
  seenMs: number,
): Pick<WindowFit, 'periodMs' | 'closedMs'> {
  const knownMs = fit.closedMs ?? 0;
  if (closedMs >= fit.periodMs) {
    const isLittle = seenMs < fit.periodMs * 1.2;
    return { periodMs: isLittle ? Math.min(seenMs, closedMs * LATER) : seenMs, closedMs };
  }
  // The window began before its first request was sent.
  if (seenMs <= knownMs) return { periodMs: fit.periodMs, closedMs: knownMs };
  return { periodMs: Math.min(fit.periodMs, seenMs), closedMs: Math.max(knownMs, closedMs) };
}
