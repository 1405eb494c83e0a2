import { likelyRates } from './likely-rates.ts';
import { type Line, type Meter, SHORT_WAIT_SECONDS } from './limit.ts';
import { type Reading, readMeter } from './meter.ts';
import { passedBehind, type RequestLog, type Throttle } from './request-log.ts';
import { weighChance } from './weigh-chance.ts';

/** What may be behind the throttles, and how likely it is. */
export interface Hypothesis {
  /** `undefined`: throttles come by chance. */
  readonly meter: Meter | undefined;
  readonly reading: Reading;
  /** Of throttles by chance. */
  readonly share?: number;
  /** The logarithm of how likely it is together with all that was seen. */
  readonly score: number;
  /** Against the most likely one, which has 1. */
  readonly weight: number;
}

/** Before anything is seen: most APIs have a bucket or a window. */
const PRIOR = {
  bucket: 0.5,
  window: 0.17,
  clock: 0.125,
  otherClock: 0.25,
  sliding: 0.125,
  atOnce: 0.04,
  chance: 0.1,
};

/** A throttle that the limit does not explain has another cause, such as another caller. */
export const UNEXPLAINED = Math.log(0.002);
/** A limit that explains a smaller share of the throttles is not worth keeping. */
const LEAST_EXPLAINED = 0.5;
/** Share of the APIs that ask for another wait than the exact rest, such as the whole window, most of them each time. */
const OTHER_WAIT = 0.05;
const FAR_LONGER_WAIT = 0.001;

/** A burst is the requests of a second, or a few times more or fewer: deviation of its natural logarithm. */
const USUAL_BURST = 1.7;
/** Or there is none, as where requests have to be evenly apart. */
const NO_BURST = Math.log(0.1);

const PERIODS_S = [
  1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
];

/**
 * Windows by another clock than ours, or from when the API was started, may end any time: so many ends are weighed. They
 * are a twentieth of a second apart at most, in which few requests leave that may be counted in the wrong window.
 */
const CLOCKS = 20;

/** A mark is as likely anywhere on a logarithmic scale up to a thousand. */
const LOG_OF_MARKS = 7;

/** By how much levels deviate: the log joins requests, and answers that overtake each other move one of them. */
const BUCKET_SLACK = 0.3;
const WINDOW_SLACK = 1;
/** The deviation of one way, of the jitter that is measured on both. */
const OF_JITTER = 0.6;
/** Of those behind a throttle, one more or fewer is admitted by chance. */
const PASSED_SLACK = 1;
const AT_ONCE_SLACK = 1;
/** Of the number: answers that are on their way count here, and not at the API. */
const AT_ONCE_SLACK_SHARE = 0.1;

type Scored = Omit<Hypothesis, 'weight'>;

/** All hypotheses with what the log says of them. */
export function weigh(log: RequestLog, line: Line): readonly Hypothesis[] {
  const throttles = log.flatMap(({ throttle }) => throttle ?? []);
  const periods = [...PERIODS_S, ...unusualPeriods(log)].sort((a, b) => a - b);
  const { share, fit } = weighChance(log, line);
  const ofChance = { meter: undefined, reading: { highest: 0, throttled: [] }, share };
  const scored: Scored[] = [{ ...ofChance, score: Math.log(PRIOR.chance) + fit }];
  const add = (meter: Meter, prior: number, slack: number) => {
    const reading = readMeter(meter, log, line, slack - 0.2);
    const score = Math.log(prior) + fitOf(meter, reading, throttles, slack);
    scored.push({ meter, reading, score });
  };
  for (const { perSecond, share } of likelyRates()) {
    const slack = BUCKET_SLACK + (OF_JITTER * perSecond * line.jitterMs) / 1000;
    add({ kind: 'bucket', perSecond }, PRIOR.bucket * share, slack);
  }
  const saidMs = throttles.map(
    (each) => each.againMs + line.latencyMs / 2 + each.waitSeconds * 1000,
  );
  for (const seconds of periods) {
    const periodMs = seconds * 1000;
    // Of the clock only usual periods are multiples.
    const isUsual = PERIODS_S.includes(seconds);
    const addClock = () => {
      const prior = PRIOR.clock / PERIODS_S.length;
      if (isUsual) add({ kind: 'clock', periodMs }, prior, WINDOW_SLACK);
    };
    // Of two that are as likely the first one is kept: a wait shows that it is not that by the clock, but not one of a second.
    if (seconds > 1) addClock();
    add({ kind: 'window', periodMs }, PRIOR.window / periods.length, WINDOW_SLACK);
    add({ kind: 'sliding', periodMs }, PRIOR.sliding / periods.length, WINDOW_SLACK);
    if (seconds === 1) addClock();
    for (const laterMs of isUsual ? laterThanClock(periodMs, saidMs) : []) {
      const prior = PRIOR.otherClock / PERIODS_S.length / CLOCKS;
      add({ kind: 'clock', periodMs, laterMs }, prior, WINDOW_SLACK);
    }
  }
  const most = Math.max(0, ...log.map(({ atOnce }) => atOnce));
  add({ kind: 'at-once' }, PRIOR.atOnce, AT_ONCE_SLACK + AT_ONCE_SLACK_SHARE * most);
  const best = bestOf(scored);
  return scored.map((each) => ({ ...each, weight: Math.exp(each.score - best) }));
}

