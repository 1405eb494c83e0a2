import type { GatePace } from './gate-pace.ts';
import { limitOf } from './pace-limit.ts';

/** The limit of an API as far as it is learned, for callers that share it. */
export type PlainLimit =
  /** `burst` requests at once, 1 or more, and `requestsPerSecond` in the long run. */
  | { readonly kind: 'bucket'; readonly requestsPerSecond: number; readonly burst: number }
  /** `requests` in each period, 1 or more, as fast as they come. */
  | { readonly kind: 'window'; readonly requests: number; readonly periodMs: number };

/** @returns `undefined` where no limit is known. */
export function plainLimit(pace: GatePace | undefined): PlainLimit | undefined {
  if (pace === undefined) return undefined;
  const limit = limitOf(pace.learned);
  switch (limit.kind) {
    case 'none':
      return undefined;
    case 'bucket': {
      const { requestsPerSecond, burst } = limit;
      return { kind: 'bucket', requestsPerSecond, burst };
    }
    case 'window': {
      const { requests, periodMs } = limit;
      return { kind: 'window', requests, periodMs };
    }
  }
}
