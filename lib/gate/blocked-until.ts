import type { AskedWait, Throttled } from '../customers-api/outcome.ts';
import { backoffSeconds } from '../customers-api/throttle-wait.ts';

/** The end of the year 9999, the limit for absurd waits: the last one that ISO 8601 writes with four digits. */
const MAX_TIME_MS = Date.UTC(10_000, 0) - 1;

type Asked = { readonly kind: string } & AskedWait;

/** When the wait ends that an answer asks for, milliseconds since the epoch; `undefined` when it asks for none. */
export function endOfWaitMs(throttled: Throttled, nowMs: number): number;
export function endOfWaitMs(asked: Asked, nowMs: number): number | undefined;
export function endOfWaitMs({ retryAfterSeconds: seconds }: Asked, nowMs: number) {
  return seconds === undefined ? undefined : Math.min(MAX_TIME_MS, nowMs + seconds * 1000);
}

/**
 * When the wait of a throttle ends, milliseconds since the epoch. If the API states no wait, the backoff grows
 * with the throttles that the caller has counted, also before this process.
 *
 * @param untoldInRow Throttles in a row before this one without a stated wait.
 * @param fraction 0 (inclusive) to 1 (exclusive), for jitter.
 */
export function blockedUntilMs(
  throttled: Throttled,
  untoldInRow: number,
  fraction: number,
  nowMs: number,
): number {
  const untilMs = endOfWaitMs(throttled, nowMs);
  if (throttled.waitSource !== 'backoff') return untilMs;
  return Math.max(untilMs, nowMs + backoffSeconds(untoldInRow, fraction) * 1000);
}
