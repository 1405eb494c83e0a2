import { type Backoff, backoffMs } from '../backoff.ts';

/**
 * 900 s is the SQS limit of `DelaySeconds`, and often enough for an API, or a service of AWS, that is down. At least half
 * of each wait is fixed, so that a check does not come too early.
 */
const BACKOFF: Backoff = { firstMs: 2_000, mostMs: 900_000, leastShare: 0.5 };

/**
 * When to retry after a failure: up to 2, 4, 8 ... 900 s later, at least half of that.
 *
 * @param inRow Failures in a row before this one.
 * @param fraction 0 (inclusive) to 1 (exclusive), for jitter.
 */
export function retryAtMs(inRow: number, fraction: number, nowMs: number): number {
  return nowMs + backoffMs(BACKOFF, inRow, fraction);
}
