import type { WriteState } from './write-state.ts';

/**
 * How long after it was due a write may show no progress. A message on its way needs seconds; waking too
 * early costs one message that is dropped.
 */
const STALL_GRACE_MS = 5 * 60 * 1000;

/**
 * From when on the sweep looks at a write; `undefined` for one with nothing left to do, which the sparse
 * index does not hold. An unclear write whose event is out waits for a person, not for the sweep.
 */
export function sweepAtMs(state: WriteState): number | undefined {
  if (state.closed) return undefined;
  // Its key may be replaced at any time.
  if (state.halted !== undefined) return state.halted.sinceMs;
  return Math.max(state.updatedAtMs, state.notBeforeMs, state.lease?.untilMs ?? 0) + STALL_GRACE_MS;
}
