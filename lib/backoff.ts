/** Waits between tries: they grow with each failure, and jitter spreads the callers. */
export interface Backoff {
  /** Longest wait after the first failure; it doubles with each further one. */
  readonly firstMs: number;
  /** Limit of the doubling. */
  readonly mostMs: number;
  /** Fixed share of each wait: 0 is full jitter, 1 is none. */
  readonly leastShare: number;
}

/**
 * @param failuresBefore In a row, before this one: 0 for the first.
 * @param fraction 0 (inclusive) to 1 (exclusive).
 * @returns Whole milliseconds.
 */
export function backoffMs(
  { firstMs, mostMs, leastShare }: Backoff,
  failuresBefore: number,
  fraction: number,
): number {
  const longestMs = Math.min(mostMs, firstMs * 2 ** failuresBefore);
  return Math.ceil(longestMs * (leastShare + (1 - leastShare) * fraction));
}
