/** A limit that counts requests from a start to an end and then begins anew. */
export interface WindowFit {
  /** Requests of one window. */
  readonly requests: number;
  /** After as long as this it was open again, or the API said that it would be. */
  readonly periodMs: number;
  /** After as long as this it was still closed. */
  readonly closedMs?: number | undefined;
  /** Requests admitted beyond its size since the latest throttle. */
  readonly grown?: number | undefined;
  /** Throttles that came when it was used up. */
  readonly hits: number;
  /** How many of the latest of them in a row came after the same number of requests. */
  readonly same?: number | undefined;
  /** Throttles in a row that came long before the window was used up. */
  readonly misses: number;
}

/** The window that is being used. */
export interface WindowUse {
  /** When its first request was sent; milliseconds since the epoch. */
  readonly fromMs: number;
  readonly used: number;
  /** When the API has said that more will be admitted; absent where it named the middle of the window. */
  readonly untilMs?: number | undefined;
}

/** A throttle that comes earlier than this share of a window has another cause. */
const USED_UP = 0.9;

/** After as many of them the window is taken for smaller. */
const MAX_MISSES = 3;

/** Two windows whose sizes differ by no more than this share have the same one. */
const SAME_SIZE = 0.02;

/** On a mere suspicion no wait is longer than this. */
const MAX_SUSPECTED_MS = 61_000;

/** A period is known when no more than this share of it is open. */
const KNOWN_PERIOD = 0.06;

/** A first request of a window on its way longer than the one before meets it still closed by as much. */
const LATER = 1.03;

/**
 * When the next window is looked for, after the start of the one before: `Retry-After` counts whole seconds
 * and is rounded up, so it is open earlier than it says.
 */
export function triedPeriodMs({ periodMs, closedMs = 0, hits }: WindowFit): number {
  const isKnown = periodMs - closedMs <= periodMs * KNOWN_PERIOD;
  return isKnown || hits < 2 ? periodMs : (periodMs + closedMs) / 2;
}

/** When the window ends that is being used. */
export function windowEndMs({ fromMs, untilMs }: WindowUse, fit: WindowFit): number {
  return Math.min(fromMs + triedPeriodMs(fit), untilMs ?? Number.POSITIVE_INFINITY);
}

/** The use of the window after one more request that was admitted. */
export function useWindow(
  use: WindowUse | undefined,
  fit: WindowFit | undefined,
  atMs: number,
): WindowUse {
  const isOver = use !== undefined && fit !== undefined && atMs >= windowEndMs(use, fit);
  if (use === undefined || isOver || atMs < use.fromMs) return { fromMs: atMs, used: 1 };
  return { ...use, used: use.used + 1 };
}

/** The window after the first request of the next one was admitted, or one beyond its size. */
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

/** A throttled request, as far as it tells about windows. */
interface WindowEnd {
  readonly sentAtMs: number;
  readonly waitSeconds: number;
  /** When the API said that more will be admitted. */
  readonly endMs: number;
  /** The same of the throttle before. */
  readonly previousEndMs: number;
  /** Whether nothing was admitted since that one. */
  readonly isAgain: boolean;
  /** Requests admitted within the period before it. */
  readonly recent: number;
}

/** What the window is after a throttle. */
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
  // Windows follow each other: from end to end is a period, however late its first request came.
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
  // A window that slides still counts what was admitted before this one.
  if (isAgain || recent >= fit.requests * USED_UP) return fit;
  const misses = fit.misses + 1;
  if (misses >= MAX_MISSES) {
    return { requests, periodMs: seenMs, closedMs, hits: 0, same: 0, misses: 0 };
  }
  // A single wait longer than the whole period: the first one was looked at from its middle.
  const isLonger = endMs - sentAtMs > fit.periodMs;
  return { ...fit, periodMs: isLonger ? periodMs : fit.periodMs, misses, grown: 0 };
}

/** The use of the window after a throttle: it goes on, to its end or until the API says that it is over. */
export function useAfterThrottle(
  use: WindowUse | undefined,
  fit: WindowFit,
  { endMs, isAgain }: Pick<WindowEnd, 'endMs' | 'isAgain'>,
): WindowUse | undefined {
  if (use === undefined) return undefined;
  const periodMs = triedPeriodMs(fit);
  if (endMs >= use.fromMs + periodMs) return { ...use, untilMs: endMs };
  // The API's wait was not enough: others use the same window, or it slides.
  const isClosed = isAgain && periodMs <= MAX_SUSPECTED_MS;
  return { fromMs: use.fromMs, used: isClosed ? Math.max(use.used, fit.requests) : use.used };
}

/** What is known of the period when a window that was used up is still closed after `closedMs`. */
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
  // It began before its first request was sent.
  if (seenMs <= knownMs) return { periodMs: fit.periodMs, closedMs: knownMs };
  return { periodMs: Math.min(fit.periodMs, seenMs), closedMs: Math.max(knownMs, closedMs) };
}
