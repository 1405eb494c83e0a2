/** SQS's limit of `DelaySeconds`; a longer wait takes several messages. */
export const MAX_DELAY_SECONDS = 900;

/** Whole seconds until `atMs`, rounded up, 0 to 900. Both times are whole milliseconds. */
export function delaySecondsUntil(atMs: number, nowMs: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((atMs - nowMs) / 1000)));
}
