import type { Stretch } from './stretch.ts';

/** A longer pause is one between exports. */
const MAX_PAUSE_MS = 60_000;

/** A bucket is somewhere between two requests when it throttles, so its next one takes half as long or more. */
const LEAST_FOR_EACH_WAIT = 0.5;

/**
 * What was admitted over the time that it took with all waits: the API sustains as much at least.
 * Where nothing was admitted it has said that one will be after the longest wait.
 */
export function admittedPerSecond(stretches: readonly Stretch[]): number {
  let requests = 0;
  let ms = 0;
  let longestWaitSeconds = 0;
  let lastMs = stretches[0]?.fromMs ?? 0;
  for (const { fromMs, toMs, requests: own, throttle } of stretches) {
    requests += own;
    ms += Math.min(MAX_PAUSE_MS, Math.max(0, fromMs - lastMs)) + toMs - fromMs;
    lastMs = toMs;
    if (throttle === undefined) continue;
    longestWaitSeconds = Math.max(longestWaitSeconds, throttle.waitSeconds);
    lastMs = throttle.atMs + throttle.waitSeconds * 1000;
    ms += lastMs - toMs;
  }
  if (requests > 0 && ms > 0) return (requests / ms) * 1000;
  return longestWaitSeconds === 0 ? 0 : LEAST_FOR_EACH_WAIT / longestWaitSeconds;
}
