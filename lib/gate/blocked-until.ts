import type { Throttled } from '../customers-api/outcome.ts';
import { backoffSeconds } from '../customers-api/throttle-wait.ts';

/** The end of the year 9999, the limit for absurd waits: the last one that ISO 8601 writes with four digits. */
const MAX_TIME_MS = Date.UTC(10_000, 0) - 1;

/** When a wait that begins now ends, milliseconds since the epoch. */
export function endOfWaitMs(seconds: number, nowMs: number): number {
  return Math.min(MAX_TIME_MS, nowMs + seconds * 1000);
}

/**
 * When the wait of a throttle ends, milliseconds since the epoch. If the API states no wait, the backoff grows
 * with the throttles that the caller has counted, also before this process.
 *
 * @param untoldInRow Throttles in a row before this one without a stated wait.
 * @param fraction 0 (inclusive) to 1 (exclusive), for jitter.
 */
export function blockedUntilMs(
  { retryAfterSeconds, waitSource }: Pick<Throttled, 'retryAfterSeconds' | 'waitSource'>,
  untoldInRow: number,
  fraction: number,
  nowMs: number,
): number {
  const seconds =
    waitSource === 'backoff'
      ? Math.max(retryAfterSeconds, backoffSeconds(untoldInRow, fraction))
      : retryAfterSeconds;
  return endOfWaitMs(seconds, nowMs);
}
