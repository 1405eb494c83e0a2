import type { StepKind } from '../steps/step-kind.ts';
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

export function wakeUpOf({ connection, exportId, step }: ExportState): WakeUp {
  return { v: 1, connection, exportId, step };
}
