/** SQS's limit of `DelaySeconds`; longer waits take several hops. */
export const MAX_DELAY_SECONDS = 900;

/** Whole seconds until `atMs`, rounded up, 0 to 900. Times are whole milliseconds, as clocks tell them. */
export function delaySecondsUntil(atMs: number, nowMs: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((atMs - nowMs) / 1000)));
}
