import { admittedPerSecond } from './admitted-rate.ts';
import { type BucketFit, fitBucket, levelsOf } from './bucket-fit.ts';
import { type Stretch, throttlesIn } from './stretch.ts';

/** The pace for an API that looks like a bucket. */
export interface BucketRate {
  /** The rate to keep. */
  readonly perSecond: number;
  /** Requests at once that were admitted; none that only a low rate would make a burst. */
  readonly burst: number;
  /** Whether buckets explain all throttles; otherwise the rate only goes down until there are few. */
  readonly isCertain: boolean;
  /** Whether the rate was found; from then on it moves in small steps. */
  readonly isSettled: boolean;
  /** Throttles in a row that no bucket explains. */
  readonly misfits: number;
}

/** What was known when a request was throttled. */
export interface BeforeThrottle {
  readonly bucket: BucketRate | undefined;
  /** The rate that was kept, a trial's included. */
  readonly keptPerSecond: number;
  /** The rate before the trial that failed with it. */
  readonly triedFromPerSecond: number | undefined;
  /** Requests admitted since the throttle before. */
  readonly calm: number;
}

/** Fewer throttles are explained by one bucket or another even if they come by chance. */
export const MIN_EXPLAINED = 3;

/** After as many throttles in a row without an explanation a slower pace has not helped: there is no limit to keep. */
const MAX_MISFITS = 8;
/** What is left of the rate after each of them. */
const MISFIT_DECREASE = 0.9;
/** As many requests without a throttle show that it did help. */
const CALM_AGAIN = 300;

/** Rates closer together than this are as good as known. */
const KNOWN_RATIO = 1.08;
/**
 * Where to search between the least and the highest possible rate, 0 to 1: somewhat below the geometric
 * mean, since a rate too high costs a wait of a second or more.
 */
const SEARCH_EXPONENT = 0.4;
/** The same once it is as good as known. */
const KNOWN_EXPONENT = 0.25;
const TIGHT_BURST = 3;
/** Who admitted no more than this at once admits no request that is early. */
export const NO_BURST = 1.5;
/** What is left of the rate after a throttle where there is no burst to make up for the network's jitter. */
const TIGHT_DECREASE = 0.96;
const MAX_SEARCH_STEP = 4;
/** How far a rate that was found moves at once. */
const MAX_SETTLED_STEP = 1.1;
const LEAST_SETTLED_STEP = 0.6;
/** What is left of the burst that was seen before, when a request is throttled. */
const BURST_DECREASE = 0.8;
/** A rate that is looked for is no less than this share of what was admitted on average. */
const LEAST_SHARE = 0.5;

/** The rate after more requests were admitted. */
export function rateAfterAdmitted(
  stretches: readonly Stretch[],
  before: BucketRate | undefined,
): BucketRate | undefined {
  // What was learned from throttles that are forgotten by now stays.
  if (throttlesIn(stretches) === 0) return before;
  const fit = fitBucket(stretches);
  return fit.unexplained > 0 ? before : fittedRate(fit, stretches, before);
}

/** The rate after one was throttled; `undefined` when none would have prevented it. */
export function rateAfterThrottle(
  stretches: readonly Stretch[],
  before: BeforeThrottle,
): BucketRate | undefined {
  const fit = fitBucket(stretches);
  if (fit.unexplained > 0) return rateAfterMisfit(stretches, before);
  const fitted = fittedRate(fit, stretches, before.bucket);
  if (before.bucket === undefined) return fitted;
  const burst = Math.max(
    before.bucket.burst * BURST_DECREASE,
    levelsOf(stretches, fit.mostPerSecond).burst,
  );
  // Whatever explains a throttle, it came at a rate that was hardly too low, and too high without a burst.
  const most = before.keptPerSecond * (burst < NO_BURST ? TIGHT_DECREASE : MAX_SETTLED_STEP);
  const misfits = throttlesInRow(before);
  if (misfits > MAX_MISFITS) return undefined;
  // A rate that was found and is all wrong now is looked for again, from not too far below.
  const least = before.bucket.isSettled ? before.keptPerSecond * LEAST_SETTLED_STEP : 0;
  return {
    ...fitted,
    burst,
    perSecond: Math.max(least, Math.min(fitted.perSecond, most)),
    isSettled: fitted.isSettled && fitted.perSecond >= least,
    misfits,
  };
}