/** The score of the most likely one. */
export function bestOf(hypotheses: readonly Pick<Hypothesis, 'score'>[]): number {
  return Math.max(...hypotheses.map(({ score }) => score));
}

/** The logarithm of how likely the throttles are, if a limit with this meter is the only one. */
function fitOf(
  meter: Meter,
  { highest, throttled }: Reading,
  throttles: readonly Throttle[],
  slack: number,
): number {
  // Windows count whole requests.
  const least = highest + (meter.kind === 'bucket' ? 0 : 1);
  const from = Math.max(1, highest);
  let fit = 0;
  let lowest = Number.POSITIVE_INFINITY;
  let explainedTries = 0;
  let allTries = 0;
  let others = 0;
  for (const [index, { level, restSeconds, near, passed }] of throttled.entries()) {
    const { waitSeconds = 1, tries = 1, behind = [] } = throttles[index] ?? {};
    const off = Math.max(0, least - level) / slack;
    // One of those at about the same level: as unlikely as that it was just this one.
    const among = near > 0 ? 1.2 * Math.log(1 + near) + (near > 3 ? 1 : 0) : 0;
    const deviation =
      PASSED_SLACK * (meter.kind === 'at-once' ? 2 : 1) + (meter.kind === 'bucket' ? slack : 0);
    const otherwise = (passedBehind({ behind }) - passed) / deviation;
    const passing = behind.length > 0 ? Math.log(2.5 * deviation) : 0;
    const explained = -0.5 * (off * off + otherwise * otherwise) - among;
    fit += (Math.max(UNEXPLAINED, explained) - passing) * tries;
    allTries += 1;
    if (explained < UNEXPLAINED) continue;
    explainedTries += 1;
    lowest = Math.min(lowest, level);
    const isExact = restSeconds > waitSeconds - 1.3 && restSeconds < waitSeconds + 1.05;
    const isShort = waitSeconds === 1 && restSeconds < 1;
    const isPeriod = 'periodMs' in meter && meter.periodMs === waitSeconds * 1000;
    const isFarTooLong = !isPeriod && waitSeconds > 3 * restSeconds + 1;
    if (isExact || isShort) continue;
    fit += Math.log(((isFarTooLong ? FAR_LONGER_WAIT : OTHER_WAIT) + others) / (1 + others));
    others += 1;
  }
  // If it is there, more throttles follow that it explains as soon as it is not kept.
  if (explainedTries < allTries * LEAST_EXPLAINED) return Number.NEGATIVE_INFINITY;
  // The next one of many at the same time is throttled: a wider place is only known roughly.
  const width = meter.kind === 'at-once' ? 1 : Math.max(0.3, lowest - highest);
  const place = Math.log(Math.min(1, width / from / LOG_OF_MARKS));
  if (meter.kind !== 'bucket') return fit + place;
  const unusual = Math.log(from / meter.perSecond) / USUAL_BURST;
  const usual = place - 0.5 * unusual * unusual;
  return fit + (from < 2 ? Math.max(usual, NO_BURST) : usual);
}

/**
 * By how much windows may end later than those of our clock. All waits are rounded up to seconds, so the end is not later
 * than the earliest one that they tell, and less than a second before the latest one. The latest throttle counts, with
 * those that agree with it. Of windows of a second waits tell no end: each of them is a second.
 *
 * @param saidMs The ends that the throttles told, one after the other.
 */
function laterThanClock(periodMs: number, saidMs: readonly number[]): readonly number[] {
  const lastMs = saidMs.at(-1);
  if (lastMs === undefined) return [];
  let [earliestMs, latestMs] = [lastMs, lastMs];
  for (const eachMs of saidMs.toReversed()) {
    const endMs = eachMs + Math.round((earliestMs - eachMs) / periodMs) * periodMs;
    const [least, most] = [Math.min(earliestMs, endMs), Math.max(latestMs, endMs)];
    if (periodMs > 1000 && most - least < 1000) [earliestMs, latestMs] = [least, most];
  }
  const stepMs = (1000 + earliestMs - latestMs) / CLOCKS;
  return Array.from({ length: CLOCKS }, (_, index) =>
    Math.round((earliestMs - index * stepMs) % periodMs),
  );
}

/** Periods that the waits of throttles show and that are not in the list. */
function unusualPeriods(log: RequestLog): readonly number[] {
  let fromMs: number | undefined;
  const found = new Set<number>();
  for (const { fromMs: beginMs, throttle } of log) {
    fromMs ??= beginMs;
    if (throttle === undefined) continue;
    // Waits are rounded up to seconds.
    const seconds = Math.floor((throttle.againMs - fromMs) / 1000 + throttle.waitSeconds);
    if (throttle.waitSeconds > SHORT_WAIT_SECONDS && seconds <= LONGEST_PERIOD_S) {
      found.add(seconds);
    }
    fromMs = undefined;
  }
  return [...found].filter((each) => !PERIODS_S.includes(each)).slice(-MAX_UNUSUAL);
}
const MAX_UNUSUAL = 4;
/** Longer ones are no windows of an API: an export waited, or a clock was wrong. The wait itself binds all callers. */
const LONGEST_PERIOD_S = 86_400;
