import type { Stretch } from './stretch.ts';

/** The token buckets that explain the answers so far as well as any. */
export interface BucketFit {
  /** Least refill rate among them. */
  readonly leastPerSecond: number;
  /** Highest refill rate among them. */
  readonly mostPerSecond: number;
  /** Share of the throttles that even they do not explain, 0 to 1; newer ones weigh more. */
  readonly unexplained: number;
}

/** What an API with a bucket of one refill rate must have seen. */
export interface BucketLevels {
  /** Requests at once that it admitted: the bucket holds as many at least. */
  readonly burst: number;
  /** Requests that it has not refilled yet at the end of the last stretch. */
  readonly level: number;
}

// Looked up once: a fit calls them some 100,000 times.
const { max, min } = Math;

const LEAST_PER_SECOND = 0.005;
const MOST_PER_SECOND = 2_000;
/** Distance of two rates that are tried: finer than the 5 % that a good pace may be off. */
const GRID_RATIO = 1.02;
/** Each rate stands for those around it, half way to its neighbours. */
const GRID_BAND = 0.01;

/** Weight of each throttle, compared with the one after it. */
const OLDER_WEIGHT = 0.7;

/** By how much requests come earlier or later than they were sent. */
const JITTER_SECONDS = 0.02;

/** Fewer requests before a throttle tell nothing about a rate. */
const MIN_COUNTED = 4;
/** How uneven the requests of a stretch may be. */
const REFILL_SLACK = 1.1;
/** The same where a pace changed meanwhile. */
const PACED_SLACK = 3;

const RATES = gridOf(LEAST_PER_SECOND, MOST_PER_SECOND, GRID_RATIO);

/**
 * Looks for the refill rates of token buckets that fit: the bucket of a rate must hold what was admitted
 * at once, and a request may only have been throttled when as much was out as never before.
 */
export function fitBucket(stretches: readonly Stretch[]): BucketFit {
  let unexplained = Number.POSITIVE_INFINITY;
  let leastPerSecond = LEAST_PER_SECOND;
  let mostPerSecond = MOST_PER_SECOND;
  for (const rate of RATES) {
    const share = unexplainedShare(stretches, rate);
    if (share > unexplained) continue;
    if (share < unexplained) leastPerSecond = rate;
    unexplained = share;
    mostPerSecond = rate;
  }
  return { leastPerSecond, mostPerSecond, unexplained };
}

/** Plays the stretches against a bucket of about this rate, full at first. */
export function levelsOf(stretches: readonly Stretch[], ratePerSecond: number): BucketLevels {
  const perMs = (ratePerSecond * (1 + GRID_BAND)) / 1000;
  let burst = 0;
  let level = 0;
  let lastMs = stretches[0]?.fromMs ?? 0;
  for (const { fromMs, toMs, requests } of stretches) {
    level = max(0, level - perMs * (fromMs - lastMs));
    lastMs = toMs;
    if (requests === 0) continue;
    const growth = requests - perMs * (toMs - fromMs);
    burst = max(burst, level + max(1, growth));
    level = max(1, level + growth);
  }
  return { burst, level };
}

/** Share of the throttles that a bucket of about this rate does not explain; newer ones weigh more. */
function unexplainedShare(stretches: readonly Stretch[], ratePerSecond: number): number {
  const { burst } = levelsOf(stretches, ratePerSecond);
  const slack = min(2 + JITTER_SECONDS * ratePerSecond, 0.1 + (burst - 1) * 0.2);
  const leastLevel = max(1.001, burst - slack);
  // A bucket has its next token after 1 / rate, so who is to wait longer than that met something else.
  const longestWaitSeconds = 1 + 1.5 / ratePerSecond;
  const perMs = (ratePerSecond * (1 - GRID_BAND)) / 1000;
  let level = 0;
  let lastMs = stretches[0]?.fromMs ?? 0;
  let total = 0;
  let unexplained = 0;
  for (const { fromMs, toMs, requests, throttle } of stretches) {
    level = max(0, level - perMs * (fromMs - lastMs));
    lastMs = toMs;
    if (requests > 0) level = max(1, level + requests - perMs * (toMs - fromMs));
    if (throttle === undefined) continue;
    const refused = max(0, level - perMs * (throttle.atMs - toMs)) + 1;
    // A bucket admits what it refills meanwhile. Of the first ones a few may have overtaken each other, and
    // tell nothing; later ones were held back by a pace at times.
    const isFirst = total === 0 && fromMs === stretches[0]?.fromMs;
    const isTooFew = requests < MIN_COUNTED;
    const mostRefilled = (requests + MIN_COUNTED) * (isFirst ? REFILL_SLACK : PACED_SLACK);
    const isRefilled = !isTooFew && perMs * (throttle.atMs - fromMs) > mostRefilled;
    const isFull = refused > leastLevel || (isFirst && isTooFew);
    const isExplained = isFull && !isRefilled && throttle.waitSeconds <= longestWaitSeconds;
    total = total * OLDER_WEIGHT + 1;
    unexplained = unexplained * OLDER_WEIGHT + (isExplained ? 0 : 1);
  }
  return total === 0 ? 0 : unexplained / total;
}

function gridOf(least: number, most: number, ratio: number): readonly number[] {
  const count = Math.ceil(Math.log(most / least) / Math.log(ratio));
  return Array.from({ length: count + 1 }, (_, index) => least * ratio ** index);
}
