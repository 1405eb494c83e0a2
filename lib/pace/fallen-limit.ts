import { bestOf, UNEXPLAINED, weigh } from './hypotheses.ts';
import type { Line } from './limit.ts';
import type { RequestLog } from './request-log.ts';

/** A rate that was admitted for so long, and as so many requests, was not above the limit. */
const KEPT_MS = 2_000;
const KEPT_REQUESTS = 50;
/** What is likely now is lower than that by more than a burst makes up for. */
const FALLEN = 0.75;
/** So many throttles tell a limit from chance. */
const THROTTLES = 2;
/** So many show a fall that the whole log does not show. */
const LATEST = 3;
/** A change explains more than if two throttles had another cause. */
const CHANGED = -2 * UNEXPLAINED;

/**
 * What is left of the log when the limit has fallen: a rate that was kept for seconds is now far above what
 * explains the latest throttles.
 *
 * @returns `undefined` when it has not.
 */
export function sinceFall(log: RequestLog, perSecond: number | undefined): RequestLog | undefined {
  // A window admits all of its requests at any rate.
  if (perSecond === undefined) return undefined;
  let fallenAt = -1;
  let from: number | undefined;
  for (const [index, { throttle }] of log.entries()) {
    if (throttle === undefined) continue;
    // What was admitted before the first throttle may have been a burst.
    const run = from === undefined ? [] : log.slice(from, index + 1);
    if (perSecond < FALLEN * keptPerSecond(run)) fallenAt = index;
    from = index + 1;
  }
  return sinceThrottle(log, fallenAt);
}

/**
 * The log from a throttle on that another limit has made. How full that one was then is not known, so no limit explains
 * the throttle: it is left out when there are enough without it, since by chance it would seem likelier than by a limit.
 *
 * @returns `undefined` if it has not made a second one.
 */
export function sinceThrottle(log: RequestLog, at: number): RequestLog | undefined {
  const last = log[at];
  if (last === undefined) return undefined;
  const { throttle, toMs } = last;
  const behind = log.slice(at + 1);
  const throttles = behind.filter((each) => each.throttle !== undefined).length;
  if (throttles >= THROTTLES) return behind;
  const shown = { fromMs: toMs, toMs, requests: 0, atOnce: 0, ...(throttle && { throttle }) };
  return throttles === 0 ? undefined : [shown, ...behind];
}

/** 0 for requests that are too few to tell. */
function keptPerSecond(run: RequestLog): number {
  const requests = run.reduce((sum, each) => sum + each.requests, 0);
  const lastsMs = (run.at(-1)?.toMs ?? 0) - (run[0]?.fromMs ?? 0);
  return lastsMs < KEPT_MS || requests < KEPT_REQUESTS ? 0 : ((requests - 1) / lastsMs) * 1000;
}

/** The log from the latest throttles on: what explains them may not explain all. */
export function sinceThrottles(log: RequestLog): RequestLog {
  const at = log
    .flatMap(({ throttle }, index) => (throttle === undefined ? [] : index))
    .at(-LATEST);
  return at === undefined ? log : log.slice(at);
}

/**
 * The latest throttles, where one explanation until then and another one since are far likelier together than the best one
 * of all. Chance, or a second limit, would explain them too, but badly.
 *
 * @param score Of the best explanation of all.
 * @returns `undefined` where nothing has changed.
 */
export function sinceChange(log: RequestLog, score: number, line: Line): RequestLog | undefined {
  const latest = sinceThrottles(log);
  const before = log.slice(0, log.length - latest.length);
  if (before.length === 0) return undefined;
  const [then, since] = [before, latest].map((part) => bestOf(weigh(part, line)));
  return then !== undefined && since !== undefined && then + since > score + CHANGED
    ? latest
    : undefined;
}
