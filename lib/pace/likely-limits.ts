import { type Hypothesis, weigh } from './hypotheses.ts';
import type { Limit, Line } from './limit.ts';
import type { Reading } from './meter.ts';
import type { RequestLog } from './request-log.ts';

/** What a throttle costs besides its wait: another step. */
const STEP_SECONDS = 0.12;
/** A throttle costs at least this, also where the burst makes up for its wait: it costs the API too. */
const LEAST_LOSS_SECONDS = 0.4;
/** What is learned anew after a throttle. */
const LEARNING = 1.3;
/** For so long at least the rate is kept that is chosen now; else as long again as without a throttle so far. */
const LEAST_HORIZON_S = 6;
/** Share of the horizon for a rate that is only known roughly, since its throttle came soon. */
const ROUGH = 0.3;
/** Rates that are compared with all others. */
const COMPARED = 160;
const UNLIKELY = 1e-4;

/** A burst is used when the rate is lower with less than this probability. */
const MAY_BE_LOWER = 0.1;
const LOWER = 0.97;
/** What timers that fire late need of it. */
const UNUSED_BURST = 1.5;
/** What is kept of a burst: it is known to half a request. */
const KEPT_OF_BURST = 0.4;
/** The grid of rates is two percent fine. */
const BELOW = 0.993;

/** The network moves the levels that the API counts: a low one of so many throttles counts. */
const LATEST = 8;

/** A bucket explains much; the number of requests at the same time has to be clearly more likely. */
const AT_ONCE_OVER_BUCKET = 0.2;

/**
 * The limits to keep: the most likely one, and a second one for throttles that it does not explain.
 *
 * @param calmMs Without a throttle so far.
 */
export function likelyLimits(log: RequestLog, line: Line, calmMs: number): readonly Limit[] {
  if (!log.some(({ throttle }) => throttle !== undefined)) return [];
  const first = mostLikely(log, line, calmMs);
  if (first === undefined) return [];
  const rest = unexplained(log, first.reading);
  const left = rest.filter(({ throttle }) => throttle !== undefined).length;
  const second = left === 0 ? undefined : mostLikely(rest, line, calmMs);
  const isOther = second !== undefined && second.limit.kind !== first.limit.kind;
  // One throttle is no bucket.
  if (!isOther || (second.limit.kind === 'bucket' && left < 2)) return [first.limit];
  return [first.limit, second.limit];
}

interface Found {
  readonly limit: Limit;
  readonly reading: Reading;
}

function mostLikely(log: RequestLog, line: Line, calmMs: number): Found | undefined {
  const hypotheses = weigh(log, line);
  const buckets = hypotheses.flatMap(bucketOf);
  const others = hypotheses.filter(({ meter }) => meter?.kind !== 'bucket');
  const ofBuckets = buckets.reduce((sum, { weight }) => sum + weight, 0);
  const other = others.reduce((a, b) => (preferred(b) > preferred(a) ? b : a));
  const factor = other.meter?.kind === 'at-once' ? AT_ONCE_OVER_BUCKET : 1;
  if (ofBuckets >= other.weight * factor) return chooseRate(buckets, log, line, calmMs);
  const { meter, reading } = other;
  if (meter === undefined || meter.kind === 'bucket') return undefined;
  const requests = Math.max(1, Math.floor(reading.highest + 0.01));
  if (meter.kind !== 'at-once') {
    // A request at the border of two windows may count in the other one.
    const levels = reading.throttled.flatMap(({ level }) => (level > requests - 1 ? [level] : []));
    return {
      limit: {
        ...meter,
        requests: Math.max(1, Math.min(requests, ...levels.map((each) => Math.ceil(each) - 1))),
      },
      reading,
    };
  }
  const low = lowOf(reading);
  const mark = Math.min(Math.max(requests, Math.ceil(low / 2)), Math.ceil(low * 0.8), low - 1);
  return { limit: { ...meter, requests: Math.max(1, mark) }, reading };
}

