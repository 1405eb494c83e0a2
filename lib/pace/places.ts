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

export const NO_PLACES: Places = {
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

/** A limit that places keep, of one kind. */
export type LimitOf<Kind extends PlainLimit['kind']> = Extract<PlainLimit, { kind: Kind }>;

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

/** A time further ahead was stored by a process whose clock is wrong: nobody waits so long for a place. */
export const MAX_AHEAD_MS = 60_000;

/** For so long an export takes places after others took one. Long windows: two of them. */
const SHARED_MS = 60_000;

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

/** What a change says of others than exports. */
export function takenBy(
  { caller, nowMs }: PlaceRequest,
  count: number,
): Pick<PlaceChange, 'set' | 'add'> {
  if (caller === 'export') return { set: {}, add: {} };
  return { set: { othersAtMs: nowMs }, add: { othersTaken: count } };
}
