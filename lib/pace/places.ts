import type { PlainLimit } from './plain-limit.ts';

/**
 * The schedule on which all callers of a connection take places for their requests, so that together they keep its
 * limit. 0 where nothing was taken yet.
 */
export interface Places {
  /** Under a bucket: when it would be full again, had it been full before the first place. */
  readonly fullAtMs: number;
  /** Under a window: when the current one began. */
  readonly windowFromMs: number;
  readonly windowUsed: number;
  /** How many places of it others than exports asked for, also those who got none. */
  readonly windowAsked: number;
  /** The same in the window before. */
  readonly windowAskedBefore: number;
  /** All places that others than exports ever took. */
  readonly othersTaken: number;
  /** The latest of them. */
  readonly othersAtMs: number;
}

/**
 * A change that the ledger makes in one call, however many callers make theirs at the same time. It adds to what is
 * there, so that callers who take places at once do not make each other try again.
 */
export interface PlaceChange {
  /** Made only while each member is within its bounds; `none`: while there are no places. */
  readonly expected: 'none' | { readonly [K in keyof Places]?: Bounds };
  readonly set: Partial<Places>;
  readonly add: Partial<Places>;
}

export interface Bounds {
  readonly atLeast?: number;
  readonly atMost?: number;
}

const NO_PLACES: Places = {
  fullAtMs: 0,
  windowFromMs: 0,
  windowUsed: 0,
  windowAsked: 0,
  windowAskedBefore: 0,
  othersTaken: 0,
  othersAtMs: 0,
};

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
  /** `count` places, once the change is made: see {@link grantedPlaces}. */
  | { readonly kind: 'granted'; readonly count: number; readonly change: PlaceChange }
  | {
      readonly kind: 'full';
      /** When the next place is free, as far as is known now. */
      readonly againAtMs: number;
      /** Notes under a window that somebody was turned away: exports leave more of the next one. */
      readonly change?: PlaceChange;
    };

export interface GrantedPlaces {
  /** One time for each place, in order, never before `earliestAtMs`. */
  readonly atMs: readonly number[];
  /**
   * Until when they may be used by pages and writes, which take later ones after that. A live read is sent however late
   * it is: somebody waits for it, and where places come late, so would the next one.
   */
  readonly untilMs: number;
}

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
 * @param places As they were seen; `undefined` before the first. Where they have changed so much that the decision is
 * wrong, its change is not made.
 */
export function decidePlaces(places: Places | undefined, request: PlaceRequest): PlaceDecision {
  const { limit } = request;
  const seen = places ?? NO_PLACES;
  const decision =
    limit.kind === 'bucket' ? inBucket(seen, request, limit) : inWindow(seen, request, limit);
  if (places !== undefined || decision.change === undefined) return decision;
  const { set, add } = decision.change;
  return {
    ...decision,
    change: { expected: 'none', set: { ...NO_PLACES, ...add, ...set }, add: {} },
  };
}

/** @param after The places after the change of the decision. */
export function grantedPlaces(
  { limit, caller, earliestAtMs }: PlaceRequest,
  count: number,
  after: Places,
): GrantedPlaces {
  if (limit.kind === 'window') {
    const atMs = Array.from({ length: count }, () => earliestAtMs);
    return { atMs, untilMs: after.windowFromMs + limit.periodMs };
  }
  const { intervalMs, burstMs } = rhythmOf(limit, caller);
  const fromMs = after.fullAtMs - count * intervalMs;
  const atMs = Array.from({ length: count }, (_, index) =>
    Math.max(earliestAtMs, fromMs + index * intervalMs - burstMs),
  );
  return { atMs, untilMs: (atMs.at(-1) ?? 0) + Math.max(MAX_LATE_MS, intervalMs) };
}

