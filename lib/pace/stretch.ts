/** Admitted requests that were sent at about one rate. */
export interface Stretch {
  /** When the first request was sent; milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  /** 0 when the first request was throttled. */
  readonly requests: number;
  /** The throttled request after them. */
  readonly throttle?: { readonly atMs: number; readonly waitSeconds: number };
}

/** Requests with a smaller gap are in one stretch, even if uneven: several run at the same time. */
const MAX_GAP_MS = 250;

/** A stretch shows a rate when it has so many requests and lasts so long. */
const FULL_REQUESTS = 4;
const FULL_MS = 500;

/** Neighbours are joined when that moves none of their requests by more than this many. */
const MAX_JOIN_ERROR = 0.7;

/** Each has about 60 bytes: with all of them the gate's item stays below 4 KB. */
const MAX_STRETCHES = 24;

export function admittedAt(stretches: readonly Stretch[], atMs: number): readonly Stretch[] {
  const last = stretches.at(-1);
  if (last !== undefined && continues(last, atMs)) {
    return [...stretches.slice(0, -1), { ...last, toMs: atMs, requests: last.requests + 1 }];
  }
  const begun = { fromMs: atMs, toMs: atMs, requests: 1 };
  return [...joinLast(stretches), begun].slice(-MAX_STRETCHES);
}

export function throttledAt(
  stretches: readonly Stretch[],
  atMs: number,
  waitSeconds: number,
): readonly Stretch[] {
  const joined = joinLast(stretches);
  const last = joined.at(-1);
  // No request was admitted since the previous throttle: its wait was too short.
  if (last?.throttle !== undefined && atMs >= last.throttle.atMs) {
    const seconds = (atMs - last.throttle.atMs) / 1000 + waitSeconds;
    return [
      ...joined.slice(0, -1),
      { ...last, throttle: { ...last.throttle, waitSeconds: seconds } },
    ];
  }
  const throttle = { atMs, waitSeconds };
  if (last !== undefined && last.throttle === undefined && atMs - last.toMs <= MAX_GAP_MS) {
    return [...joined.slice(0, -1), { ...last, throttle }];
  }
  const refused = { fromMs: atMs, toMs: atMs, requests: 0, throttle };
  return [...joined, refused].slice(-MAX_STRETCHES);
}

/** The number of requests admitted since `fromMs`; of a stretch that began earlier, its share. */
export function admittedSince(stretches: readonly Stretch[], fromMs: number): number {
  return stretches.reduce((sum, each) => {
    if (each.fromMs >= fromMs) return sum + each.requests;
    const share = (each.toMs - fromMs) / Math.max(1, each.toMs - each.fromMs);
    return sum + each.requests * Math.max(0, share);
  }, 0);
}

export function throttlesIn(stretches: readonly Stretch[]): number {
  return stretches.filter((each) => each.throttle !== undefined).length;
}

function continues(stretch: Stretch, atMs: number): boolean {
  if (stretch.throttle !== undefined || atMs < stretch.toMs) return false;
  const isFull = stretch.requests >= FULL_REQUESTS && stretch.toMs - stretch.fromMs >= FULL_MS;
  return !isFull && atMs - stretch.toMs <= MAX_GAP_MS;
}

/** Joins the last two stretches if the joined one describes them almost as well. */
function joinLast(stretches: readonly Stretch[]): readonly Stretch[] {
  const [before, last] = stretches.slice(-2);
  if (before === undefined || last === undefined || before.throttle !== undefined) return stretches;
  const requests = before.requests + last.requests;
  const joined = { ...last, fromMs: before.fromMs, requests };
  const perMs = (requests - 1) / Math.max(1, joined.toMs - joined.fromMs);
  const atEnd = 1 + perMs * (before.toMs - joined.fromMs) - before.requests;
  const atBegin = perMs * (last.fromMs - joined.fromMs) - before.requests;
  const error = Math.max(Math.abs(atEnd), Math.abs(atBegin));
  return error <= MAX_JOIN_ERROR ? [...stretches.slice(0, -2), joined] : stretches;
}
