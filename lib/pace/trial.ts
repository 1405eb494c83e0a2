import { lostSeconds } from './choose-rate.ts';
import { type LearnedPace, NOTHING_LEARNED } from './learned-pace.ts';
import { type Limit, periodMsOf, type WindowLimit } from './limit.ts';
import { gaugeOf, type LimitGauge } from './limit-gauge.ts';
import { countSince, readBucket } from './meter.ts';
import type { RequestLog } from './request-log.ts';

/** A trial sends so much more. */
const TRIED_MORE = 2;
const TRIED_MORE_REQUESTS = 1.05;
/** It has shown that the limit has risen when it sent so many times what a full bucket would have admitted. */
const TRIED_BURSTS = 3;
const TRIED_AT_ONCE_MS = 5_000;
/** So many times as much more is tried of the next window, where that of the one before was admitted. */
const TRIED_NEXT = 4;
/** It has to be admitted in so little of a period that none of the window before are among them. */
const WITHIN = 0.75;
/** What is throttled of a window that has not risen counts four times its time: then it is less than half a hundredth of all. */
const DEAR = 4;

/** More than a limit is sent, to see whether it has risen. */
export class Trial {
  /** What is kept meanwhile. */
  readonly tried: Limit;
  readonly #endsAfterMs: number;
  /** Of what requests fill. What others send counts: where they take most of it, time alone shows nothing. */
  readonly #sent: LimitGauge | undefined;

  constructor(limit: Limit, { log, line, calmMs }: LearnedPace) {
    this.tried = triedAbove(limit);
    this.#endsAfterMs = calmMs + TRIED_AT_ONCE_MS;
    if (limit.kind !== 'bucket') return;
    this.#sent = gaugeOf({ ...limit, burst: triedBurst(limit, log) }, [], line);
  }

  /** Counts a request that was sent then. */
  spend(atMs: number): void {
    this.#sent?.spend(atMs);
  }

  /** Whether so much was admitted that the limit must have risen. */
  hasShown(calmMs: number, nowMs: number): boolean {
    return this.#sent === undefined
      ? calmMs > this.#endsAfterMs
      : this.#sent.dueAtMs(nowMs, 0) > nowMs;
  }
}

/**
 * Whether a trial costs a small share of the time before it if it fails, and does not last longer.
 *
 * @param isShared Whether others would be throttled too: what a bucket saves while they wait is of no use to them.
 */
export function isTrialDue(limit: Limit, learned: LearnedPace, isShared: boolean): boolean {
  const { log, calmMs, trialAfterMs } = learned;
  const { waitSeconds = 1 } = log.findLast((each) => each.throttle)?.throttle ?? {};
  if (limit.kind !== 'bucket') {
    const more = triedAbove(limit).requests / limit.requests - 1;
    // A fixed window is closed as long as its API asks for, a sliding one need not be.
    const lostS = limit.kind === 'sliding' && limit.tried === undefined ? waitSeconds : 1;
    return calmMs > trialAfterMs * Math.max(lostS, (DEAR * more * periodMsOf(limit)) / 1000);
  }
  const lostS = lostSeconds(waitSeconds, isShared ? 0 : limit.burst / limit.perSecond);
  return calmMs > trialAfterMs * lostS && calmMs > trialMs(limit, log);
}

/**
 * A window of which more is tried, and more of the next one where that was admitted. The gate keeps it for the next step.
 *
 * @returns `undefined` while nothing else is to be kept than before.
 */
export function triedWindow(learned: LearnedPace): LearnedPace | undefined {
  const { log, line, blockedUntilMs } = learned;
  const [limit, ...others] = learned.limits;
  if (limit === undefined || !('periodMs' in limit) || others.length > 0) return undefined;
  const shared = likelyWindow(learned);
  if (shared === undefined) {
    const isDue = isTrialDue(limit, learned, false);
    return isDue ? { ...learned, limits: [triedAbove(limit)], shared: limit } : undefined;
  }
  if (admittedLately(limit, log) < limit.requests) return undefined;
  const requests = shared.requests + TRIED_NEXT * (limit.requests - shared.requests);
  const risen = { ...NOTHING_LEARNED, line, blockedUntilMs };
  if (requests > TRIED_MORE * shared.requests) return risen;
  return { ...risen, limits: [{ ...limit, requests }], shared };
}

/** What others keep while more of it is tried. */
export function likelyWindow({ shared }: LearnedPace): WindowLimit | undefined {
  return shared !== undefined && 'periodMs' in shared ? shared : undefined;
}

/** Whether a throttle shows no more than that the window has not risen: what explains it is known. */
export function isNotRisen(learned: LearnedPace): boolean {
  const likely = likelyWindow(learned);
  // What is known is forgotten as soon as more was admitted.
  const isKnown = learned.log.some(({ throttle }) => throttle !== undefined);
  return likely !== undefined && isKnown && admittedLately(likely, learned.log) >= likely.requests;
}

function admittedLately({ periodMs }: WindowLimit, log: RequestLog): number {
  const { toMs = 0 } = log.at(-1) ?? {};
  return countSince(log, log.length - 1, toMs - WITHIN * periodMs).count;
}

function trialMs(limit: BucketLimit, log: RequestLog): number {
  return (triedBurst(limit, log) / (limit.perSecond * (TRIED_MORE - 1))) * 1000;
}

type BucketLimit = Extract<Limit, { kind: 'bucket' }>;

function triedBurst({ perSecond }: BucketLimit, log: RequestLog): number {
  const { throttled } = readBucket(perSecond, log, 0).reading;
  return TRIED_BURSTS * Math.max(2, ...throttled.map(({ level }) => level));
}

function triedAbove<Tried extends Limit>(limit: Tried): Tried {
  if (limit.kind === 'bucket') {
    return { ...limit, perSecond: limit.perSecond * TRIED_MORE, burst: 1 };
  }
  return { ...limit, requests: Math.ceil(limit.requests * TRIED_MORE_REQUESTS) };
}
