import { defined } from '../defined.ts';
import type { Gate } from '../gate/ports.ts';
import { dueAtMs } from '../steps/due-at.ts';
import { type Lease, underLease } from '../steps/step-item.ts';
import type { Meaning } from '../steps/step-kind.ts';
import type { ExportRules } from './begin-export.ts';
import { brokenAfterEnd, brokenBound } from './bounds.ts';
import { type ExportReason, type ExportState, hasEnded } from './export-state.ts';
import { countBrokenStep } from './export-transitions.ts';

export type ClaimDecision =
  | Exclude<Meaning<ExportState>, { kind: 'open' }>
  /** A wait of the API or of the pace is not over, or the list is not in the settings. */
  | { readonly kind: 'early'; readonly notBeforeMs: number; readonly state: ExportState }
  | { readonly kind: 'claim'; readonly state: ExportState; readonly broken?: ExportReason };

/**
 * During an update a worker may be older than the settings that have the list, and without them it would find other
 * records in the same answers. The sweep meanwhile fails what has no list any more.
 */
const LEFT_TO_SWEEP_MS = 60_000;

export function decideClaim(
  meaning: Meaning<ExportState>,
  gate: Pick<Gate, 'blockedUntilMs' | 'opening'>,
  nowMs: number,
  { export: settings, lists }: ExportRules,
): ClaimDecision {
  if (meaning.kind !== 'open') return meaning;
  const { state } = meaning;
  if (hasEnded(state)) {
    const broken = brokenAfterEnd(state, nowMs, settings);
    return { kind: 'claim', state, ...defined({ broken }) };
  }
  if (!lists.has(state.list)) {
    return { kind: 'early', notBeforeMs: nowMs + LEFT_TO_SWEEP_MS, state };
  }
  const notBeforeMs = dueAtMs(state, gate);
  const broken = brokenBound(state, notBeforeMs, nowMs, settings);
  if (broken !== undefined) return { kind: 'claim', state, broken };
  return notBeforeMs > nowMs ? { kind: 'early', notBeforeMs, state } : { kind: 'claim', state };
}

/**
 * The state under a new lease. A lease that is still there belongs to a worker that crashed or failed. After the end of
 * its list an export leaves the line then: what is left needs no request, and the bucket may refuse it for days.
 */
export function claimState(state: ExportState, lease: Lease, nowMs: number): ExportState {
  const { waitsFor: _over, isWaitUntold: _kept, isWoken: _woken, ...begun } = state;
  // The crashed worker may have sent its last request just before its lease ended. None was sent after now.
  const lastAtMs = Math.max(state.lastRequestAtMs, state.lease?.untilMs ?? 0);
  const claimed = {
    ...underLease(begun, lease, nowMs),
    lastRequestAtMs: Math.min(lastAtMs, nowMs),
  };
  if (state.lease === undefined) return claimed;
  return {
    ...claimed,
    ...(hasEnded(state) && { leavesLine: true as const }),
    inRow: countBrokenStep(state).inRow,
  };
}
