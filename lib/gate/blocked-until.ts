import type { Throttled } from '../customers-api/outcome.ts';
import { backoffSeconds } from '../customers-api/throttle-wait.ts';

/** ECMAScript's latest time (8.64e15 ms); absurd waits end there. */
export const MAX_TIME_MS = 8.64e15;

/**
 * When the wait is over that a throttle asks for, milliseconds since the epoch. Where the API names no wait, the
 * guess grows from one such throttle to the next, also beyond what the client of this process remembers.
 *
 * @param untoldInRow Throttles in a row before this one that named no wait, as far as the caller remembers.
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
  return Math.min(MAX_TIME_MS, nowMs + seconds * 1000);
}
