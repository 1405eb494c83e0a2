export interface SlotRequest {
  /** Number of requests, 1 or more. */
  readonly count: number;
  /** More than 0. */
  readonly requestsPerSecond: number;
  /** No slot before this time: now, or the end of a wait that the API asked for. */
  readonly earliestAtMs: number;
  /** No slot after this time: the caller cannot wait longer. */
  readonly latestAtMs: number;
}

export interface ReservedSlots {
  /** Requests that may be sent, 0 to `count`: the first at `firstAtMs`, each other one interval later. */
  readonly granted: number;
  readonly firstAtMs: number;
  readonly intervalMs: number;
  /** When the next slot is free for other callers. */
  readonly nextSlotAtMs: number;
}

/**
 * Assigns evenly spaced slots to all callers: the generic cell rate algorithm without a burst (ITU-T I.371,
 * annex A). Unused time is lost.
 *
 * @param nextSlotAtMs From the latest reservation; `undefined` before the first.
 */
export function reserveSlots(
  nextSlotAtMs: number | undefined,
  { count, requestsPerSecond, earliestAtMs, latestAtMs }: SlotRequest,
): ReservedSlots {
  const intervalMs = 1000 / requestsPerSecond;
  const firstAtMs = Math.max(nextSlotAtMs ?? 0, earliestAtMs);
  const fitting = Math.floor((latestAtMs - firstAtMs) / intervalMs) + 1;
  const granted = Math.max(0, Math.min(count, fitting));
  return { granted, firstAtMs, intervalMs, nextSlotAtMs: firstAtMs + granted * intervalMs };
}
