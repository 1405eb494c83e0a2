import { MIN_EXPLAINED } from './bucket-rate.ts';
import { type Stretch, throttlesIn } from './stretch.ts';

/** A trial that tests whether the limit has risen. */
export interface Probe {
  readonly fromMs: number;
  /** The rate before the trial. */
  readonly perSecond: number;
  readonly firstPerSecond: number;
  /** Requests admitted without a throttle before the trial. */
  readonly calm: number;
}

interface Tried {
  readonly probe?: Probe | undefined;
  readonly calm: number;
  readonly hold: number;
}

interface Known {
  readonly stretches: readonly Stretch[];
  readonly bestPerSecond?: number | undefined;
}

/**
 * Requests without a throttle before a trial. A trial costs a throttle: one in 3,000 requests at first, and
 * fewer after each failed trial.
 */
export const FIRST_HOLD = 3_000;
const MAX_HOLD = 32_000;

/** First increase of a trial, for `PROBE_REQUESTS` requests; each further increase is twice as large. */
const PROBE_STEP = 0.02;
const PROBE_REQUESTS = 100;
const MAX_PROBE = 4;
/** A trial that reached this factor has shown that the limit has risen. */
const RISEN = 1.15;

/** Below this share of the best rate, a trial starts after `LOW_HOLD` requests. */
const LOW = 0.7;
/** The same while there are so few throttles that a bucket explains them by chance. */
const LOW_AT_FIRST = 0.9;
const LOW_HOLD = 20;
/** Factor for the best rate when that trial is throttled within `LOW_HOLD` requests. */
const LOW_DECREASE = 0.8;
/** Factor for the best rate after each other throttle, so that old rates fade. */
const BEST_DECREASE = 0.995;

/** Starts a trial when it is due; a running trial continues. */
export function probeAt(
  { probe, calm, hold, stretches, bestPerSecond = 0 }: Tried & Known,
  nowMs: number,
  perSecond: number,
): Probe | undefined {
  const low = bestPerSecond * (throttlesIn(stretches) < MIN_EXPLAINED ? LOW_AT_FIRST : LOW);
  const isLow = perSecond < low;
  if (probe !== undefined || calm < (isLow ? LOW_HOLD : hold)) return probe;
  const firstPerSecond = isLow ? low : perSecond;
  return { fromMs: nowMs, perSecond, firstPerSecond, calm };
}

/** The rate of a running trial; 0 without one. */
export function probedPerSecond({ calm, probe }: Tried): number {
  if (probe === undefined) return 0;
  let factor = 1;
  for (let step = 0; step <= (calm - probe.calm) / PROBE_REQUESTS && factor < MAX_PROBE; step++) {
    factor *= 1 + PROBE_STEP * 2 ** step;
  }
  return probe.firstPerSecond * Math.min(MAX_PROBE, factor);
}

/** What a throttle shows about the trial that it ended. */
export function verdictOf(tried: Tried): 'none' | 'refuted' | 'failed' | 'risen' {
  const { probe, calm } = tried;
  if (probe === undefined) return 'none';
  const isJump = probe.firstPerSecond > probe.perSecond;
  if (isJump && calm - probe.calm < LOW_HOLD) return 'refuted';
  return probedPerSecond(tried) > probe.perSecond * RISEN ? 'risen' : 'failed';
}

export function holdAfter({ calm, hold }: Tried, hasRisen: boolean): number {
  if (hasRisen) return FIRST_HOLD;
  return calm >= hold ? Math.min(MAX_HOLD, hold * 2) : hold;
}

/** The best rate that is still expected after a throttle. */
export function bestAfter(bestPerSecond: number, isRefuted: boolean): number {
  return bestPerSecond * (isRefuted ? LOW_DECREASE : BEST_DECREASE);
}
