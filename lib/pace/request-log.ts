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
}

/** Requests with a smaller gap are in one stretch, even if uneven: several run at the same time. */
const MAX_GAP_MS = 60;

/** A stretch shows a rate when it has so many requests and lasts so long. */
const FULL_REQUESTS = 4;
const FULL_MS = 60;

/** Neighbours are joined when that moves none of their requests by more than this many. */
const MAX_JOIN_ERROR = 0.7;

/** Longer pauses are kept: they show when a window was empty. */
const MAX_OLD_GAP_MS = 500;

/** Each has at most 45 bytes as text: with all of them the pace stays below 4 KB. */
const MAX_STRETCHES = 60;

export type RequestLog = readonly Stretch[];

export function logAdmitted(log: RequestLog, atMs: number, atOnce: number): RequestLog {
  const last = log.at(-1);
  if (last !== undefined && continues(last, atMs)) {
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
  const throttle = { atMs, againMs: atMs, tries: 1, waitSeconds, atOnce };
  if (last !== undefined && last.throttle === undefined && atMs - last.toMs <= MAX_GAP_MS) {
    return [...before.slice(0, -1), { ...last, throttle }];
  }
  const refused = { fromMs: atMs, toMs: atMs, requests: 0, atOnce: 0, throttle };
  return shortened([...before, refused]);
}

/** Joins the two oldest stretches without a throttle between them: what a window counts is not forgotten. */
function shortened(log: RequestLog): RequestLog {
  if (log.length <= MAX_STRETCHES) return log;
  const at = log.findIndex(({ toMs, throttle }, index) => {
    const next = log[index + 1];
    return throttle === undefined && next !== undefined && next.fromMs - toMs < MAX_OLD_GAP_MS;
  });
  const [first, second] = at < 0 ? [] : log.slice(at, at + 2);
  if (first === undefined || second === undefined || at >= MAX_STRETCHES / 2) return log.slice(1);
  return log.toSpliced(at, 2, joined(first, second));
}

function joined(before: Stretch, after: Stretch): Stretch {
  const requests = before.requests + after.requests;
  return {
    ...after,
    fromMs: before.fromMs,
    requests,
    atOnce: Math.max(before.atOnce, after.atOnce),
  };
}

function continues(stretch: Stretch, atMs: number): boolean {
  if (stretch.throttle !== undefined || atMs < stretch.toMs) return false;
  const isFull = stretch.requests >= FULL_REQUESTS && stretch.toMs - stretch.fromMs >= FULL_MS;
  return !isFull && atMs - stretch.toMs <= MAX_GAP_MS;
}

/** Joins the last two stretches if the joined one describes them almost as well. */
function joinLast(log: RequestLog): RequestLog {
  const [before, last] = log.slice(-2);
  if (before === undefined || last === undefined || before.throttle !== undefined) return log;
  const both = joined(before, last);
  const { requests } = both;
  const perMs = (requests - 1) / Math.max(1, both.toMs - both.fromMs);
  const atEnd = 1 + perMs * (before.toMs - both.fromMs) - before.requests;
  const atBegin = perMs * (last.fromMs - both.fromMs) - before.requests;
  const error = Math.max(Math.abs(atEnd), Math.abs(atBegin));
  return error <= MAX_JOIN_ERROR ? [...log.slice(0, -2), both] : log;
}
