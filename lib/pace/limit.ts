/** What a limit counts: a meter that requests fill, and that time empties. */
export type Meter =
  /** Each request fills one; `perSecond` run out. */
  | { readonly kind: 'bucket'; readonly perSecond: number }
  /** Empty again a period after its first request. */
  | { readonly kind: 'window'; readonly periodMs: number }
  /** Empty again whenever our clock shows a multiple of the period, or so much later where the API's is another one. */
  | { readonly kind: 'clock'; readonly periodMs: number; readonly laterMs?: number }
  /** Each request counts for a period. */
  | { readonly kind: 'sliding'; readonly periodMs: number }
  /** Requests that run at the same time. */
  | { readonly kind: 'at-once' };

export type Windowed = Extract<Meter, { periodMs: number }>;
export type WindowLimit = Windowed & { readonly requests: number };

/** A meter, and the mark that it must not pass. */
export type Limit =
  | (Extract<Meter, { kind: 'bucket' }> & { readonly burst: number })
  | (WindowLimit & {
      /** A fixed one that may be the real one: where a sliding one is closed, single requests try it. */
      readonly tried?: WindowLimit;
    })
  | (Extract<Meter, { kind: 'at-once' }> & {
      readonly requests: number;
      /** A request still counts for so long after its answer has come. @default 0 */
      readonly laterMs?: number;
    });

/** How well the times of sending tell when requests arrive. */
export interface Line {
  /** A moving average, from sending to the answer. */
  readonly latencyMs: number;
  /** How much that differs on average. */
  readonly jitterMs: number;
}

/** Requests overtake each other by as much of the usual jitter. */
export const OVERTAKEN_JITTERS = 2;

/** How soon to ask again when an answer decides whether another request may be sent. */
export const LOOK_AGAIN_MS = 50;

/** A single throttle with a wait that is not longer may have any cause, and shows no long window. */
export const SHORT_WAIT_SECONDS = 2;

/** Clocks of two machines differ by less. */
export const CLOCK_SET_BACK_MS = 10_000;

/** Fewer requests at once are not worth a separate step. */
export const MIN_BURST = 5;

/** When the window ends that a request at `atMs` begins; windows by the clock count a request half a latency later. */
export function windowEndMs(
  meter: Extract<Windowed, { kind: 'window' | 'clock' }>,
  atMs: number,
  { latencyMs }: Line,
): number {
  if (meter.kind === 'window') return atMs + meter.periodMs;
  const { periodMs, laterMs = 0 } = meter;
  const offMs = laterMs - latencyMs / 2;
  return (Math.floor((atMs - offMs) / periodMs) + 1) * periodMs + offMs;
}

/** The rate that the limit sustains in the long run; `undefined` where it has none. */
export function sustainedPerSecond(limit: Limit): number | undefined {
  if (limit.kind === 'at-once') return undefined;
  return limit.kind === 'bucket' ? limit.perSecond : (limit.requests / limit.periodMs) * 1000;
}

/** 0 for what is no window. */
export function periodMsOf(limit: Limit | undefined): number {
  return limit !== undefined && 'periodMs' in limit ? limit.periodMs : 0;
}
