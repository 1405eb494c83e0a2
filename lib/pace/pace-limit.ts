import { levelsOf } from './bucket-fit.ts';
import { NO_BURST } from './bucket-rate.ts';
import { keptPerSecond, type LearnedPace } from './learned-pace.ts';
import { triedPeriodMs, type WindowFit, windowEndMs } from './window-fit.ts';

export type PaceLimit =
  /** No throttle yet, or no pace that prevents throttles. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'bucket';
      readonly requestsPerSecond: number;
      /** Requests at once, 1 or more. */
      readonly burst: number;
      /** Whether no request may be early. */
      readonly isTight: boolean;
      /** Requests that are not refilled at `atMs`. */
      readonly level: number;
      readonly atMs: number;
    }
  | {
      readonly kind: 'window';
      readonly requests: number;
      readonly periodMs: number;
      /** Requests in the window that began at `fromMs`. */
      readonly used: number;
      readonly fromMs: number;
      readonly endMs: number;
      /** Whether the window may end later than `endMs`: one request tests it. */
      readonly isEndTried: boolean;
      /** How many more requests may run when the window is used up. */
      readonly moreUnderWay: number;
    };

/** Share of the known burst to use: requests arrive closer together than they were sent. */
const BURST_SHARE = 0.7;

/** In a new window one request more is tried after so many. */
const FIRST_WINDOW_HOLD = 200;

export function limitOf(pace: LearnedPace): PaceLimit {
  if (pace.isWindow === true && pace.window !== undefined) return windowLimit(pace.window, pace);
  const { bucket, stretches } = pace;
  if (bucket === undefined) return { kind: 'none' };
  const requestsPerSecond = keptPerSecond(pace);
  const { level } = levelsOf(stretches, requestsPerSecond);
  return {
    kind: 'bucket',
    requestsPerSecond,
    burst: Math.max(1, Math.floor(bucket.burst * BURST_SHARE)),
    isTight: bucket.isCertain && bucket.burst < NO_BURST,
    level,
    atMs: stretches.at(-1)?.toMs ?? 0,
  };
}

/** The rate that the API sustains in the long run; `undefined` when no limit is known. */
export function sustainedPerSecond(limit: PaceLimit): number | undefined {
  switch (limit.kind) {
    case 'none':
      return undefined;
    case 'bucket':
      return limit.requestsPerSecond;
    case 'window':
      return (limit.requests / limit.periodMs) * 1000;
  }
}

function windowLimit(window: WindowFit, { use, calm, hold }: LearnedPace): PaceLimit {
  const { requests } = window;
  const periodMs = triedPeriodMs(window);
  const { used = 0, fromMs = 0 } = use ?? {};
  const endMs = use === undefined ? 0 : windowEndMs(use, window);
  const isEndTried = used >= requests && fromMs + window.periodMs > endMs;
  // Test early whether it is a window: that costs a throttle, but no time.
  const holdHere = window.hits > 1 ? hold : Math.min(hold, FIRST_WINDOW_HOLD, requests);
  // An admitted trial continues with more requests at a time.
  const moreUnderWay = calm >= holdHere ? 1 + (window.grown ?? 0) : 0;
  return { kind: 'window', requests, periodMs, used, fromMs, endMs, isEndTried, moreUnderWay };
}
