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
  type WindowEnd,
  type WindowFit,
  type WindowUse,
  windowAfterAdmitted,
} from './window-fit.ts';

/** What the answers have shown about an API's limit. Plain JSON, below 3 KB. */
export interface LearnedPace {
  readonly stretches: readonly Stretch[];
  /** The buckets that explain all throttles; absent before the first throttle and when none explains them. */
  readonly bucket?: BucketRate | undefined;
  /** The window that could explain the throttles; present since the first throttle. */
  readonly window?: WindowFit | undefined;
  /** Whether the window explains them better than any bucket. */
  readonly isWindow?: boolean | undefined;
  readonly use?: WindowUse | undefined;
  /** The highest average rate of admitted requests, waits included. */
  readonly bestPerSecond?: number | undefined;
  /** Throttles to meet without a pace, after a pace that did not help. */
  readonly unpaced?: number | undefined;
  /** End of the latest throttle's wait, milliseconds since the epoch. */
  readonly blockedUntilMs: number;
  /** Requests admitted since the latest throttle. */
  readonly calm: number;
  /** After so many of them a trial tests whether the limit has risen. */
  readonly hold: number;
  readonly probe?: Probe | undefined;
}

/** If the admitted rate falls to this share of the best one, learning starts again. */
const WORSE = 0.5;
/** Factor for the best rate after that. */
const ANEW_DECREASE = 0.7;
/** Throttles that are then met without a pace, so that the pace does not distort them. */
const UNPACED_THROTTLES = 3;

/**
 * A bucket that refills every second or faster states no longer wait; two throttles in a row give somewhat more
 * than two seconds.
 */
const LONG_WAIT_SECONDS = 2.9;
/**
 * An API may state one second again and again until its window ends. Each retry waits at least this share of
 * the time since the throttle, so retries get rarer.
 */
const WAIT_GROWTH = 0.25;
/** A short window is proven by so many throttles at its end. */
const PROVEN_HITS = 3;
/** Smaller numbers are equal by chance. */
const MIN_SAME_REQUESTS = 5;

export const NOTHING_LEARNED: LearnedPace = {
  stretches: [],
  blockedUntilMs: 0,
  calm: 0,
  hold: FIRST_HOLD,
};

/** The knowledge after an admitted request. Call it in the order of sending. */
export function learnAdmitted(pace: LearnedPace, sentAtMs: number): LearnedPace {
  // The request was running when another one was throttled.
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

/** The knowledge after requests of other callers: they use up a window too. */
export function learnSpent(pace: LearnedPace, count: number, atMs: number): LearnedPace {
  if (count === 0 || pace.window === undefined) return pace;
  const use = useWindow(pace.use, pace.window, atMs);
  return { ...pace, use: { ...use, used: use.used + count - 1 } };
}

/** The knowledge after a throttled request. Of several running requests the first one shows most. */
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
  // No request was admitted before, so no rate can have been too high.
  if (pace.stretches.length === 0) return { ...pace, blockedUntilMs: endMs };
  const verdict = verdictOf(pace);
  const hasRisen = verdict === 'risen';
  // After a rise only stretches since the start of the trial count.
  const known = hasRisen ? since(pace.stretches, pace.probe?.fromMs ?? 0) : pace.stretches;
  const window = windowOf(pace, { sentAtMs, waitSeconds, endMs, isAgain });
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
  // A pace that keeps the limit raises the admitted rate. A pace that lowers it is useless.
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
    // A wait that was too short made the rate look better than it was.
    bestPerSecond: isLong(next.stretches) && isAgain ? admitted : Math.max(admitted, best),
  };
}

/** The current rate, a trial's included. */
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

/** For how long no request was admitted. */
function askedForSeconds(stretches: readonly Stretch[], nowMs: number): number {
  const throttle = stretches.at(-1)?.throttle;
  return throttle === undefined ? 0 : (nowMs - throttle.atMs) / 1000;
}

function isWindow(
  stretches: readonly Stretch[],
  { hits, requests, same = 0 }: WindowFit,
  bucket: BucketRate | undefined,
): boolean {
  if (same >= PROVEN_HITS && requests >= MIN_SAME_REQUESTS) return true;
  if (bucket?.isCertain === true && throttlesIn(stretches) > 1) return false;
  return isLong(stretches) || (bucket === undefined && hits >= PROVEN_HITS);
}

function isLong(stretches: readonly Stretch[]): boolean {
  return stretches.some(({ throttle }) => (throttle?.waitSeconds ?? 0) >= LONG_WAIT_SECONDS);
}

function windowOf(
  pace: LearnedPace,
  throttle: Omit<WindowEnd, 'previousEndMs' | 'recent'>,
): WindowFit {
  const { sentAtMs } = throttle;
  const use = pace.use ?? { fromMs: sentAtMs, used: 0 };
  const recent = admittedSince(pace.stretches, sentAtMs - (pace.window?.periodMs ?? 0));
  return refitWindow(pace.window, use, {
    ...throttle,
    previousEndMs: pace.blockedUntilMs,
    recent,
  });
}
