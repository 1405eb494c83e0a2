import { defined } from '../defined.ts';
import type { GateLook } from '../gate/ports.ts';
import { commitItem } from '../steps/report.ts';
import type { Lease } from '../steps/step-item.ts';
import type { StepKind } from '../steps/step-kind.ts';
import { announceMeanwhile } from './announce.ts';
import type { ExportRules } from './begin-export.ts';
import { closeExport } from './close-export.ts';
import type { ExportState } from './export-state.ts';
import { wakeUpOf } from './export-steps.ts';
import { leaveCancelled } from './leave-cancelled.ts';
import type { ExportPorts, WakeUp } from './ports.ts';
import { type StepReport, stepReport } from './step-report.ts';
import { LATE_FOR_MS, mayLeaveManifest, takeBackManifest } from './take-back-manifest.ts';

/** What one wake-up is handled with. */
export interface Step {
  readonly ports: ExportPorts;
  /** Of the lease, if this worker gets one. */
  readonly owner: string;
  readonly rules: ExportRules;
  readonly wakeUp: WakeUp;
  readonly kind: StepKind<ExportState>;
  readonly isAttended: boolean;
}

export interface ClaimedStep extends Step {
  readonly claimed: ExportState;
  readonly lease: Lease;
  /** From then on no request is sent: what is left of the lease is for the commit. */
  readonly stopAtMs: number;
  readonly gate: GateLook;
}

/** Commits the result of the step; then sends the next wake-up or publishes the end. */
export async function commitStep(
  step: Step,
  base: ExportState,
  next: ExportState,
): Promise<StepReport> {
  const { ports, wakeUp, kind } = step;
  const committed = await commitItem(kind, base, next);
  if (committed.kind === 'overtaken') return overtaken(step);
  const { state } = committed;
  if (committed.kind !== 'goes-on') {
    return endStep(step, state, state.status === 'running' ? 'goes-on' : state.status);
  }
  const { marked } = committed;
  const untold = marked === undefined ? undefined : await announceMeanwhile(ports, marked);
  return stepReport(wakeUp, { answer: 'acknowledge', result: 'goes-on', state }, untold);
}

/**
 * Closes an export that this step has ended. The end is stored by then, so it is reported though a port throws: no later
 * delivery of the message would report it again. A manifest that is still on its way is taken back by one more wake-up.
 */
export async function endStep(
  { ports, rules, wakeUp }: Step,
  state: ExportState,
  result: StepReport['result'],
): Promise<StepReport> {
  try {
    const untold = await closeExport(ports, rules, state);
    if (mayLeaveManifest(state)) {
      await takeBackManifest(ports.store, state);
      await ports.queue.send(wakeUpOf(state), ports.clock.now() + LATE_FOR_MS);
    }
    return stepReport(wakeUp, { answer: 'acknowledge', result, state }, untold);
  } catch (error) {
    return { ...stepReport(wakeUp, { answer: 'retry', result, state }), error };
  }
}

/** Nothing of this worker counts: another one has continued, or the export was cancelled. */
export async function overtaken(step: Step): Promise<StepReport> {
  const { ports, wakeUp } = step;
  const state = await ports.ledger.readExport(wakeUp.connection, wakeUp.exportId);
  if (state?.status === 'cancelled') return leaveCancelledStep(step, state);
  const result = { answer: 'retry', result: 'overtaken' } as const;
  return stepReport(wakeUp, { ...result, ...defined({ state }) });
}

export async function leaveCancelledStep(step: Step, seen: ExportState): Promise<StepReport> {
  const { ports, rules, owner, wakeUp } = step;
  const { kind, state, untold } = await leaveCancelled(ports, rules, owner, seen);
  const left = { result: kind === 'left' ? 'cancelled' : 'held', state } as const;
  const answer = kind === 'left' ? 'acknowledge' : 'retry';
  return stepReport(wakeUp, { answer, ...left }, untold);
}