/** The places after a change, or `undefined` where it is not made. */
export function changedPlaces(
  places: Places | undefined,
  { expected, set, add }: PlaceChange,
): Places | undefined {
  if (places === undefined || expected === 'none') {
    return places === undefined && expected === 'none' ? { ...NO_PLACES, ...set } : undefined;
  }
  const after = { ...places, ...set };
  for (const [name, value] of Object.entries(places)) {
    if (!isPlacesMember(name)) continue;
    const { atLeast = -Infinity, atMost = Infinity } = expected[name] ?? {};
    if (value < atLeast || value > atMost) return undefined;
    after[name] += add[name] ?? 0;
  }
  return after;
}

function isPlacesMember(name: string): name is keyof Places {
  return Object.hasOwn(NO_PLACES, name);
}

/**
 * Whether others than exports took a place lately. Only then exports take places too: who is alone keeps the pace
 * without them.
 */
export function isShared(places: Places | undefined, limit: PlainLimit, nowMs: number): boolean {
  if (places === undefined || places.othersTaken === 0) return false;
  const sharedMs = limit.kind === 'bucket' ? SHARED_MS : Math.max(SHARED_MS, 2 * limit.periodMs);
  return Math.abs(nowMs - places.othersAtMs) < sharedMs;
}

/**
 * How many places an export takes at once: as many as nobody notices, since each time costs a write.
 *
 * @param tookMs How long taking them takes.
 */
export function placesAtOnce(limit: PlainLimit, tookMs: number): number {
  if (limit.kind === 'window') return Math.max(1, Math.floor(limit.requests / 20));
  const { burst, requestsPerSecond } = limit;
  return Math.max(1, Math.floor(burst / 4), Math.ceil((requestsPerSecond * tookMs) / 1000));
}

type Limit<Kind extends PlainLimit['kind']> = Extract<PlainLimit, { kind: Kind }>;

function rhythmOf({ requestsPerSecond, burst }: Limit<'bucket'>, caller: Caller) {
  const intervalMs = 1000 / requestsPerSecond;
  const usable = Math.max(1, Math.floor(burst * BURST_SHARES[caller]));
  return { intervalMs, burstMs: (usable - 1) * intervalMs };
}

function inBucket(places: Places, request: PlaceRequest, limit: Limit<'bucket'>): PlaceDecision {
  const { caller, count, earliestAtMs, latestAtMs, nowMs } = request;
  const { fullAtMs } = places;
  const { intervalMs, burstMs } = rhythmOf(limit, caller);
  const implausibleMs = nowMs + MAX_AHEAD_MS + (limit.burst + 1) * intervalMs;
  const spentMs = count * intervalMs;
  const others = takenBy(request, count);
  const isImplausible = fullAtMs > implausibleMs;
  if (isImplausible || fullAtMs < earliestAtMs) {
    if (earliestAtMs > latestAtMs) return { kind: 'full', againAtMs: earliestAtMs };
    const bounds = isImplausible ? { atLeast: implausibleMs } : { atMost: earliestAtMs };
    const set = { ...others.set, fullAtMs: earliestAtMs + spentMs };
    return {
      kind: 'granted',
      count,
      change: { expected: { fullAtMs: bounds }, set, add: others.add },
    };
  }
  const placeMs = Math.max(earliestAtMs, fullAtMs - burstMs);
  if (placeMs > latestAtMs) return { kind: 'full', againAtMs: placeMs };
  const bounds = { atLeast: earliestAtMs, atMost: latestAtMs + burstMs };
  const add = { ...others.add, fullAtMs: spentMs };
  return {
    kind: 'granted',
    count,
    change: { expected: { fullAtMs: bounds }, set: others.set, add },
  };
}

/** What a change says of others than exports. */
function takenBy({ caller, nowMs }: PlaceRequest, count: number): Pick<PlaceChange, 'set' | 'add'> {
  if (caller === 'export') return { set: {}, add: {} };
  return { set: { othersAtMs: nowMs }, add: { othersTaken: count } };
}

