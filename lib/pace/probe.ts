import { MIN_EXPLAINED } from './bucket-rate.ts';
import { type Stretch, throttlesIn } from './stretch.ts';

/** A trial whether the limit has risen. */
export interface Probe {
  readonly fromMs: number;
  /** The rate before it. */
  readonly perSecond: number;
  /** The rate that it began with. */
  readonly firstPerSecond: number;
  /** Requests admitted without a throttle when it began. */
  readonly calm: number;
}

/** What was known before a throttle, as far as it is about trials. */
interface Tried {
  readonly probe?: Probe | undefined;
  readonly calm: number;
  readonly hold: number;
}

interface Known {
  readonly stretches: readonly Stretch[];
  readonly bestPerSecond?: number | undefined;
}

/** Trials cost a throttle: one in 3,000 requests at first, and fewer each time that one fails. */
export const FIRST_HOLD = 3_000;
const MAX_HOLD = 32_000;

/** How far a trial goes up for its first … */
const PROBE_STEP = 0.02;
/** … requests; each further step is twice as large as the one before. */
const PROBE_REQUESTS = 100;
/** Further than this at once would be no trial. */
const MAX_PROBE = 4;
/** A trial that came this far has shown that the limit is another one. */
const RISEN = 1.15;

/** More was admitted before than this share: whether it is again is tried after as many requests. */
const LOW = 0.7;
/** The same while so few throttles were met that a bucket explains them by chance. */
const LOW_AT_FIRST = 0.9;
const LOW_HOLD = 20;
/** What is left of it when that is throttled within as many. */
const LOW_DECREASE = 0.8;
/** What was admitted long ago counts a little less with each throttle. */
const BEST_DECREASE = 0.995;

/** Begins a trial when it is time; a running one goes on. */
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

/** How far a running trial has come; 0 without one. */
export function probedPerSecond({ calm, probe }: Tried): number {
  if (probe === undefined) return 0;
  let factor = 1;
  for (let step = 0; step <= (calm - probe.calm) / PROBE_REQUESTS && factor < MAX_PROBE; step++) {
    factor *= 1 + PROBE_STEP * 2 ** step;
  }
  return probe.firstPerSecond * Math.min(MAX_PROBE, factor);
}

/** What the throttle says that ended a trial. */
export function verdictOf(tried: Tried): 'none' | 'refuted' | 'failed' | 'risen' {
  const { probe, calm } = tried;
  if (probe === undefined) return 'none';
  const isJump = probe.firstPerSecond > probe.perSecond;
  if (isJump && calm - probe.calm < LOW_HOLD) return 'refuted';
  return probedPerSecond(tried) > probe.perSecond * RISEN ? 'risen' : 'failed';
}

/** After how many requests the next trial begins. */
export function holdAfter({ calm, hold }: Tried, hasRisen: boolean): number {
  if (hasRisen) return FIRST_HOLD;
  return calm >= hold ? Math.min(MAX_HOLD, hold * 2) : hold;
}

/** What of the best rate so far is still expected after a throttle. */
export function bestAfter(bestPerSecond: number, isRefuted: boolean): number {
  return bestPerSecond * (isRefuted ? LOW_DECREASE : BEST_DECREASE);
}
