import {
  chooseRate,
  FASTEST_PER_SECOND,
  keptBucket,
  likelyOf,
  lowOf,
  marksAtOnce,
  type Rate,
  sureRate,
} from './choose-rate.ts';
import { bestOf, type Hypothesis, UNEXPLAINED, weigh } from './hypotheses.ts';
import {
  type Limit,
  type Line,
  SHORT_WAIT_SECONDS,
  sustainedPerSecond,
  type WindowLimit,
} from './limit.ts';
import type { Reading } from './meter.ts';
import type { RequestLog } from './request-log.ts';

/**
 * To keep a sliding window costs little where each begins with a request, and the other way round it costs throttles. To
 * keep windows by our clock costs one throttle, of the first request of a window; by another clock, one whenever a wait
 * has moved it.
 */
const PREFERRED = 20;

/**
 * What a limit of a higher rate counts as: less than throttles by chance, so that it is kept for its burst or its number.
 * Without a limit more and more run at the same time.
 */
const BELOW_CHANCE_PER_SECOND = FASTEST_PER_SECOND - 1;

/**
 * An API that is busy still counts a request whose answer the client has already, and throttles the next one. Each such
 * throttle keeps a place empty for a fiftieth of the latency longer, twice at most: it costs four percent then.
 */
const LATER = 0.02;
const MOST_LATER = 2;
/** It comes when that number was kept for so many times as many requests; others show a lower number. */
const KEPT_BEFORE = 2;

export interface LikelyLimits {
  readonly limits: readonly Limit[];
  /** In place of the first one for others, while that is a try of a higher rate than the likely one. */
  readonly shared: Limit | undefined;
  /** Of a bucket, also where less is kept since the network brings requests closer together. */
  readonly perSecond?: number | undefined;
  /** Where the throttles begin of which the limit explains none, but another one of its kind does. */
  readonly changedAt?: number | undefined;
  /** The logarithm of how likely the log is by what explains it best. */
  readonly score: number;
  /** Whether throttles by chance are likelier than all limits together, and no pace is kept. */
  readonly isByChance?: boolean;
}

/**
 * The limits to keep: the most likely one, and a second one for throttles that it does not explain. That comes first
 * which holds back most.
 *
 * @param calmMs Without a throttle so far.
 */
export function likelyLimits(log: RequestLog, line: Line, calmMs: number): LikelyLimits {
  const hypotheses = weigh(log, line);
  const alone = bestOf(hypotheses);
  const first = mostLikely(hypotheses, log, line, calmMs);
  if (first === undefined) {
    return { limits: [], shared: undefined, score: alone, isByChance: isByChance(hypotheses) };
  }
  const rest = unexplained(log, first.reading);
  const left = rest.flatMap(({ throttle }) => throttle ?? []);
  const isLimit =
    left.length > 1 || left.some(({ waitSeconds }) => waitSeconds > SHORT_WAIT_SECONDS);
  const others = isLimit ? weigh(rest, line) : [];
  const second = isLimit ? mostLikely(others, rest, line, calmMs) : undefined;
  const limits = second === undefined ? [first.limit] : [first.limit, second.limit];
  const kinds = new Set(limits.map(({ kind }) => kind));
  // What is explained by requests at the same time is so by chance, where there is another limit.
  const isOne = second === undefined || kinds.size < limits.length || kinds.has('at-once');
  const { perSecond } = first;
  const changedAt = kinds.size < limits.length ? lastLeft(log, rest) : undefined;
  const kept = isOne ? [first.limit] : limits.toSorted((a, b) => heldTo(a) - heldTo(b));
  const shared = kept[0] === first.limit ? first.shared : undefined;
  // What a second limit explains does not speak against the first one.
  const score = isOne ? alone : Math.max(alone, alone - UNEXPLAINED * left.length + bestOf(others));
  return { limits: kept, shared, score, perSecond, changedAt };
}

function heldTo(limit: Limit): number {
  return sustainedPerSecond(limit) ?? Number.POSITIVE_INFINITY;
}

interface Found {
  readonly limit: Limit;
  readonly reading: Reading;
  readonly shared?: Limit | undefined;
  readonly perSecond?: number;
}

