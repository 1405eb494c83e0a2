import type { Stretch } from './stretch.ts';

/** A longer pause is not caused by the API, unless a stated wait or the pace is longer. */
const MAX_PAUSE_MS = 2_000;

/** A throttle falls between two tokens of a bucket, so a wait refills at least half a token. */
const LEAST_FOR_EACH_WAIT = 0.5;

/**
 * The average rate of admitted requests, waits included: the API sustains at least this rate. If no request was
 * admitted, the longest stated wait gives the rate.
 *
 * @param keptPerSecond The pace; 0 for none.
 */
export function admittedPerSecond(stretches: readonly Stretch[], keptPerSecond: number): number {
  const waits = stretches.map(({ throttle }) => throttle?.waitSeconds ?? 0);
  const longestWaitSeconds = Math.max(0, ...waits);
  const paceMs = keptPerSecond === 0 ? 0 : 2_000 / keptPerSecond;
  const maxPauseMs = Math.max(MAX_PAUSE_MS, longestWaitSeconds * 1000, paceMs);
  let requests = 0;
  let ms = 0;
  let lastMs = stretches[0]?.fromMs ?? 0;
  for (const { fromMs, toMs, requests: own, throttle } of stretches) {
    requests += own;
    ms += Math.min(maxPauseMs, Math.max(0, fromMs - lastMs)) + toMs - fromMs;
    lastMs = toMs;
    if (throttle === undefined) continue;
    lastMs = throttle.atMs + throttle.waitSeconds * 1000;
    ms += lastMs - toMs;
  }
  if (requests > 0 && ms > 0) return (requests / ms) * 1000;
  return longestWaitSeconds === 0 ? 0 : LEAST_FOR_EACH_WAIT / longestWaitSeconds;
}
