import type { PlainLimit } from './plain-limit.ts';

/**
 * The schedule on which all callers of a connection take places for their requests, so that together they keep its
 * limit.
 */
export interface Places {
  /** New with each change: who changed it last. */
  readonly writeToken: string;
  /** Under a bucket: when it would be full again, had it been full before the first place. */
  readonly fullAtMs: number;
  /** Under a window: the current one. */
  readonly window?: {
    readonly fromMs: number;
    readonly used: number;
    /** How many places others than exports asked for, also those who got none. */
    readonly others: number;
    /** The same in the window before. */
    readonly othersBefore: number;
  };
  /** All places that others than exports ever took. */
  readonly others: number;
  /** The latest of them. */
  readonly othersAtMs: number;
}

/** In the order of their priority. `live`: somebody waits for the answer. */
export type Caller = 'live' | 'write' | 'export';

export interface PlaceRequest {
  readonly limit: PlainLimit;
  readonly caller: Caller;
  /** Places wanted, 1 or more; fewer may be granted. */
  readonly count: number;
  /** No place before: now, or the end of a wait that the API asked for. */
  readonly earliestAtMs: number;
  /** When the latest wait that the API asked for is over, 0 for none: a window may begin anew then. */
  readonly openAtMs: number;
  /** The first place is wanted by then, or none. */
  readonly latestAtMs: number;
  readonly nowMs: number;
}

export type PlaceDecision =
  | {
      readonly kind: 'granted';
      /** One time for each place, in order, never before `earliestAtMs`. */
      readonly atMs: readonly number[];
      /** Until when they may be used. */
      readonly untilMs: number;
      readonly next: Places;
    }
  | {
      readonly kind: 'full';
      /** When the next place is free, as far as is known now. */
      readonly againAtMs: number;
      /** Notes under a window that somebody was turned away: exports leave more of the next one. */
      readonly next?: Places;
    };

/**
 * How much of the burst a caller may use. What exports leave is there for live reads: they go at once, though an export
 * is at the limit. The rate in the long run is the same.
 */
const BURST_SHARES: Readonly<Record<Caller, number>> = { live: 1, write: 0.75, export: 0.5 };

/** A time further ahead was stored by a process whose clock is wrong: nobody waits so long for a place. */
const MAX_AHEAD_MS = 60_000;

/** An export that waits in a window longer than this asks again ten times in it, not at its end. */
const SHORT_WINDOW_MS = 20_000;

/** A wait is short while the limit would admit no more than so many requests in it. */
const SHORT_WAIT_REQUESTS = 2;

/** A place may be used so much later: timers are late, and the API counts when the request arrives. */
const MAX_LATE_MS = 100;

/** For so long an export takes places after others took one. Long windows: two of them. */
const SHARED_MS = 60_000;

/**
 * Finds the next places: by the generic cell rate algorithm under a bucket (ITU-T I.371, annex A), by counting under a
 * window. Time that nobody used is not made up for beyond the burst.
 *
 * @param places As they are; `undefined` before the first.
 * @param writeToken Of the next state.
 */
export function decidePlaces(
  places: Places | undefined,
  request: PlaceRequest,
  writeToken: string,
): PlaceDecision {
  const before = places ?? { writeToken, fullAtMs: 0, others: 0, othersAtMs: 0 };
  const taken =
    request.limit.kind === 'bucket'
      ? inBucket(before, request, request.limit)
      : inWindow(before, request, request.limit);
  if (taken.next === undefined) return taken;
  if (request.caller === 'export') return { ...taken, next: { ...taken.next, writeToken } };
  const others = before.others + (taken.kind === 'granted' ? taken.atMs.length : 0);
  return { ...taken, next: { ...taken.next, writeToken, others, othersAtMs: request.nowMs } };
}

/**
 * Whether others than exports took a place lately. Only then exports take places too: who is alone keeps the pace
 * without them.
 */
export function isShared(places: Places | undefined, limit: PlainLimit, nowMs: number): boolean {
  if (places === undefined || places.others === 0) return false;
  const sharedMs = limit.kind === 'bucket' ? SHARED_MS : Math.max(SHARED_MS, 2 * limit.periodMs);
  return Math.abs(nowMs - places.othersAtMs) < sharedMs;
}

/** How many places an export takes at once: as many as nobody notices, since each time costs a write. */
export function placesAtOnce(limit: PlainLimit): number {
  if (limit.kind === 'window') return Math.max(1, Math.floor(limit.requests / 20));
  const { burst, requestsPerSecond } = limit;
  // What comes within 20 ms: a write takes about as long.
  return Math.max(1, Math.floor(burst / 4), Math.ceil(requestsPerSecond * 0.02));
}

