import { admittedPerSecond } from './admitted-rate.ts';
import {
  type BeforeThrottle,
  type BucketRate,
  explainableStretches,
  rateAfterAdmitted,
  rateAfterThrottle,
} from './bucket-rate.ts';
import {
  bestAfter,
  FIRST_HOLD,
  holdAfter,
  type Probe,
  probedPerSecond,
  verdictOf,
} from './probe.ts';
import { admittedAt, admittedSince, type Stretch, throttledAt, throttlesIn } from './stretch.ts';
import {
  refitWindow,
  useAfterThrottle,
  useWindow,
  type WindowFit,
  type WindowUse,
  windowAfterAdmitted,
} from './window-fit.ts';

/** What is known of an API's limit, from nothing but its answers. Plain JSON, below 3 KB. */
export interface LearnedPace {
  readonly stretches: readonly Stretch[];
  /** The buckets that explain all of it; absent while no limit was met, and when none explains it. */
  readonly bucket?: BucketRate | undefined;
  /** The window that explains the throttles, if windows do; present since the first one. */
  readonly window?: WindowFit | undefined;
  /** Whether it explains them better than any bucket. */
  readonly isWindow?: boolean | undefined;
  readonly use?: WindowUse | undefined;
  /** The highest rate that was admitted on average, waits included, when last it was looked at. */
  readonly bestPerSecond?: number | undefined;
  /** Throttles that are still to be met without a pace, after one that was kept for nothing. */
  readonly unpaced?: number | undefined;
  /** Until when the latest throttle asked to wait; milliseconds since the epoch. */
  readonly blockedUntilMs: number;
  /** Requests admitted since then. */
  readonly calm: number;
  /** After as many it is tried whether the limit has risen. */
  readonly hold: number;
  /** That trial, once it has begun. */
  readonly probe?: Probe | undefined;
}

/** When no more than this share of what was admitted before is left, all begins anew. */
const WORSE = 0.5;
/** How much of what was admitted then is still expected. */
const ANEW_DECREASE = 0.7;
/** Throttles that are met without a pace then: what they tell is not the work of a pace. */
const UNPACED_THROTTLES = 3;

/**
 * A bucket that refills every second or faster asks for no longer wait than that; with two throttles in a row
 * it comes to somewhat more than two.
 */
const LONG_WAIT_SECONDS = 2.9;
/**
 * An API may ask for a second again and again until its window is over. It is asked less and less often: after
 * another such share of the time that has passed.
 */
const WAIT_GROWTH = 0.25;
/** A short window shows by being used up as often. */
const PROVEN_HITS = 3;
/** Fewer than this are the same number by chance. */
const MIN_SAME_REQUESTS = 5;

export const NOTHING_LEARNED: LearnedPace = {
  stretches: [],
  blockedUntilMs: 0,
  calm: 0,
  hold: FIRST_HOLD,
};

/** The knowledge after a request that was admitted. Requests are to be told in the order they were sent. */
export function learnAdmitted(pace: LearnedPace, sentAtMs: number): LearnedPace {
  // It was under way with one that was throttled.
  if (sentAtMs < pace.blockedUntilMs) return pace;
  const stretches = admittedAt(pace.stretches, sentAtMs);
  const use = useWindow(pace.use, pace.window, sentAtMs);
  const next = {
    ...pace,
    stretches,
    use,
    window: pace.window === undefined ? undefined : windowAfterAdmitted(pace.window, pace.use, use),
    calm: pace.calm + 1,
  };
  const hasBegun = stretches.at(-1)?.requests === 1;
  if (!hasBegun || pace.unpaced !== undefined) return next;
  return { ...next, bucket: rateAfterAdmitted(stretches, pace.bucket) };
}

