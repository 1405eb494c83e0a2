import type { Gate } from '../gate/ports.ts';
import type { Lease } from '../steps/lease.ts';
import { brokenBound } from './bounds.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportReason, ExportState } from './export-state.ts';
import type { WakeUp } from './ports.ts';

/** What a wake-up means for an export as the ledger has it. */
export type ClaimDecision =
  | { readonly kind: 'missing' }
  /** Completed or failed. */
  | { readonly kind: 'over'; readonly state: ExportState }
  | { readonly kind: 'halted'; readonly state: ExportState }
  /** For another step than the next one. */
  | { readonly kind: 'past'; readonly state: ExportState; readonly sendNext: boolean }
  /** Another worker is at it. */
  | { readonly kind: 'held'; readonly untilMs: number }
  /** The API, or the pace, asks to wait still. */
  | { readonly kind: 'early'; readonly untilMs: number; readonly state: ExportState }
  | { readonly kind: 'claim'; readonly state: ExportState; readonly broken?: ExportReason };

export function decideClaim(
  state: ExportState | undefined,
  wakeUp: WakeUp,
  gate: Gate,
  nowMs: number,
  settings: ExportSettings,
): ClaimDecision {
  if (state === undefined) return { kind: 'missing' };
  if (state.status === 'halted') return { kind: 'halted', state };
  if (state.status !== 'running') return { kind: 'over', state };
  if (wakeUp.step !== state.step) return { kind: 'past', state, sendNext: !state.wakeUpSent };
  if (isLeased(state, nowMs)) return { kind: 'held', untilMs: state.lease?.untilMs ?? nowMs };
  // The list is over: what remains needs no request, so no wait and no bound counts any more.
  if (state.end !== undefined) return { kind: 'claim', state };
  const untilMs = Math.max(state.notBeforeMs, gate.blockedUntilMs);
  const broken = brokenBound(state, untilMs, nowMs, settings);
  if (broken !== undefined) return { kind: 'claim', state, broken };
  return untilMs > nowMs ? { kind: 'early', untilMs, state } : { kind: 'claim', state };
}

/** Whether a worker may be at it; at `untilMs` itself it is over. */
export function isLeased(state: ExportState, nowMs: number): boolean {
  return state.lease !== undefined && state.lease.untilMs > nowMs;
}

/** The state under a lease. A lease that is still there is of a worker that never came back. */
export function claimState(state: ExportState, lease: Lease, nowMs: number): ExportState {
  const claimed = { ...state, lease, wakeUpSent: true, updatedAtMs: nowMs };
  if (state.lease === undefined) return claimed;
  return {
    ...claimed,
    // It may have sent its last request when its lease ended.
    lastRequestAtMs: Math.max(state.lastRequestAtMs, state.lease.untilMs),
    inRow: { ...state.inRow, stepsWithoutPage: state.inRow.stepsWithoutPage + 1 },
  };
}