type Limit<Kind extends PlainLimit['kind']> = Extract<PlainLimit, { kind: Kind }>;

function inBucket(places: Places, request: PlaceRequest, limit: Limit<'bucket'>): PlaceDecision {
  const { caller, count, earliestAtMs, latestAtMs, nowMs } = request;
  const intervalMs = 1000 / limit.requestsPerSecond;
  const usable = Math.max(1, Math.floor(limit.burst * BURST_SHARES[caller]));
  const burstMs = (usable - 1) * intervalMs;
  const aheadMs = MAX_AHEAD_MS + (limit.burst + 1) * intervalMs;
  let fullAtMs = places.fullAtMs > nowMs + aheadMs ? 0 : places.fullAtMs;
  const atMs: number[] = [];
  while (atMs.length < count) {
    const placeMs = Math.max(earliestAtMs, fullAtMs - burstMs);
    if (atMs.length === 0 && placeMs > latestAtMs) return { kind: 'full', againAtMs: placeMs };
    atMs.push(placeMs);
    fullAtMs = Math.max(fullAtMs, placeMs) + intervalMs;
  }
  const lastMs = atMs.at(-1) ?? earliestAtMs;
  const untilMs = lastMs + Math.max(MAX_LATE_MS, intervalMs);
  return { kind: 'granted', atMs, untilMs, next: { ...places, fullAtMs } };
}

function inWindow(places: Places, request: PlaceRequest, limit: Limit<'window'>): PlaceDecision {
  const { caller, count, earliestAtMs, latestAtMs } = request;
  const window = windowAt(places, request, limit);
  const endMs = window.fromMs + limit.periodMs;
  const kept = caller === 'live' ? 0 : expectedOthers(window, limit, endMs - earliestAtMs);
  const granted = Math.min(count, limit.requests - window.used - kept);
  if (granted < 1) {
    const isShort = limit.periodMs <= SHORT_WINDOW_MS && window.used < limit.requests;
    const soonMs = isShort ? earliestAtMs + limit.periodMs / 10 : endMs;
    const againAtMs = Math.min(endMs, soonMs);
    if (caller === 'export') return { kind: 'full', againAtMs };
    const next = { ...places, window: { ...window, others: window.others + count } };
    return { kind: 'full', againAtMs, next };
  }
  if (earliestAtMs > latestAtMs) return { kind: 'full', againAtMs: earliestAtMs };
  const used = window.used + granted;
  const others = window.others + (caller === 'export' ? 0 : granted);
  return {
    kind: 'granted',
    atMs: Array.from({ length: granted }, () => earliestAtMs),
    untilMs: endMs,
    next: { ...places, window: { ...window, used, others } },
  };
}

/** Who is throttled learns when the API's window ends: ours begins anew then. */
function windowAt({ window }: Places, request: PlaceRequest, { periodMs }: Limit<'window'>) {
  const { earliestAtMs: fromMs, nowMs, openAtMs } = request;
  const isPlausible = window !== undefined && window.fromMs <= nowMs + MAX_AHEAD_MS;
  if (!isPlausible || fromMs >= window.fromMs + 2 * periodMs) {
    return { fromMs, used: 0, others: 0, othersBefore: 0 };
  }
  const { others, othersBefore } = window;
  const isOver = fromMs >= window.fromMs + periodMs;
  if (isOver) return { fromMs, used: 0, others: 0, othersBefore: others };
  if (openAtMs <= window.fromMs) return window;
  return { fromMs, used: 0, others: 0, othersBefore: Math.max(others, othersBefore) };
}

/**
 * How many places live reads will take in the rest of a window, and a little more: they do not come evenly. None in
 * its end: who finds it used up then does not wait long for the next one.
 */
function expectedOthers(
  { others, othersBefore }: NonNullable<Places['window']>,
  { requests, periodMs }: Limit<'window'>,
  restMs: number,
): number {
  const openMs = restMs - (SHORT_WAIT_REQUESTS * periodMs) / requests;
  if (openMs <= 0) return 0;
  // A few requests at the beginning of a window say little.
  const seenMs = Math.max(periodMs - restMs, periodMs / 4);
  const inPeriod = Math.max(othersBefore, (others * periodMs) / seenMs);
  const expected = (inPeriod * openMs) / periodMs;
  return Math.max(1, Math.round(expected + 2 * Math.sqrt(expected)));
}
