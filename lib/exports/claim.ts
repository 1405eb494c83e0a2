import type { Lease } from '../steps/step-item.ts';
import { underLease } from '../steps/step-item.ts';
import type { Meaning } from '../steps/step-kind.ts';
import { brokenBound } from './bounds.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportReason, ExportState } from './export-state.ts';

/** What a wake-up means for an export as the ledger and the gate have it. */
export type ClaimDecision =
  | Exclude<Meaning<ExportState>, { kind: 'open' }>
  /** The API, or the pace, asks to wait still. */
  | { readonly kind: 'early'; readonly notBeforeMs: number; readonly state: ExportState }
  | { readonly kind: 'claim'; readonly state: ExportState; readonly broken?: ExportReason };

/** @param blockedUntilMs Of the gate. */
export function decideClaim(
  meaning: Meaning<ExportState>,
  blockedUntilMs: number,
  nowMs: number,
  settings: ExportSettings,
): ClaimDecision {
  if (meaning.kind !== 'open') return meaning;
  const { state } = meaning;
  // The list is over: what remains needs no request, so no wait and no bound counts any more.
  if (state.end !== undefined) return { kind: 'claim', state };
  const notBeforeMs = Math.max(state.notBeforeMs, blockedUntilMs);
  const broken = brokenBound(state, notBeforeMs, nowMs, settings);
  if (broken !== undefined) return { kind: 'claim', state, broken };
  return notBeforeMs > nowMs ? { kind: 'early', notBeforeMs, state } : { kind: 'claim', state };
}

/** The state under a lease. A lease that is still there is of a worker that never came back. */
export function claimState(state: ExportState, lease: Lease, nowMs: number): ExportState {
  const claimed = underLease(state, lease, nowMs);
  if (state.lease === undefined) return claimed;
  return {
    ...claimed,
    // It may have sent its last request when its lease ended.
    lastRequestAtMs: Math.max(state.lastRequestAtMs, state.lease.untilMs),
    inRow: { ...state.inRow, stepsWithoutPage: state.inRow.stepsWithoutPage + 1 },
  };
}
