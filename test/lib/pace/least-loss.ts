import type { Line } from '../../../lib/pace/limit.ts';
import type { Bucket, RealisticLimit } from './realistic-limits.ts';

/** A throttle asks for a whole second at least. */
const WAIT_SECONDS = 1;

/**
 * The best wall time of the first export against the ideal, for any client that does not know the limit.
 *
 * It is throttled at least once. For as long as nothing was throttled, a limit looks like none, so a client that is
 * never throttled takes as long where there is no limit: that is not 1.3 but many times the ideal. While the wait
 * runs the API admits nothing, and afterwards at most the burst more. What was under way may count, so the latency
 * is not lost. What the first throttle leaves open of the rate costs more: see {@link openRate}.
 *
 * @param line Its jitter, and the latency.
 * @param idealMs Of a client that knows the limit.
 */
export function leastFirst(limit: RealisticLimit, line: Line, idealMs: number): number {
  const { bucket, atOnce, rise, pages } = limit;
  if (rise !== undefined) {
    return (exportsWithRise(rise, pages, line.latencyMs).first * 1000) / idealMs;
  }
  const apart = leastLater(limit, line);
  // A limit of requests at the same time saves up nothing.
  if (atOnce !== undefined) return apart + (WAIT_SECONDS * 1000) / idealMs;
  if (bucket === undefined) return apart;
  const lost = (lostSeconds(bucket) * 1000) / idealMs;
  return apart + lost + Math.min(lost, openRate(bucket, line.latencyMs));
}

/**
 * By how much a limit may be faster that looks alike until the second throttle.
 *
 * A first throttle after t seconds shows burst + rate x t, and what was under way behind it, rate x latency to one
 * request. So a rate of 1 / latency more, with a burst that is smaller by t / latency, gives the same answers. A client
 * goes beyond the slower one, and is throttled again where it is that, or keeps it, and takes longer than the ideal by
 * this share where it is the faster one. On the worse of the two every client loses the lower of both. Who holds back
 * until t is so long that there is no such burst takes as long where there is no limit: to be met by it for t seconds, the
 * rate must be above the limit by no more than burst / t, so it climbs by that in t seconds.
 */
export function openRate({ ratePerSecond }: Bucket, latencyMs: number): number {
  return 1000 / latencyMs / ratePerSecond;
}

/**
 * The same for a client that knows the limit, but not how much longer than usual a request takes to the API.
 *
 * A bucket for a single request throttles the second of two that arrive closer than 1 / rate. If they are sent
 * 1 / rate + jitter - x apart, with each way longer by up to the jitter at random, that has the probability
 * (x / jitter)² / 2, and costs the wait. The best x is the one where the gain of x is the cost: jitter² / wait.
 */
export function leastLater(
  { bucket, rise, pages }: RealisticLimit,
  { jitterMs, latencyMs }: Line,
): number {
  if (rise !== undefined) {
    return (exportsWithRise(rise, pages, latencyMs).second * rise.to.ratePerSecond) / pages;
  }
  if (bucket === undefined || bucket.burst > 1) return 1;
  const apartMs = 1000 / bucket.ratePerSecond;
  const waitMs = WAIT_SECONDS * 1000 - apartMs;
  return (apartMs + jitterMs - jitterMs ** 2 / (2 * waitMs)) / apartMs;
}

function lostSeconds({ burst, ratePerSecond }: Bucket): number {
  return Math.max(0, WAIT_SECONDS - burst / ratePerSecond);
}

/** So much of its time a client may spend on trials that fail. */
const TRIALS = 1 / 64;

/**
 * Seconds of two exports, where the limit rises just after a trial that failed: the next one comes lost seconds / TRIALS
 * later, and what is sent until then is sent at the old rate. Each of the two limits throttles once when it is met, and
 * leaves open what {@link openRate} tells: that the old one was known says nothing of the new one.
 */
function exportsWithRise(
  { from, to, afterRequests }: Required<RealisticLimit>['rise'],
  pages: number,
  latencyMs: number,
): { readonly first: number; readonly second: number } {
  const old = afterRequests + (lostSeconds(from) / TRIALS) * from.ratePerSecond;
  const seconds = (atOld: number) => {
    const sent = Math.min(pages, Math.max(0, atOld));
    const isFound = atOld >= 0 && atOld < pages;
    return (
      sent / from.ratePerSecond +
      (pages - sent) / to.ratePerSecond +
      (isFound ? metSeconds(to, latencyMs, pages - sent) : 0)
    );
  };
  return {
    first: seconds(old) + metSeconds(from, latencyMs, Math.min(pages, afterRequests)),
    second: seconds(old - pages),
  };
}

/** What it costs to meet a limit, and to send so many pages under it: on the worse of the two that look alike. */
function metSeconds(bucket: Bucket, latencyMs: number, pages: number): number {
  const lost = lostSeconds(bucket);
  const open = openRate(bucket, latencyMs);
  return lost + Math.min(lost, (pages / bucket.ratePerSecond) * (open / (1 + open)));
}
