/** Admitted requests that were sent at about one rate, and the throttle that ended them. */
export interface Stretch {
  /** When the first request was sent; milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Admitted requests; 0 when the first one was throttled. */
  readonly requests: number;
  /** The most that ran at the same time. */
  readonly atOnce: number;
  readonly throttle?: Throttle;
}

export interface Throttle {
  readonly atMs: number;
  /** When the latest try was throttled again, with no request admitted in between. */
  readonly againMs: number;
  /** How many were throttled one after the other. */
  readonly tries: number;
  /** As the latest one asked for. */
  readonly waitSeconds: number;
  /** Requests that ran at the same time as the first one, itself included. */
  readonly atOnce: number;
  /** Those that were under way already when it was answered. */
  readonly behind: readonly Behind[];
}

/** Requests that were sent soon after each other, behind a throttled one, before its answer said so. */
export interface Behind {
  readonly admitted: number;
  readonly throttled: number;
  /** How long after the throttled one the last of them was sent. */
  readonly afterMs: number;
}

/** Requests behind a throttled one with a smaller gap are told together. */
const BEHIND_GAP_MS = 5;
const MOST_BEHIND = 4;

/** Requests with a smaller gap are in one stretch, even if uneven: several run at the same time. */
const MAX_GAP_MS = 60;

/** A stretch shows a rate when it has so many requests and lasts so long. */
const FULL_REQUESTS = 4;
const FULL_MS = 60;

/** Neighbours are joined when that moves none of their requests by more than this many. */
const MAX_JOIN_ERROR = 0.7;

/** Longer pauses are kept: they show when a window was empty. */
const MAX_OLD_GAP_MS = 500;

/** Stretches are not alike when joining them moves a request by more than half of all: it hides a pause. */
const UNLIKE = 0.5;

/** Each has at most 45 bytes as text: with all of them the pace stays below 4 KB. */
const MAX_STRETCHES = 60;

export type RequestLog = readonly Stretch[];

/** @param isElsewhere By another caller, some time since the request before: when exactly is not known. */
export function logAdmitted(
  log: RequestLog,
  atMs: number,
  atOnce: number,
  isElsewhere = false,
): RequestLog {
  const last = log.at(-1);
  if (last !== undefined && continues(last, { atMs, atOnce, isElsewhere })) {
    const most = Math.max(last.atOnce, atOnce);
    return [
      ...log.slice(0, -1),
      { ...last, toMs: atMs, requests: last.requests + 1, atOnce: most },
    ];
  }
  const begun = { fromMs: atMs, toMs: atMs, requests: 1, atOnce };
  return shortened([...joinLast(log), begun]);
}

export function logThrottled(
  log: RequestLog,
  { atMs, atOnce, waitSeconds }: Pick<Throttle, 'atMs' | 'atOnce' | 'waitSeconds'>,
): RequestLog {
  const before = joinLast(log);
  const last = before.at(-1);
  if (last?.throttle !== undefined && atMs >= last.throttle.atMs) {
    const tries = last.throttle.tries + 1;
    const again = { ...last.throttle, againMs: atMs, tries, waitSeconds };
    return [...before.slice(0, -1), { ...last, throttle: again }];
  }
  const throttle = { atMs, againMs: atMs, tries: 1, waitSeconds, atOnce, behind: [] };
  if (last !== undefined && last.throttle === undefined && atMs - last.toMs <= MAX_GAP_MS) {
    return [...before.slice(0, -1), { ...last, throttle }];
  }
  const refused = { fromMs: atMs, toMs: atMs, requests: 0, atOnce: 0, throttle };
  return shortened([...before, refused]);
}

/** Adds a request that was under way behind the latest throttle. */
export function logBehind(log: RequestLog, atMs: number, isAdmitted: boolean): RequestLog {
  const last = log.at(-1);
  if (last?.throttle === undefined) return log;
  const { againMs, behind: before } = last.throttle;
  const afterMs = Math.max(0, atMs - againMs);
  const latest = before.at(-1);
  const isNear =
    latest !== undefined &&
    (afterMs - latest.afterMs <= BEHIND_GAP_MS || before.length === MOST_BEHIND);
  const { admitted, throttled } = isNear ? latest : { admitted: 0, throttled: 0 };
  const added = {
    admitted: admitted + (isAdmitted ? 1 : 0),
    throttled: throttled + (isAdmitted ? 0 : 1),
    afterMs,
  };
  const behind = [...(isNear ? before.slice(0, -1) : before), added];
  return [...log.slice(0, -1), { ...last, throttle: { ...last.throttle, behind } }];
}

/** How many of them were admitted. */
export function passedBehind({ behind }: Pick<Throttle, 'behind'>): number {
  return behind.reduce((sum, { admitted }) => sum + admitted, 0);
}

