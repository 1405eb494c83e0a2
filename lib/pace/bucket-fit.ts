import type { Stretch } from './stretch.ts';

/** The token buckets that explain the answers best: their lowest and highest refill rate. */
export interface BucketFit {
  readonly leastPerSecond: number;
  readonly mostPerSecond: number;
  /** Share of the throttles that they do not explain, 0 to 1; newer throttles count more. */
  readonly unexplained: number;
}

/** The state of a bucket with a given refill rate. */
export interface BucketLevels {
  /** Most requests that it admitted at once: its size is at least this. */
  readonly burst: number;
  /** Requests that are not refilled at the end of the last stretch. */
  readonly level: number;
}

// Looked up once: a fit calls them some 100,000 times.
const { max, min } = Math;

const LEAST_PER_SECOND = 0.005;
const MOST_PER_SECOND = 2_000;
/** Ratio of neighbouring rates in the search, finer than the 5 % that a good pace may be off. */
const GRID_RATIO = 1.02;
/** Each rate represents the rates around it, half way to its neighbours. */
const GRID_BAND = 0.01;

/** Weight of a throttle relative to the next one. */
const OLDER_WEIGHT = 0.7;

/** How much earlier or later than sent a request may arrive. */
const JITTER_SECONDS = 0.02;

/** Fewer requests before a throttle show nothing about a rate. */
const MIN_COUNTED = 4;
/** How uneven the requests of a stretch may be. */
const REFILL_SLACK = 1.1;
/** The same limit after the pace has changed. */
const PACED_SLACK = 3;

const RATES = gridOf(LEAST_PER_SECOND, MOST_PER_SECOND, GRID_RATIO);

/**
 * Finds the refill rates of token buckets that fit. A bucket must hold all requests that were admitted at once,
 * and may throttle only when more requests are unrefilled than ever before.
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

/** Simulates the stretches with a bucket of about this rate, full at first. */
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

function unexplainedShare(stretches: readonly Stretch[], ratePerSecond: number): number {
  const { burst } = levelsOf(stretches, ratePerSecond);
  const slack = min(2 + JITTER_SECONDS * ratePerSecond, 0.1 + (burst - 1) * 0.2);
  const leastLevel = max(1.001, burst - slack);
  // A bucket has its next token after 1 / rate, so a longer wait has another cause.
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
    // A bucket also admits what it refills meanwhile. The first requests may overtake each other and show
    // nothing; later requests were delayed by a pace at times.
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
