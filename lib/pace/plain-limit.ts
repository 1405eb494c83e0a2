import type { GatePace } from './gate-pace.ts';
import type { Limit } from './limit.ts';
import { isOver } from './patience.ts';
import type { Stated } from './stated-meter.ts';

/** The limit of an API as far as it is stated or learned, for callers that share it. */
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
  if (requestsPerSecond === undefined) return plainLimit(pace);
  return { kind: 'bucket', requestsPerSecond, burst: 1 };
}

/** @returns `undefined` where no limit is known, or one that has no rate. */
export function plainLimit(
  pace: Pick<GatePace, 'learned' | 'stated'> | undefined,
): PlainLimit | undefined {
  return (
    statedPlainLimit(pace?.stated) ??
    learnedPlainLimit(pace?.learned.shared ?? pace?.learned.limits[0])
  );
}

function learnedPlainLimit(limit: Limit | undefined): PlainLimit | undefined {
  if (limit === undefined || limit.kind === 'at-once') return undefined;
  if (limit.kind === 'bucket') {
    return { kind: 'bucket', requestsPerSecond: limit.perSecond, burst: limit.burst };
  }
  return { kind: 'window', requests: limit.requests, periodMs: limit.periodMs };
}

/**
 * Of a longer stated window callers are not kept out: the API asks for a wait itself when it is used up. That would be
 * a wait that no answer asked for and nobody can end, perhaps for a limit of other requests.
 */
const MAX_STATED_WINDOW_MS = 3_600_000;

/** The one of the stated limits that admits least in the long run. */
function statedPlainLimit(stated: Stated | undefined): PlainLimit | undefined {
  if (stated === undefined || isOver(stated)) return undefined;
  const limits = stated.meters.flatMap(({ perMs, full, requests, windowMs }): PlainLimit[] => {
    if (windowMs > MAX_STATED_WINDOW_MS) return [];
    if (perMs > 0) {
      return [{ kind: 'bucket', requestsPerSecond: perMs * 1000, burst: Math.max(1, full) }];
    }
    return windowMs > 0 ? [{ kind: 'window', requests, periodMs: windowMs }] : [];
  });
  return limits.toSorted((a, b) => perSecond(a) - perSecond(b))[0];
}

function perSecond(limit: PlainLimit): number {
  return limit.kind === 'bucket'
    ? limit.requestsPerSecond
    : (limit.requests / limit.periodMs) * 1000;
}
