import { lostSeconds } from './choose-rate.ts';
import { type LearnedPace, NOTHING_LEARNED, type Trial } from './learned-pace.ts';
import { type Limit, periodMsOf, type WindowLimit } from './limit.ts';
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
/** What a trial of a bucket throttles is at most one of so many requests. */
const SELDOM = 100;

/** What is kept: while a trial runs, more than the first limit. */
export function keptLimits(learned: LearnedPace): readonly Limit[] {
  const limit = triable(learned);
  if (limit === undefined || learned.trial === undefined) return learned.limits;
  return [triedAbove(limit), ...learned.limits.slice(1)];
}

/**
 * A trial of the first limit, as soon as it costs a small share of the time and of the requests before it if it fails, and
 * does not last longer. Of a window more is tried at its end instead.
 *
 * @param isShared Whether others would be throttled too: what a bucket saves while they wait is of no use to them.
 */
export function dueTrial(
  learned: LearnedPace,
  isShared: boolean,
  nowMs: number,
): Trial | undefined {
  const limit = triable(learned);
  if (limit === undefined) return undefined;
  const { log, calmMs, trialAfterMs } = learned;
  const savedS = limit.kind === 'bucket' && !isShared ? limit.burst / limit.perSecond : 0;
  const lostS = dearness(limit) * lostSeconds(latestWaitSeconds(log), savedS);
  const isCheap = calmMs > trialAfterMs * lostS;
  return isCheap && calmMs > trialMs(limit, log) ? { sent: 0, atMs: nowMs } : undefined;
}

/** One request more of a few at the same time is no twentieth, but so many of them: such a trial is as much rarer. */
function dearness(limit: BucketLimit | AtOnceLimit): number {
  if (limit.kind !== 'at-once') return 1;
  return Math.max(1, 1 / (limit.requests * (TRIED_MORE_REQUESTS - 1)));
}

/** The trial after a request that was sent then. What others send counts: where they take most of it, time alone shows nothing. */
export function spentTrial(learned: LearnedPace, atMs: number): Trial | undefined {
  const [{ trial }, limit] = [learned, triable(learned)];
  if (limit === undefined || trial === undefined) return trial;
  const perMs = limit.kind === 'bucket' ? limit.perSecond / 1000 : 0;
  const left = Math.max(0, trial.sent - Math.max(0, atMs - trial.atMs) * perMs);
  // One that is ahead of now is of a clock that was set back since.
  return { sent: left + 1, atMs };
}

/** Whether so much was admitted that the limit must have risen. */
export function hasShown(learned: LearnedPace): boolean {
  const limit = triable(learned);
  if (limit === undefined || learned.trial === undefined) return false;
  const { log, line, trial } = learned;
  if (limit.kind === 'bucket') return trial.sent + 1 > triedBurst(limit, log);
  return trial.sent * line.latencyMs > limit.requests * TRIED_AT_ONCE_MS;
}

/** The first limit, if it is tried by a higher rate: a window of a single request is a bucket without a burst. */
function triable({ limits: [limit] }: LearnedPace): BucketLimit | AtOnceLimit | undefined {
  if (limit === undefined || !('periodMs' in limit)) return limit;
  if (limit.requests > 1) return undefined;
  return { kind: 'bucket', perSecond: 1000 / limit.periodMs, burst: 1 };
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
  if (limit === undefined || !('periodMs' in limit)) return undefined;
  const shared = likelyWindow(learned);
  if (shared === undefined) {
    const isDue = isWindowTrialDue(limit, learned, closedMs);
    return isDue
      ? { ...learned, limits: [triedAbove(limit), ...others], shared: limit }
      : undefined;
  }
  if (admittedIn(WITHIN * limit.periodMs, limit, learned) < limit.requests) return undefined;
  const requests = limit.requests + TRIED_NEXT * (limit.requests - shared.requests);
  const log = latest(learned.log, limit);
  const risen = { ...NOTHING_LEARNED, log, line, blockedUntilMs };
  if (requests > TRIED_MORE * limit.requests) return risen;
  return { ...risen, limits: [{ ...limit, requests }, ...others], shared: limit };
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

function trialMs(limit: BucketLimit | AtOnceLimit, log: RequestLog): number {
  if (limit.kind === 'at-once') return TRIED_AT_ONCE_MS;
  const requests = Math.max(triedBurst(limit, log) / (TRIED_MORE - 1), SELDOM);
  return (requests / limit.perSecond) * 1000;
}

type BucketLimit = Extract<Limit, { kind: 'bucket' }>;
type AtOnceLimit = Extract<Limit, { kind: 'at-once' }>;

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