/** To keep a sliding window costs little where each begins with a request, and the other way round it costs throttles. */
const SLIDING_OVER_WINDOW = 20;

function preferred({ meter, weight }: Hypothesis): number {
  return weight * (meter?.kind === 'sliding' ? SLIDING_OVER_WINDOW : 1);
}

/** A low one of the levels that were throttled lately. */
function lowOf({ throttled }: Reading): number {
  const levels = throttled.flatMap(({ level }) => (level > 0 ? [level] : [])).slice(-LATEST);
  return levels.toSorted((x, y) => x - y)[Math.floor(levels.length / 4)] ?? 1;
}

interface Bucket {
  readonly perSecond: number;
  readonly reading: Reading;
  readonly weight: number;
}

function bucketOf({ meter, reading, weight }: Hypothesis): readonly Bucket[] {
  return meter?.kind === 'bucket' ? [{ perSecond: meter.perSecond, reading, weight }] : [];
}

/** The rate with the least expected cost: that of being slow, and that of throttles. */
function chooseRate(
  buckets: readonly Bucket[],
  log: RequestLog,
  line: Line,
  calmMs: number,
): Found | undefined {
  const most = Math.max(...buckets.map(({ weight }) => weight));
  const likely = buckets.filter(({ weight }) => weight > most * UNLIKELY);
  const total = likely.reduce((sum, { weight }) => sum + weight, 0);
  const horizonS = Math.max(LEAST_HORIZON_S, calmMs / 1000);
  const wait = log.findLast(({ throttle }) => throttle !== undefined)?.throttle?.waitSeconds ?? 1;
  const stride = Math.max(1, Math.floor(likely.length / COMPARED));
  let chosen: Bucket | undefined;
  let leastCost = Number.POSITIVE_INFINITY;
  for (let index = 0; index < likely.length; index += stride) {
    const tried = likely[index];
    if (tried === undefined) break;
    let cost = 0;
    for (const each of likely) {
      cost += each.weight * costOf(tried.perSecond, each, horizonS, wait + STEP_SECONDS);
      if (cost > leastCost) break;
    }
    if (cost >= leastCost) continue;
    leastCost = cost;
    chosen = tried;
  }
  if (chosen === undefined) return undefined;
  const { perSecond, reading } = chosen;
  const lower = likely.filter((each) => each.perSecond < perSecond * LOWER);
  const isKnown = lower.reduce((sum, { weight }) => sum + weight, 0) < total * MAY_BE_LOWER;
  // While the rate may be lower, the burst is not used: the later a throttle comes, the more it tells.
  const arrival = (perSecond * line.jitterMs) / 1000;
  const mark = Math.min(reading.highest, lowOf(reading) - 1) - arrival - KEPT_OF_BURST;
  // Throttles at the mark, again and again: the network brings requests closer together than they were sent.
  const share = Math.min(1, LATEST / reading.throttled.length);
  const burst = Math.max(1, isKnown ? mark * share : Math.min(mark, UNUSED_BURST));
  return { limit: { kind: 'bucket', perSecond: perSecond * BELOW, burst }, reading };
}

/** What a rate costs in seconds over the horizon, if the bucket is this one. */
function costOf(tried: number, bucket: Bucket, horizonS: number, throttleS: number): number {
  const { perSecond } = bucket;
  if (perSecond >= tried) return horizonS * (perSecond / tried - 1);
  const burst = Math.max(1, bucket.reading.highest);
  const untilS = burst / (tried - perSecond);
  // While the wait runs the bucket fills, and that is used afterwards.
  const lossS = Math.max(LEAST_LOSS_SECONDS, throttleS - burst / perSecond) * LEARNING;
  const roughness = Math.min(0.5, 1 / (untilS * perSecond));
  return lossS * Math.min(1, horizonS / untilS) + horizonS * ROUGH * roughness;
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