function mostLikely(
  hypotheses: readonly Hypothesis[],
  log: RequestLog,
  line: Line,
  calmMs: number,
): Found | undefined {
  const rates = hypotheses.flatMap((each) => rateOf(each, line));
  const ofRates = rates.reduce((sum, { weight }) => sum + weight, 0);
  const [window, ...windows] = hypotheses
    .flatMap(windowOf)
    .toSorted((a, b) => preferred(b) - preferred(a));
  if (window !== undefined && window.weight > ofRates) return tryingOther(window, windows);
  const likely = likelyOf(rates);
  const chosen = chooseRate(likely, log, calmMs);
  if (chosen === undefined) return undefined;
  const { kind, reading } = chosen;
  if (kind === 'at-once') return { limit: atOnceLimit(chosen, line), reading };
  const sure = sureRate(likely, chosen);
  return {
    limit: keptBucket(chosen, likely, line),
    reading,
    shared: sure && keptBucket(sure, likely, line),
    perSecond: chosen.perSecond,
  };
}

function atOnceLimit({ burst: requests, reading }: Rate, { latencyMs }: Line): Limit {
  const late = reading.throttled.filter(({ near }) => near >= KEPT_BEFORE * requests).length;
  const laterMs = Math.round(Math.min(MOST_LATER, late) * LATER * latencyMs);
  return { kind: 'at-once', requests, ...(laterMs > 0 && { laterMs }) };
}

function isByChance(hypotheses: readonly Hypothesis[]): boolean {
  const all = hypotheses.reduce((sum, { weight }) => sum + weight, 0);
  return hypotheses.some(({ meter, weight }) => meter === undefined && weight > all / 2);
}

function rateOf(
  { meter, reading, share = 1, weight }: Hypothesis,
  { latencyMs }: Line,
): readonly Rate[] {
  const known = { reading, weight };
  if (meter === undefined) {
    return [{ kind: 'chance', perSecond: FASTEST_PER_SECOND, burst: 1 / share, ...known }];
  }
  if ('periodMs' in meter) return [];
  if (meter.kind === 'bucket') {
    const burst = Math.max(1, reading.highest);
    const perSecond = Math.min(BELOW_CHANCE_PER_SECOND, meter.perSecond);
    return [{ kind: 'bucket', perSecond, burst, ...known }];
  }
  const marks = marksAtOnce(reading);
  return marks.map((burst) => {
    const perSecond = Math.min(BELOW_CHANCE_PER_SECOND, (burst * 1000) / Math.max(1, latencyMs));
    return { kind: 'at-once', perSecond, burst, reading, weight: weight / marks.length };
  });
}

interface Window extends Found {
  readonly limit: WindowLimit;
  readonly weight: number;
}

function windowOf({ meter, reading, weight }: Hypothesis): readonly Window[] {
  if (meter === undefined || !('periodMs' in meter)) return [];
  const most = Math.max(1, Math.floor(reading.highest + 0.01));
  // A request at the border of two windows may count in the other one.
  const throttled = reading.throttled.filter(({ level }) => level > most - 1);
  const requests =
    throttled.length === 0 ? most : Math.min(most, Math.ceil(lowOf({ throttled })) - 1);
  return [{ limit: { ...meter, requests: Math.max(1, requests) }, reading, weight }];
}

/** A fixed window that is half as likely or more is worth one throttle, which shows that it is not the real one. */
function tryingOther({ limit, reading, weight }: Window, others: readonly Window[]): Found {
  const other = others.find(
    (each) =>
      each.limit.kind !== 'sliding' &&
      each.limit.periodMs === limit.periodMs &&
      each.weight > weight / 2,
  );
  const isTried = limit.kind === 'sliding' && other !== undefined;
  return { limit: isTried ? { ...limit, tried: other.limit } : limit, reading };
}

function preferred({ limit, weight }: Window): number {
  const isOurClock = limit.kind === 'clock' && limit.laterMs === undefined;
  return weight * (limit.kind === 'sliding' || isOurClock ? PREFERRED : 1);
}

/** The first of the latest throttles that are all left. */
function lastLeft(log: RequestLog, rest: RequestLog): number {
  const explainedAt = log.findLastIndex(
    ({ throttle }, at) => throttle !== undefined && rest[at]?.throttle === undefined,
  );
  return log.findIndex(({ throttle }, at) => throttle !== undefined && at > explainedAt);
}

/** The log without the throttles that a limit explains. */
function unexplained(log: RequestLog, { highest, throttled }: Reading): RequestLog {
  let index = 0;
  return log.map((stretch) => {
    const { throttle, ...admitted } = stretch;
    if (throttle === undefined) return stretch;
    const level = throttled[index++]?.level ?? 0;
    return level + 0.5 > highest ? admitted : stretch;
  });
}
