import { lostSeconds } from './choose-rate.ts';
import { type LearnedPace, NOTHING_LEARNED } from './learned-pace.ts';
import { type Limit, periodMsOf, type WindowLimit } from './limit.ts';
import { gaugeOf, type LimitGauge } from './limit-gauge.ts';
import { countSince, readBucket, readWindows } from './meter.ts';
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
  if (limit.kind !== 'bucket') return false;
  const { log, calmMs, trialAfterMs } = learned;
  const lostS = lostSeconds(latestWaitSeconds(log), isShared ? 0 : limit.burst / limit.perSecond);
  return calmMs > trialAfterMs * lostS && calmMs > trialMs(limit, log);
}

/** The same of a window. While it is closed, a wait costs nothing. */
function isWindowTrialDue(limit: WindowLimit, learned: LearnedPace, closedMs: number): boolean {
  const { log, calmMs, trialAfterMs } = learned;
  const more = triedAbove(limit).requests / limit.requests - 1;
  if (closedMs < (1 - WITHIN) * limit.periodMs) return false;
  const lostS = Math.max(1, latestWaitSeconds(log) - closedMs / 1000);
  return calmMs > trialAfterMs * Math.max(lostS, (DEAR * more * periodMsOf(limit)) / 1000);
}

function latestWaitSeconds(log: RequestLog): number {
  return log.findLast((each) => each.throttle)?.throttle?.waitSeconds ?? 1;
}

/**
 * A window of which more is tried, and more of the next one where that was admitted. The gate keeps it for the next step.
 *
 * @param closedMs For how long the next request is held back.
 * @returns `undefined` while nothing else is to be kept than before.
 */
export function triedWindow(learned: LearnedPace, closedMs: number): LearnedPace | undefined {
  const { line, blockedUntilMs } = learned;
  const [limit, ...others] = learned.limits;
  if (limit === undefined || !('periodMs' in limit) || others.length > 0) return undefined;
  const shared = likelyWindow(learned);
  if (shared === undefined) {
    const isDue = isWindowTrialDue(limit, learned, closedMs);
    return isDue ? { ...learned, limits: [triedAbove(limit)], shared: limit } : undefined;
  }
  if (admittedIn(WITHIN * limit.periodMs, limit, learned) < limit.requests) return undefined;
  const requests = limit.requests + TRIED_NEXT * (limit.requests - shared.requests);
  const log = latest(learned.log, limit);
  const risen = { ...NOTHING_LEARNED, log, line, blockedUntilMs };
  if (requests > TRIED_MORE * limit.requests) return risen;
  return { ...risen, limits: [{ ...limit, requests }], shared: limit };
}

/** What the window may still count. The throttles before were those of another limit. */
function latest(log: RequestLog, { periodMs }: WindowLimit): RequestLog {
  const sinceMs = (log.at(-1)?.toMs ?? 0) - periodMs;
  const from = log.findLastIndex(({ toMs, throttle }) => throttle !== undefined || toMs < sinceMs);
  return log.slice(from + 1);
}

/** What others keep while more of it is tried. */
export function likelyWindow({ shared }: LearnedPace): WindowLimit | undefined {
  return shared !== undefined && 'periodMs' in shared ? shared : undefined;
}

/** Of a trial that was throttled: as many as were admitted. `undefined` when the throttle shows more than that. */
export function notRisen(learned: LearnedPace): WindowLimit | undefined {
  const likely = likelyWindow(learned);
  if (likely === undefined) return undefined;
  const requests = admittedIn(likely.periodMs, likely, learned);
  return requests < likely.requests ? undefined : { ...likely, requests };
}

/** How many were admitted so lately, and of a fixed window since it began. */
function admittedIn(spanMs: number, limit: WindowLimit, { log, line }: LearnedPace): number {
  const { toMs = 0 } = log.at(-1) ?? {};
  const { count } = countSince(log, log.length - 1, toMs - spanMs);
  if (limit.kind === 'sliding') return count;
  return Math.min(count, readWindows({ ...limit, kind: limit.kind }, log, line).used);
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
