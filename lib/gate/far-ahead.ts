/** Far more than clocks differ by, and longer than any invocation, check or lease lasts. */
const FAR_AHEAD_MS = 3_600_000;

/**
 * Whether a stored time lies further ahead than a clock that goes right could have written it: when something happened,
 * or until when a worker has something. It was written by a process whose clock was set wrongly, and would hold others
 * up until then. Not for the end of a wait: an API may ask for days.
 */
export function isFarAhead(storedMs: number, nowMs: number): boolean {
  return storedMs > farAheadMs(nowMs);
}

/** The latest time that counts. */
export function farAheadMs(nowMs: number): number {
  return nowMs + FAR_AHEAD_MS;
}
