import { atRest, isHeld } from '../steps/step-item.ts';
import type { Cancellation, ExportState } from './export-state.ts';
import { ended } from './export-transitions.ts';

/**
 * The export that a person has ended. A worker that is at it keeps its lease: until it has left, nothing else of the
 * connection begins. No commit of it counts any more.
 */
export function cancelled(state: ExportState, cancellation: Cancellation): ExportState {
  const { atMs } = cancellation;
  const { lease } = state;
  return {
    ...ended(state, 'cancelled', atMs),
    ...(lease !== undefined && isHeld(state, atMs) ? { lease } : {}),
    ...endedBy(cancellation),
  };
}

/** Whether its parts are still to be removed. */
export function awaitsRemoval({ cancellation }: ExportState): boolean {
  return cancellation?.parts === 'remove' && cancellation.removedAtMs === undefined;
}

/** Nobody removes its parts any more; some of them may be gone already. */
export function keptInstead(state: ExportState): ExportState {
  const { cancellation } = state;
  if (cancellation === undefined) return state;
  return { ...state, ...endedBy({ ...cancellation, parts: 'keep' }) };
}

/** Whether it was cancelled, and its worker or its parts are still there: so long it stays at the head of the line. */
export function isLeaving(state: ExportState, nowMs: number): boolean {
  return state.status === 'cancelled' && (isHeld(state, nowMs) || awaitsRemoval(state));
}

/** Without its lease; its parts, if they were to be removed, are. */
export function leftBehind(state: ExportState, nowMs: number): ExportState {
  const { cancellation } = state;
  const left = atRest(state, nowMs);
  if (cancellation === undefined || !awaitsRemoval(state)) return left;
  return {
    ...left,
    parts: { count: 0, storedBytes: 0 },
    cancellation: { ...cancellation, removedAtMs: nowMs },
  };
}

function endedBy(cancellation: Cancellation): Pick<ExportState, 'reason' | 'cancellation'> {
  const { by, reason, parts } = cancellation;
  const fate = parts === 'keep' ? 'kept, and are no whole list' : 'removed';
  const message = `Cancelled by ${by}: ${reason} Its parts are ${fate}. Start another export when you want one.`;
  return { reason: { code: 'cancelled', message }, cancellation };
}
