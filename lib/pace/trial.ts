import { lostSeconds } from './choose-rate.ts';
import type { LearnedPace } from './learned-pace.ts';
import type { Limit } from './limit.ts';
import { gaugeOf, type LimitGauge } from './limit-gauge.ts';
import { readBucket } from './meter.ts';
import type { RequestLog } from './request-log.ts';

/** A trial sends so much more. */
const TRIED_MORE = 2;
const TRIED_MORE_REQUESTS = 1.05;
/** It has shown that the limit has risen when it sent so many times what a full bucket would have admitted. */
const TRIED_BURSTS = 3;
const TRIED_AT_ONCE_MS = 5_000;

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
    if (limit.kind === 'at-once') return;
    this.#sent = gaugeOf(mostOf(limit, log), [], line);
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
  if (limit.kind !== 'bucket') return calmMs > trialAfterMs;
  const { waitSeconds = 1 } = log.findLast((each) => each.throttle)?.throttle ?? {};
  const lostS = lostSeconds(waitSeconds, isShared ? 0 : limit.burst / limit.perSecond);
  return calmMs > trialAfterMs * lostS && calmMs > trialMs(limit, log);
}

function trialMs(limit: BucketLimit, log: RequestLog): number {
  return (triedBurst(limit, log) / (limit.perSecond * (TRIED_MORE - 1))) * 1000;
}

/** What the limit admits at most, as a bucket: two windows in a row, if one ends elsewhere than it seems. */
function mostOf(limit: Exclude<Limit, { kind: 'at-once' }>, log: RequestLog): BucketLimit {
  if (limit.kind === 'bucket') return { ...limit, burst: triedBurst(limit, log) };
  const { requests, periodMs } = limit;
  return { kind: 'bucket', perSecond: (requests / periodMs) * 1000, burst: 2 * requests };
}

type BucketLimit = Extract<Limit, { kind: 'bucket' }>;

function triedBurst({ perSecond }: BucketLimit, log: RequestLog): number {
  const { throttled } = readBucket(perSecond, log, 0).reading;
  return TRIED_BURSTS * Math.max(2, ...throttled.map(({ level }) => level));
}

function triedAbove(limit: Limit): Limit {
  if (limit.kind === 'bucket') {
    return { ...limit, perSecond: limit.perSecond * TRIED_MORE, burst: 1 };
  }
  return { ...limit, requests: Math.ceil(limit.requests * TRIED_MORE_REQUESTS) };
}
