import type { GatePace } from './gate-pace.ts';

/** The limit of an API as far as it is learned, for callers that share it. */
export type PlainLimit =
  /** `burst` requests at once, 1 or more, and `requestsPerSecond` in the long run. */
  | { readonly kind: 'bucket'; readonly requestsPerSecond: number; readonly burst: number }
  /** `requests` in each period, 1 or more, as fast as they come. */
  | { readonly kind: 'window'; readonly requests: number; readonly periodMs: number };

/** @returns `undefined` where no limit is known, or one that has no rate. */
export function plainLimit(pace: GatePace | undefined): PlainLimit | undefined {
  const limit = pace?.learned.limits[0];
  if (limit === undefined || limit.kind === 'at-once') return undefined;
  if (limit.kind === 'bucket') {
    return { kind: 'bucket', requestsPerSecond: limit.perSecond, burst: limit.burst };
  }
  return { kind: 'window', requests: limit.requests, periodMs: limit.periodMs };
}
