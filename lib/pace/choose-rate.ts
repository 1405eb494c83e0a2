import type { Limit, Line } from './limit.ts';
import type { Reading } from './meter.ts';
import type { RequestLog } from './request-log.ts';

/** A limit that is no window, as the rate that it admits in the long run. */
export interface Rate {
  readonly kind: 'bucket' | 'at-once' | 'chance';
  readonly perSecond: number;
  /** What a bucket admits beyond that; of requests at the same time, how many; by chance, for one that is throttled. */
  readonly burst: number;
  readonly reading: Reading;
  readonly weight: number;
}

/** About what one processor takes: throttles by chance hold it back no further. */
export const FASTEST_PER_SECOND = 800;

/** What a throttle costs besides its wait: another step. */
const STEP_SECONDS = 0.12;
/** A throttle costs at least this, also where the burst makes up for its wait: it costs the API too. */
const LEAST_LOSS_SECONDS = 0.4;
/** What is learned anew after a throttle. */
const LEARNING = 1.3;
/** For so long at least the rate is kept that is chosen now; else as long again as without a throttle so far. */
const LEAST_HORIZON_S = 6;
/** How long a list is that is left: a rate that is far too low costs no more than this many pages at it. */
const PAGES = 1_000;
/** So many more throttles show that they come by chance. */
const SHOWN_BY_CHANCE = 3;
/** Share of the horizon for a rate that is only known roughly, since its throttle came soon. */
const ROUGH = 0.3;
/** Rates that are compared with all others. */
const COMPARED = 160;
const UNLIKELY = 1e-4;
/** Of requests at the same time, so many numbers about. */
const MARKS = 8;

/** A rate that is lower by less is the same. */
const LOWER = 0.97;
/** A throttle asks for a second at least. */
const LEAST_WAIT_S = 1;
/** What timers that fire late need of it. */
const UNUSED_BURST = 1.5;
/** What is kept of a burst: it is known to half a request. */
const KEPT_OF_BURST = 0.4;
/** By so many of the jitters that are measured a request may be late. */
const WAY = 1.45;
/** The grid of rates is two percent fine. */
const BELOW = 0.993;
/** The network moves the levels that the API counts: a low one of so many throttles counts. */
const LATEST = 8;

/**
 * The rate with the least expected cost: that of being slow, and that of throttles. So a higher one is tried where
 * that may save more than a throttle costs.
 *
 * @param calmMs Without a throttle so far.
 * @returns `undefined` when no pace costs the least.
 */
export function chooseRate(
  likely: readonly Rate[],
  log: RequestLog,
  calmMs: number,
): Rate | undefined {
  const horizonS = Math.max(LEAST_HORIZON_S, calmMs / 1000);
  const { waitSeconds = 1 } =
    log.findLast(({ throttle }) => throttle !== undefined)?.throttle ?? {};
  const stride = Math.max(1, Math.floor(likely.length / COMPARED));
  let chosen: Rate | undefined;
  let leastCost = Number.POSITIVE_INFINITY;
  for (const [index, tried] of likely.entries()) {
    if (tried.kind === 'bucket' && index % stride > 0) continue;
    let cost = 0;
    for (const each of likely) {
      cost += each.weight * costOf(tried, each, horizonS, waitSeconds);
      if (cost > leastCost) break;
    }
    if (cost >= leastCost) continue;
    leastCost = cost;
    chosen = tried;
  }
  return chosen?.kind === 'chance' ? undefined : chosen;
}

/** Without those that are hardly possible beside the most likely one. */
export function likelyOf(rates: readonly Rate[]): readonly Rate[] {
  const most = Math.max(...rates.map(({ weight }) => weight));
  return rates.filter(({ weight }) => weight > most * UNLIKELY);
}

