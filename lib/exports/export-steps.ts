import type { StepKind } from '../steps/step-kind.ts';
import { STALL_GRACE_MS } from '../steps/sweep.ts';
import type { ExportState } from './export-state.ts';
import type { ControlPorts, WakeUp } from './ports.ts';

export const EXPORT_MEANING: Pick<StepKind<ExportState>, 'stepOf' | 'restOf'> = {
  stepOf: ({ step }) => step,
  restOf: ({ status }) => {
    if (status === 'running') return undefined;
    return status === 'halted' ? 'halted' : 'over';
  },
};

export function exportSteps({
  clock,
  random,
  ledger,
  queue,
}: Pick<ControlPorts, 'clock' | 'random' | 'ledger' | 'queue'>): StepKind<ExportState> {
  return {
    ...EXPORT_MEANING,
    clock,
    random,
    read: ({ connection, exportId }) => ledger.readExport(connection, exportId),
    swap: (next, expectedToken) => ledger.writeExport(next, expectedToken),
    send: (state, dueAtMs) => queue.send(wakeUpOf(state), dueAtMs),
  };
}

/**
 * When the sweep must tell the events of an export that is over; `undefined` when it need not: the sparse index does not
 * hold it. One that is not over is found by its line.
 */
export function sweepAtMs(state: ExportState): number | undefined {
  const isUntold = EXPORT_MEANING.restOf(state) === 'over' && state.unannounced.length > 0;
  return isUntold ? state.updatedAtMs + STALL_GRACE_MS : undefined;
}

export function wakeUpOf({ connection, exportId, step }: ExportState): WakeUp {
  return { v: 1, connection, exportId, step };
}
