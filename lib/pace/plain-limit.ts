import type { GatePace } from './gate-pace.ts';
import type { LearnedPace } from './learned-pace.ts';

/** The limit of an API as far as it is learned, for callers that share it. */
export type PlainLimit =
  /** `burst` requests at once, 1 or more, and `requestsPerSecond` in the long run. */
  | { readonly kind: 'bucket'; readonly requestsPerSecond: number; readonly burst: number }
  /** `requests` in each period, 1 or more, as fast as they come. */
  | { readonly kind: 'window'; readonly requests: number; readonly periodMs: number };

/**
 * The limit that all callers of a connection keep together; `undefined` where none is set or learned.
 *
 * @param requestsPerSecond As it is set: stronger than what was learned.
 */
export function limitFor(
  requestsPerSecond: number | undefined,
  pace: GatePace | undefined,
): PlainLimit | undefined {
  if (requestsPerSecond === undefined) return plainLimit(pace?.learned);
  return { kind: 'bucket', requestsPerSecond, burst: 1 };
}

/** @returns `undefined` where no limit is known, or one that has no rate. */
export function plainLimit(
  learned: Pick<LearnedPace, 'limits'> | undefined,
): PlainLimit | undefined {
  const limit = learned?.limits[0];
  if (limit === undefined || limit.kind === 'at-once') return undefined;
  if (limit.kind === 'bucket') {
    return { kind: 'bucket', requestsPerSecond: limit.perSecond, burst: limit.burst };
  }
  return { kind: 'window', requests: limit.requests, periodMs: limit.periodMs };
}