function inWindow(places: Places, request: PlaceRequest, limit: Limit<'window'>): PlaceDecision {
  const { caller, count, earliestAtMs, latestAtMs } = request;
  const window = windowAt(places, request, limit);
  const endMs = window.windowFromMs + limit.periodMs;
  const kept = caller === 'live' ? 0 : expectedOthers(window, limit, endMs - earliestAtMs);
  const mostUsed = limit.requests - kept;
  const granted = Math.min(count, mostUsed - window.windowUsed);
  if (granted < 1) {
    const isShort = limit.periodMs <= SHORT_WINDOW_MS && window.windowUsed < limit.requests;
    const soonMs = isShort ? earliestAtMs + limit.periodMs / 10 : endMs;
    const againAtMs = Math.min(endMs, soonMs);
    if (caller === 'export') return { kind: 'full', againAtMs };
    return { kind: 'full', againAtMs, change: changeIn(places, window, { windowAsked: count }) };
  }
  if (earliestAtMs > latestAtMs) return { kind: 'full', againAtMs: earliestAtMs };
  const others = takenBy(request, granted);
  const windowAsked = caller === 'export' ? 0 : granted;
  const { expected, set, add } = changeIn(places, window, { windowUsed: granted, windowAsked });
  const isCurrent = window.windowFromMs === places.windowFromMs;
  const room = isCurrent ? { windowUsed: { atMost: mostUsed - granted } } : {};
  return {
    kind: 'granted',
    count: granted,
    change: {
      expected: { ...expected, ...room },
      set: { ...set, ...others.set },
      add: { ...add, ...others.add },
    },
  };
}

type Window = Pick<Places, 'windowFromMs' | 'windowUsed' | 'windowAsked' | 'windowAskedBefore'>;

/** Adds to the current window, or begins a new one with what is added. */
function changeIn(places: Places, window: Window, added: Partial<Window>) {
  const { windowFromMs } = places;
  const expected = { windowFromMs: { atLeast: windowFromMs, atMost: windowFromMs } };
  return window.windowFromMs === windowFromMs
    ? { expected, set: {}, add: added }
    : { expected, set: { ...window, ...added }, add: {} };
}

/** Who is throttled learns when the API's window ends: ours begins anew then. */
function windowAt(places: Places, request: PlaceRequest, { periodMs }: Limit<'window'>): Window {
  const { earliestAtMs, nowMs, openAtMs } = request;
  const { windowFromMs, windowUsed, windowAsked, windowAskedBefore } = places;
  const begun = { windowFromMs: earliestAtMs, windowUsed: 0, windowAsked: 0 };
  const isPlausible = windowFromMs <= nowMs + MAX_AHEAD_MS;
  if (!isPlausible || earliestAtMs >= windowFromMs + 2 * periodMs) {
    return { ...begun, windowAskedBefore: 0 };
  }
  const isOver = earliestAtMs >= windowFromMs + periodMs;
  if (isOver) return { ...begun, windowAskedBefore: windowAsked };
  if (openAtMs > windowFromMs) {
    return { ...begun, windowAskedBefore: Math.max(windowAsked, windowAskedBefore) };
  }
  return { windowFromMs, windowUsed, windowAsked, windowAskedBefore };
}

/**
 * How many places live reads will take in the rest of a window, and a little more: they do not come evenly. None in
 * its end: who finds it used up then does not wait long for the next one.
 */
function expectedOthers(
  { windowAsked, windowAskedBefore }: Window,
  { requests, periodMs }: Limit<'window'>,
  restMs: number,
): number {
  const openMs = restMs - (SHORT_WAIT_REQUESTS * periodMs) / requests;
  if (openMs <= 0) return 0;
  // A few requests at the beginning of a window say little.
  const seenMs = Math.max(periodMs - restMs, periodMs / 4);
  const inPeriod = Math.max(windowAskedBefore, (windowAsked * periodMs) / seenMs);
  const expected = (inPeriod * openMs) / periodMs;
  return Math.max(1, Math.round(expected + 2 * Math.sqrt(expected)));
}
