import type { Stretch } from './stretch.ts';

/** A pause longer than this, than any wait that was asked for and than the pace made it is not for the API's sake. */
const MAX_PAUSE_MS = 2_000;

/** A bucket is somewhere between two requests when it throttles, so its next one takes half as long or more. */
const LEAST_FOR_EACH_WAIT = 0.5;

/**
 * What was admitted over the time that it took with all waits: the API sustains as much at least.
 * Where nothing was admitted it has said that one will be after the longest wait.
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