/** The bucket that is likelier than all others together, where the chosen rate is a try of a higher one. */
export function sureRate(likely: readonly Rate[], chosen: Rate): Rate | undefined {
  const sum = (rates: readonly Rate[]) => rates.reduce((all, { weight }) => all + weight, 0);
  const most = likely.reduce((a, b) => (b.weight > a.weight ? b : a));
  const isNear = ({ perSecond }: Rate) =>
    perSecond >= most.perSecond * LOWER && perSecond * LOWER <= most.perSecond;
  const isTry = most.kind === 'bucket' && most.perSecond < chosen.perSecond;
  return isTry && sum(likely.filter(isNear)) > sum(likely) / 2 ? most : undefined;
}

/** What it costs in seconds over the horizon to keep a rate, if the limit is another one. */
function costOf(tried: Rate, real: Rate, horizonS: number, waitSeconds: number): number {
  const { kind, perSecond, burst } = real;
  if (perSecond >= tried.perSecond) {
    const laterS =
      kind === 'chance'
        ? Math.min(PAGES, SHOWN_BY_CHANCE * burst) / tried.perSecond
        : Math.max(horizonS, PAGES / tried.perSecond);
    return Math.min(
      horizonS * (perSecond / tried.perSecond - 1),
      laterS * (1 - tried.perSecond / perSecond),
    );
  }
  const untilS = (kind === 'bucket' ? burst : 1) / (tried.perSecond - perSecond);
  const lossS = lostSeconds(waitSeconds, kind === 'bucket' ? burst / perSecond : 0) * LEARNING;
  // How many run at the same time is known as soon as it is met.
  const roughness = kind === 'at-once' ? 0 : Math.min(0.5, 1 / (untilS * perSecond));
  return lossS * Math.min(1, horizonS / untilS) + horizonS * ROUGH * roughness;
}

/** What a throttle costs. While its wait runs a bucket fills, and that is used afterwards: so much is saved. */
export function lostSeconds(waitSeconds: number, savedSeconds: number): number {
  return Math.max(LEAST_LOSS_SECONDS, waitSeconds + STEP_SECONDS - savedSeconds);
}

/**
 * The bucket to keep. A burst is used where that saves more than the throttle that it may cost, if the rate is lower.
 * Otherwise it is not: the later a throttle comes, the more it tells.
 */
export function keptBucket(
  { perSecond, reading }: Rate,
  likely: readonly Rate[],
  { jitterMs }: Line,
): Limit {
  const weigh = (rates: readonly Rate[]) => rates.reduce((sum, { weight }) => sum + weight, 0);
  const lower = weigh(likely.filter((each) => each.perSecond < perSecond * LOWER)) / weigh(likely);
  const arrival = (perSecond * jitterMs) / 1000;
  const mark = Math.min(reading.highest, lowOf(reading) - 1) - arrival - KEPT_OF_BURST;
  const savedS = mark / perSecond;
  const isUsed = (1 - lower) * savedS > lower * lostSeconds(LEAST_WAIT_S, savedS) * LEARNING;
  const burst = Math.max(1, isUsed ? mark : Math.min(mark, UNUSED_BURST));
  // Without a burst two requests must not come closer together than the rate, whatever the network does.
  const apart = 1 + Math.max(0, 1 + WAY * arrival - Math.max(1, Math.round(reading.highest)));
  return { kind: 'bucket', perSecond: (perSecond * BELOW) / apart, burst };
}

/**
 * Requests at the same time that this reading may admit: at least as many as it has, and fewer than were throttled. The
 * fewest come first: they are kept where more would bring nothing.
 */
export function marksAtOnce(reading: Reading): readonly number[] {
  const most = Math.max(1, lowOf(reading) - 1);
  const least = Math.max(1, Math.min(most, Math.floor(reading.highest + 0.01)));
  const step = Math.max(1, (most - least) / MARKS);
  return Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, index) =>
    Math.floor(least + index * step),
  );
}

/** A low one of the levels that were throttled lately. */
export function lowOf({ throttled }: Pick<Reading, 'throttled'>): number {
  const levels = throttled.flatMap(({ level }) => (level > 0 ? [level] : [])).slice(-LATEST);
  return levels.toSorted((x, y) => x - y)[Math.floor(levels.length / 4)] ?? 1;
}
