import type { Limit, Line } from './limit.ts';
import type { RequestLog } from './request-log.ts';

/** What the answers have shown about an API's limit. */
export interface LearnedPace {
  readonly log: RequestLog;
  /** The limits that explain it, the one first that holds back most; none where no pace prevents throttles. */
  readonly limits: readonly Limit[];
  /** What others keep in place of the first one while that is a try of a higher rate than is likely. */
  readonly shared?: Limit | undefined;
  readonly line: Line;
  /** End of the latest throttle's wait, milliseconds since the epoch. */
  readonly blockedUntilMs: number;
  /** For how long requests have been sent without a throttle, idle times left out. */
  readonly calmMs: number;
  /** After so long without a throttle a trial shows whether the limit has risen, if it costs a second. */
  readonly trialAfterMs: number;
  /** Of more than the first limit; absent while none runs. */
  readonly trial?: Trial | undefined;
}

/** More than a limit is sent, to see whether it has risen. */
export interface Trial {
  /** How full its bucket would be now; of requests at the same time, how many were sent. */
  readonly sent: number;
  /** When the latest one was sent. */
  readonly atMs: number;
}

/** A trial that fails costs about one throttle, so the next one is twice as late. */
const FIRST_TRIAL_MS = 64_000;
const LAST_TRIAL_MS = 3_600_000;

export const NOTHING_LEARNED: LearnedPace = {
  log: [],
  limits: [],
  line: { latencyMs: 0, jitterMs: 0 },
  blockedUntilMs: 0,
  calmMs: 0,
  trialAfterMs: FIRST_TRIAL_MS,
};

export function laterTrial({ trialAfterMs }: LearnedPace): number {
  return Math.min(LAST_TRIAL_MS, trialAfterMs * 2);
}