/** Throttles in a row, however slow the pace; those that ended a trial were to be expected. */
function throttlesInRow({ bucket, calm, triedFromPerSecond }: BeforeThrottle): number {
  if (bucket === undefined || calm >= CALM_AGAIN) return 1;
  return bucket.misfits + (triedFromPerSecond === undefined ? 1 : 0);
}

/** The latest stretches that some bucket explains: before them the limit was another one. */
export function explainableStretches(stretches: readonly Stretch[]): readonly Stretch[] {
  let latest = stretches;
  for (;;) {
    if (throttlesIn(latest) < MIN_EXPLAINED) return stretches;
    if (fitBucket(latest).unexplained === 0) return latest;
    latest = latest.slice(latest.findIndex((each) => each.throttle !== undefined) + 1);
  }
}

function fittedRate(
  fit: BucketFit,
  stretches: readonly Stretch[],
  before: BucketRate | undefined,
): BucketRate {
  const isKnown = fit.mostPerSecond < fit.leastPerSecond * KNOWN_RATIO;
  // What was admitted at once in stretches that are forgotten by now was admitted all the same.
  const seen = before?.isSettled === true ? before.burst : 1;
  const burst = Math.max(seen, levelsOf(stretches, fit.mostPerSecond).burst);
  return {
    perSecond: searchedRate(fit, burst, stretches, before),
    burst,
    isCertain: true,
    isSettled: isKnown || before?.isSettled === true,
    misfits: before?.misfits ?? 0,
  };
}

/** Goes down a little, as long as that may help. */
function rateAfterMisfit(
  stretches: readonly Stretch[],
  before: BeforeThrottle,
): BucketRate | undefined {
  const { bucket, keptPerSecond, triedFromPerSecond } = before;
  const admitted = admittedPerSecond(stretches, keptPerSecond);
  if (bucket === undefined) {
    return { perSecond: admitted, burst: 1, isCertain: false, isSettled: false, misfits: 1 };
  }
  const misfits = throttlesInRow(before);
  if (misfits > MAX_MISFITS) return undefined;
  const lowered = (triedFromPerSecond ?? bucket.perSecond) * MISFIT_DECREASE;
  // The rate of successes tells: the API sustains about as much.
  const perSecond = Math.max(lowered, admitted * MISFIT_DECREASE);
  return { perSecond, burst: 1, isCertain: false, isSettled: bucket.isSettled, misfits };
}

/** Between the least and the highest rate that explain all. */
function searchedRate(
  { leastPerSecond, mostPerSecond }: BucketFit,
  burst: number,
  stretches: readonly Stretch[],
  before: BucketRate | undefined,
): number {
  const admitted = admittedPerSecond(stretches, before?.perSecond ?? 0);
  const least = Math.min(mostPerSecond, Math.max(leastPerSecond, admitted));
  const ratio = mostPerSecond / least;
  const isKnown = ratio < KNOWN_RATIO;
  // Without a burst a request that is early by a little is throttled, so the lower rate is the better one.
  const isTight = burst < TIGHT_BURST;
  const step = ratio ** (isKnown ? (isTight ? 0 : KNOWN_EXPONENT) : SEARCH_EXPONENT);
  const wanted = least * Math.min(MAX_SEARCH_STEP, step);
  if (before?.isSettled !== true) return Math.max(wanted, admitted * LEAST_SHARE);
  // A rate that was found stays as long as nothing contradicts it.
  const kept =
    isKnown && !isTight ? Math.min(mostPerSecond, Math.max(least, before.perSecond)) : wanted;
  const most = before.perSecond * (burst < NO_BURST ? 1 : MAX_SETTLED_STEP);
  return Math.min(most, Math.max(kept, admitted * MISFIT_DECREASE));
}
