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

/** Two may be a crash and what it left. */
const MANY_BROKEN_STEPS = 3;

export function breaksOff({ inRow }: ExportState): boolean {
  return (inRow.brokenSteps ?? 0) >= MANY_BROKEN_STEPS;
}

/** Whether no other list of its connection waits for it. Its place in the line may be left to be removed. */
export function hasLeftLine(state: ExportState): boolean {
  return EXPORT_MEANING.restOf(state) === 'over' || state.leavesLine === true;
}

/**
 * When the sweep must look at an export that the line does not hold: it is over and its events are not told, or it is not
 * over. `undefined` when it need not: the sparse index does not hold it. All others are found by their line.
 */
export function sweepAtMs(state: ExportState): number | undefined {
  const isOver = EXPORT_MEANING.restOf(state) === 'over';
  const isSwept = isOver ? state.unannounced.length > 0 : state.leavesLine;
  // Each sweep is to see one whose steps break off: an alarm counts sweeps in a row.
  return isSwept
    ? state.updatedAtMs + (!isOver && breaksOff(state) ? 0 : STALL_GRACE_MS)
    : undefined;
}

export function wakeUpOf({ connection, exportId, step }: ExportState): WakeUp {
  return { v: 1, connection, exportId, step };
}