/** The knowledge after a request that was throttled; of several under way the first one tells most. */
export function learnThrottled(
  pace: LearnedPace,
  sentAtMs: number,
  waitSeconds: number,
  answeredAtMs: number,
): LearnedPace {
  const isAgain = pace.calm === 0 && pace.blockedUntilMs > 0;
  const triedSeconds = isAgain ? askedForSeconds(pace.stretches, sentAtMs) * WAIT_GROWTH : 0;
  const endMs = answeredAtMs + Math.max(waitSeconds, triedSeconds) * 1000;
  if (sentAtMs < pace.blockedUntilMs) {
    return { ...pace, blockedUntilMs: Math.max(pace.blockedUntilMs, endMs) };
  }
  // Nothing was admitted yet, so there is nothing that could have been too much.
  if (pace.stretches.length === 0) return { ...pace, blockedUntilMs: endMs };
  const verdict = verdictOf(pace);
  const hasRisen = verdict === 'risen';
  // Under the new limit only what was seen since then counts.
  const known = hasRisen ? since(pace.stretches, pace.probe?.fromMs ?? 0) : pace.stretches;
  const window = windowOf(pace, sentAtMs, waitSeconds, endMs, isAgain);
  const next = {
    ...pace,
    stretches: explainableStretches(throttledAt(known, sentAtMs, (endMs - answeredAtMs) / 1000)),
    window,
    use: useAfterThrottle(pace.use, window, { endMs, isAgain }),
    probe: undefined,
    blockedUntilMs: endMs,
    calm: 0,
    hold: holdAfter(pace, hasRisen),
  };
  const admitted = admittedPerSecond(next.stretches, keptPerSecond(pace));
  const best = bestAfter(pace.bestPerSecond ?? 0, verdict === 'refuted');
  // A pace that keeps a limit makes the API admit more. One that makes it admit less is kept for nothing.
  if (admitted < best * WORSE && !isAgain) return begunAnew(endMs, best);
  const { unpaced = 0 } = pace;
  if (unpaced > 1) {
    return { ...next, isWindow: isWindow(next.stretches, window, undefined), unpaced: unpaced - 1 };
  }
  const bucket = rateAfterThrottle(next.stretches, beforeThrottle(pace, hasRisen));
  return {
    ...next,
    bucket,
    isWindow: isWindow(next.stretches, window, bucket),
    unpaced: bucket === undefined ? UNPACED_THROTTLES : undefined,
    // A wait that was not enough made it look better than it was.
    bestPerSecond: isLong(next.stretches) && isAgain ? admitted : Math.max(admitted, best),
  };
}

/** The rate that is kept, or tried. */
export function keptPerSecond(pace: LearnedPace): number {
  return Math.max(pace.bucket?.perSecond ?? 0, probedPerSecond(pace));
}

function beforeThrottle(pace: LearnedPace, hasRisen: boolean): BeforeThrottle {
  const { bucket, calm, probe } = pace;
  return {
    bucket: hasRisen && bucket !== undefined ? { ...bucket, isSettled: false } : bucket,
    keptPerSecond: keptPerSecond(pace),
    triedFromPerSecond: hasRisen ? undefined : probe?.perSecond,
    calm,
  };
}

function begunAnew(endMs: number, bestPerSecond: number): LearnedPace {
  return {
    ...NOTHING_LEARNED,
    blockedUntilMs: endMs,
    unpaced: UNPACED_THROTTLES,
    bestPerSecond: bestPerSecond * ANEW_DECREASE,
  };
}

function since(stretches: readonly Stretch[], fromMs: number): readonly Stretch[] {
  return stretches.filter((each) => each.toMs >= fromMs);
}

/** For how long nothing was admitted. */
function askedForSeconds(stretches: readonly Stretch[], nowMs: number): number {
  const throttle = stretches.at(-1)?.throttle;
  return throttle === undefined ? 0 : (nowMs - throttle.atMs) / 1000;
}

/** Whether a window explains the throttles better than any bucket. */
function isWindow(
  stretches: readonly Stretch[],
  { hits, requests, same = 0 }: WindowFit,
  bucket: BucketRate | undefined,
): boolean {
  if (same >= PROVEN_HITS && requests >= MIN_SAME_REQUESTS) return true;
  if (bucket?.isCertain === true && throttlesIn(stretches) > 1) return false;
  return isLong(stretches) || (bucket === undefined && hits >= PROVEN_HITS);
}

/** Whether a wait was longer than the wait for a bucket. */
function isLong(stretches: readonly Stretch[]): boolean {
  return stretches.some(({ throttle }) => (throttle?.waitSeconds ?? 0) >= LONG_WAIT_SECONDS);
}

function windowOf(
  pace: LearnedPace,
  sentAtMs: number,
  waitSeconds: number,
  endMs: number,
  isAgain: boolean,
): WindowFit {
  const use = pace.use ?? { fromMs: sentAtMs, used: 0 };
  const previousEndMs = pace.blockedUntilMs;
  const recent = admittedSince(pace.stretches, sentAtMs - (pace.window?.periodMs ?? 0));
  return refitWindow(pace.window, use, {
    sentAtMs,
    waitSeconds,
    endMs,
    previousEndMs,
    isAgain,
    recent,
  });
}
