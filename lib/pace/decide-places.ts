import {
  type Caller,
  type LimitOf,
  MAX_AHEAD_MS,
  NO_PLACES,
  type PlaceDecision,
  type PlaceRequest,
  type Places,
  takenBy,
} from './places.ts';
import { placesInWindow } from './places-in-window.ts';

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

/** A place may be used so much later: timers are late, and the API counts when the request arrives. */
const MAX_LATE_MS = 100;

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
    limit.kind === 'bucket'
      ? placesInBucket(seen, request, limit)
      : placesInWindow(seen, request, limit);
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

function rhythmOf({ requestsPerSecond, burst }: LimitOf<'bucket'>, caller: Caller) {
  const intervalMs = 1000 / requestsPerSecond;
  const usable = Math.max(1, Math.floor(burst * BURST_SHARES[caller]));
  return { intervalMs, burstMs: (usable - 1) * intervalMs };
}

function placesInBucket(
  places: Places,
  request: PlaceRequest,
  limit: LimitOf<'bucket'>,
): PlaceDecision {
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
