/** A limit that counts requests from a start to an end and then begins anew. */
export interface WindowFit {
  /** Requests of one window. */
  readonly requests: number;
  readonly periodMs: number;
  /** Requests admitted beyond its size since the latest throttle. */
  readonly grown?: number | undefined;
  /** Throttles that came when it was used up. */
  readonly hits: number;
  /** Throttles in a row that came long before the window was used up. */
  readonly misses: number;
}

/** The window that is being used. */
export interface WindowUse {
  /** When its first request was sent; milliseconds since the epoch. */
  readonly fromMs: number;
  readonly used: number;
}

/** A throttle that comes earlier than this share of a window has another cause. */
const USED_UP = 0.9;

/** After as many of them the window is taken for smaller. */
const MAX_MISSES = 3;

/** The use of the window after one more request that was admitted. */
export function useWindow(
  use: WindowUse | undefined,
  fit: WindowFit | undefined,
  atMs: number,
): WindowUse {
  const isOver = use !== undefined && fit !== undefined && atMs >= use.fromMs + fit.periodMs;
  if (use === undefined || isOver || atMs < use.fromMs) return { fromMs: atMs, used: 1 };
  return { fromMs: use.fromMs, used: use.used + 1 };
}

/** A throttled request, as far as it tells about windows. */
interface WindowEnd {
  readonly sentAtMs: number;
  /** When the API said that more will be admitted. */
  readonly endMs: number;
  /** The same of the throttle before. */
  readonly previousEndMs: number;
}

/** What the window is after a throttle. */
export function refitWindow(
  fit: WindowFit | undefined,
  { fromMs, used }: WindowUse,
  { sentAtMs, endMs, previousEndMs }: WindowEnd,
): WindowFit {
  const requests = Math.max(1, used);
  const seenMs = endMs - fromMs;
  if (fit === undefined) return { requests, periodMs: seenMs, hits: 1, misses: 0 };
  // Windows follow each other: from end to end is a period, however late its first request came.
  const isNext = fromMs - previousEndMs < seenMs / 10;
  const periodMs = isNext ? endMs - previousEndMs : seenMs;
  if (used >= fit.requests * USED_UP) {
    const isSame = periodMs < fit.periodMs * 1.2;
    const shortestMs = isSame ? Math.min(periodMs, fit.periodMs) : periodMs;
    return { requests, periodMs: shortestMs, hits: fit.hits + 1, misses: 0 };
  }
  const misses = fit.misses + 1;
  if (misses >= MAX_MISSES) return { requests, periodMs: seenMs, hits: 0, misses: 0 };
  // A single wait longer than the whole period: the first one was looked at from its middle.
  const isLonger = endMs - sentAtMs > fit.periodMs;
  return { ...fit, periodMs: isLonger ? periodMs : fit.periodMs, misses, grown: 0 };
}

/** The use of the window after a throttle: it goes on when it was not used up. */
export function useAfterThrottle(
  use: WindowUse | undefined,
  fit: WindowFit | undefined,
  endMs: number,
): WindowUse | undefined {
  if (use === undefined || fit === undefined) return undefined;
  return endMs < use.fromMs + fit.periodMs * USED_UP ? use : undefined;
}