/**
 * Joins two old stretches without a throttle between them: what a window counts is not forgotten. Those that are moved
 * least are joined first, and before all others those behind the latest throttle that are alike, so that a throttle still
 * tells how full a bucket was, and how many ran at the same time. Where none are alike, the first ones after the latest
 * throttle are left out, up to a pause: later ones tell more.
 */
function shortened(log: RequestLog): RequestLog {
  if (log.length <= MAX_STRETCHES) return log;
  const calm = calmAt(log);
  const pause = calm > 0 ? pauseAfter(log, calm) : -1;
  const behind = calm > 0 ? mostAlike(log, UNLIKE, calm) : -1;
  const at = behind < 0 ? mostAlike(log, pause < 0 ? Number.POSITIVE_INFINITY : UNLIKE, 0) : behind;
  const [first, second] = at < 0 ? [] : log.slice(at, at + 2);
  if (first === undefined || second === undefined) {
    return log.toSpliced(calm, Math.max(1, pause - calm));
  }
  return log.toSpliced(at, 2, joined(first, second));
}

/** The oldest stretch that the latest throttle does not depend on: without throttles nothing explains the next one. */
function calmAt(log: RequestLog): number {
  const at = 1 + log.findLastIndex(({ throttle }) => throttle !== undefined);
  return at < MAX_STRETCHES / 2 ? at : 0;
}

/** The first of the old stretches behind that one that comes after a pause; -1 if there is none. */
function pauseAfter(log: RequestLog, from: number): number {
  return log
    .slice(0, MAX_STRETCHES / 2)
    .findIndex(
      ({ fromMs }, at) => at > from && fromMs - (log[at - 1]?.toMs ?? 0) >= MAX_OLD_GAP_MS,
    );
}

/**
 * Where those begin of the old stretches; -1 if none may be joined.
 *
 * @param unlike The share of their requests by which one of them may be moved.
 */
function mostAlike(log: RequestLog, unlike: number, from: number): number {
  let found = -1;
  let leastError = Number.POSITIVE_INFINITY;
  for (let at = from; at < MAX_STRETCHES / 2; at++) {
    const [stretch, next] = [log[at], log[at + 1]];
    if (stretch === undefined || next === undefined || stretch.throttle !== undefined) continue;
    const gapMs = Math.max(stepMsOf(stretch), next.fromMs - stretch.toMs, stepMsOf(next));
    if (gapMs >= MAX_OLD_GAP_MS) continue;
    const error = joinError(stretch, next) + Math.abs(next.atOnce - stretch.atOnce);
    if (error > unlike * (stretch.requests + next.requests)) continue;
    if (error < leastError) [found, leastError] = [at, error];
  }
  return found;
}

function stepMsOf({ fromMs, toMs, requests }: Stretch): number {
  return (toMs - fromMs) / Math.max(1, requests - 1);
}

/** By how many requests it moves one of them; no limit counts more than one in a millisecond. */
function joinError(before: Stretch, after: Stretch): number {
  const { fromMs } = before;
  const stepMs = stepMsOf(joined(before, after));
  const endMs = (before.requests - 1) * stepMs - (before.toMs - fromMs);
  const beginMs = after.requests === 0 ? 0 : before.requests * stepMs - (after.fromMs - fromMs);
  return Math.max(Math.abs(endMs), Math.abs(beginMs)) / Math.max(1, stepMs);
}

function joined(before: Stretch, after: Stretch): Stretch {
  const requests = before.requests + after.requests;
  return {
    ...after,
    fromMs: before.fromMs,
    // Where only a throttle is joined, nothing was admitted as late as that.
    toMs: after.requests === 0 ? before.toMs : after.toMs,
    requests,
    atOnce: Math.max(before.atOnce, after.atOnce),
  };
}

function continues(
  stretch: Stretch,
  { atMs, atOnce, isElsewhere }: { atMs: number; atOnce: number; isElsewhere: boolean },
): boolean {
  if (stretch.throttle !== undefined || atMs < stretch.toMs) return false;
  const isFull = stretch.requests >= FULL_REQUESTS && stretch.toMs - stretch.fromMs >= FULL_MS;
  const isMore = stretch.requests >= FULL_REQUESTS && atOnce > stretch.atOnce;
  if (isFull || isMore || atMs - stretch.toMs > MAX_GAP_MS) return false;
  const next = { fromMs: atMs, toMs: atMs, requests: 1, atOnce };
  return isElsewhere || joinError(stretch, next) <= MAX_JOIN_ERROR;
}

/** Joins the last two stretches if the joined one describes them almost as well. */
function joinLast(log: RequestLog): RequestLog {
  const [before, last] = log.slice(-2);
  if (before === undefined || last === undefined || before.throttle !== undefined) return log;
  if (last.atOnce > before.atOnce + 1) return log;
  return joinError(before, last) <= MAX_JOIN_ERROR
    ? [...log.slice(0, -2), joined(before, last)]
    : log;
}
