import {
  type LimitOf,
  MAX_AHEAD_MS,
  type PlaceDecision,
  type PlaceRequest,
  type Places,
  takenBy,
} from './places.ts';

/** An export that waits in a window longer than this asks again ten times in it, not at its end. */
const SHORT_WINDOW_MS = 20_000;

/** A wait is short while the limit would admit no more than so many requests in it. */
const SHORT_WAIT_REQUESTS = 2;

/** By counting: what live reads will ask for is left to them. */
export function placesInWindow(
  places: Places,
  request: PlaceRequest,
  limit: LimitOf<'window'>,
): PlaceDecision {
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
function windowAt(places: Places, request: PlaceRequest, { periodMs }: LimitOf<'window'>): Window {
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
  { requests, periodMs }: LimitOf<'window'>,
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
