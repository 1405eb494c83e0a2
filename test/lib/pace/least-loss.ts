import type { RealisticLimit } from './realistic-limits.ts';

/** A throttle asks for a whole second at least. */
const WAIT_SECONDS = 1;

/**
 * The best wall time of the first export against the ideal, for any client that does not know the limit.
 *
 * It is throttled at least once. For as long as nothing was throttled, a limit looks like none, so a client that is
 * never throttled takes as long where there is no limit: that is not 1.3 but many times the ideal. While the wait
 * runs the API admits nothing, and afterwards at most the burst more. What was under way may count, so the latency
 * is not lost.
 *
 * @param idealMs Of a client that knows the limit.
 */
export function leastFirst(limit: RealisticLimit, jitterMs: number, idealMs: number): number {
  const { bucket, atOnce } = limit;
  const apart = leastLater(limit, jitterMs);
  // A limit of requests at the same time saves up nothing.
  if (atOnce !== undefined) return apart + (WAIT_SECONDS * 1000) / idealMs;
  if (bucket === undefined) return apart;
  const lostSeconds = Math.max(0, WAIT_SECONDS - bucket.burst / bucket.ratePerSecond);
  return apart + (lostSeconds * 1000) / idealMs;
}

/**
 * The same for a client that knows the limit, but not how much longer than usual a request takes to the API.
 *
 * A bucket for a single request throttles the second of two that arrive closer than 1 / rate. If they are sent
 * 1 / rate + jitter - x apart, with each way longer by up to the jitter at random, that has the probability
 * (x / jitter)² / 2, and costs the wait. The best x is the one where the gain of x is the cost: jitter² / wait.
 */
export function leastLater({ bucket }: RealisticLimit, jitterMs: number): number {
  if (bucket === undefined || bucket.burst > 1) return 1;
  const apartMs = 1000 / bucket.ratePerSecond;
  const waitMs = WAIT_SECONDS * 1000 - apartMs;
  return (apartMs + jitterMs - jitterMs ** 2 / (2 * waitMs)) / apartMs;
}
