import { admittedPerSecond } from './admitted-rate.ts';
import { type BucketFit, fitBucket, levelsOf } from './bucket-fit.ts';
import { type Stretch, throttlesIn } from './stretch.ts';

export interface BucketRate {
  readonly perSecond: number;
  /** Most requests that were admitted at once, as far as they are a burst at a realistic rate. */
  readonly burst: number;
  /** Whether buckets explain all throttles. Otherwise the rate only decreases until throttles are rare. */
  readonly isCertain: boolean;
  /** Whether the search for the rate is over; the rate then changes in small steps. */
  readonly isSettled: boolean;
  /** Throttles in a row that no bucket explains. */
  readonly misfits: number;
}

export interface BeforeThrottle {
  readonly bucket: BucketRate | undefined;
  /** The rate at that time, also of a trial. */
  readonly keptPerSecond: number;
  /** The rate before the trial that the throttle ended. */
  readonly triedFromPerSecond: number | undefined;
  /** Requests admitted since the previous throttle. */
  readonly calm: number;
}

/** Fewer throttles fit some bucket even if they are random. */
export const MIN_EXPLAINED = 3;

/** After so many unexplained throttles in a row a slower pace has not helped: no limit is kept. */
const MAX_MISFITS = 8;
const MISFIT_DECREASE = 0.9;
/** After so many requests without a throttle the slower pace has helped. */
const CALM_AGAIN = 300;

/** Rates with a smaller ratio count as known. */
const KNOWN_RATIO = 1.08;
/**
 * Where to search between the lowest and the highest possible rate, 0 to 1. Below the geometric mean, since too
 * high a rate costs a wait of a second or more.
 */
const SEARCH_EXPONENT = 0.4;
/** The same when the rate is known. */
const KNOWN_EXPONENT = 0.25;
const TIGHT_BURST = 3;
/** An API whose largest burst is at most this admits no early request. */
export const NO_BURST = 1.5;
/** Factor for the rate after a throttle without a burst, which would absorb the network's jitter. */
const TIGHT_DECREASE = 0.96;
const MAX_SEARCH_STEP = 4;
/** Largest change of a settled rate. */
const MAX_SETTLED_STEP = 1.1;
const LEAST_SETTLED_STEP = 0.6;
/** Factor for the known burst after a throttle. */
const BURST_DECREASE = 0.8;
/** During the search the rate is at least this share of the average admitted rate. */
const LEAST_SHARE = 0.5;

export function rateAfterAdmitted(
  stretches: readonly Stretch[],
  before: BucketRate | undefined,
): BucketRate | undefined {
  // What older, dropped throttles have taught stays.
  if (throttlesIn(stretches) === 0) return before;
  const fit = fitBucket(stretches);
  return fit.unexplained > 0 ? before : fittedRate(fit, stretches, before);
}

/** @returns The new rate; `undefined` when no rate would have prevented the throttle. */
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
  // The rate at a throttle was hardly too low; without a burst it was too high.
  const most = before.keptPerSecond * (burst < NO_BURST ? TIGHT_DECREASE : MAX_SETTLED_STEP);
  const misfits = throttlesInRow(before);
  if (misfits > MAX_MISFITS) return undefined;
  // A settled rate that is completely wrong is searched again, from not too far below.
  const least = before.bucket.isSettled ? before.keptPerSecond * LEAST_SETTLED_STEP : 0;
  return {
    ...fitted,
    burst,
    perSecond: Math.max(least, Math.min(fitted.perSecond, most)),
    isSettled: fitted.isSettled && fitted.perSecond >= least,
    misfits,
  };
}

/** Throttles in a row that a slower pace did not prevent. Throttles of trials are expected and do not count. */
function throttlesInRow({ bucket, calm, triedFromPerSecond }: BeforeThrottle): number {
  if (bucket === undefined || calm >= CALM_AGAIN) return 1;
  return bucket.misfits + (triedFromPerSecond === undefined ? 1 : 0);
}

/** The latest stretches that a bucket explains: before them the limit was a different one. */
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
  // Bursts in dropped stretches were admitted too.
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

/** Lowers the rate a little, while that may help. */
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
  // The API sustains about the admitted rate.
  const perSecond = Math.max(lowered, admitted * MISFIT_DECREASE);
  return { perSecond, burst: 1, isCertain: false, isSettled: bucket.isSettled, misfits };
}

/** A rate between the lowest and the highest rate that explain all throttles. */
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
  // Without a burst a slightly early request is throttled, so use the lower rate.
  const isTight = burst < TIGHT_BURST;
  const step = ratio ** (isKnown ? (isTight ? 0 : KNOWN_EXPONENT) : SEARCH_EXPONENT);
  const wanted = least * Math.min(MAX_SEARCH_STEP, step);
  if (before?.isSettled !== true) return Math.max(wanted, admitted * LEAST_SHARE);
  // A settled rate stays while nothing contradicts it.
  const kept =
    isKnown && !isTight ? Math.min(mostPerSecond, Math.max(least, before.perSecond)) : wanted;
  const most = before.perSecond * (burst < NO_BURST ? 1 : MAX_SETTLED_STEP);
  return Math.min(most, Math.max(kept, admitted * MISFIT_DECREASE));
}
