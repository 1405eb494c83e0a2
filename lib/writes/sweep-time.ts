import { STALL_GRACE_MS } from '../steps/sweep.ts';
import type { WriteState } from './write-state.ts';

/**
 * In a long queue nothing is stalled, yet each look costs a message more. So a write is left alone for as
 * long as it has been waiting, up to this long.
 */
const MAX_GRACE_MS = 60 * 60 * 1000;

/**
 * From when on the sweep looks at a write; `undefined` for one with nothing left to do, which the sparse
 * index does not hold. An unclear write whose event is out waits for a person, not for the sweep.
 */
export function sweepAtMs(state: WriteState): number | undefined {
  if (state.closed) return undefined;
  // Its key may be replaced at any time.
  if (state.halted !== undefined) return state.halted.sinceMs;
  const { acceptedAtMs, updatedAtMs, notBeforeMs, lease } = state;
  const graceMs = Math.min(MAX_GRACE_MS, Math.max(STALL_GRACE_MS, updatedAtMs - acceptedAtMs));
  return Math.max(updatedAtMs, notBeforeMs, lease?.untilMs ?? 0) + graceMs;
}
