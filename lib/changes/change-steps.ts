import type { StepKind } from '../steps/step-kind.ts';
import { STALL_GRACE_MS } from '../steps/sweep.ts';
import type { ChangeState } from './change-state.ts';
import type { ChangePointer, ChangePorts } from './ports.ts';

export const CHANGE_MEANING: Pick<StepKind<ChangeState>, 'stepOf' | 'restOf'> = {
  stepOf: ({ step }) => step,
  restOf: ({ status }) => (status === 'publishing' ? undefined : 'over'),
};

export function changeSteps({
  clock,
  random,
  ledger,
  queue,
}: Pick<ChangePorts, 'clock' | 'random' | 'ledger' | 'queue'>): StepKind<ChangeState> {
  return {
    ...CHANGE_MEANING,
    clock,
    random,
    read: ({ connection, exportId }) => ledger.readChange(connection, exportId),
    swap: (next, expectedToken) => ledger.writeChange(next, expectedToken),
    send: (state, dueAtMs) => queue.send(pointerTo(state), dueAtMs),
  };
}

function pointerTo({ connection, exportId, step }: ChangeState): ChangePointer {
  return { v: 1, connection, exportId, step };
}

/** Whether a person has to decide. */
export function isWaiting({ status }: Pick<ChangeState, 'status'>): boolean {
  return status === 'held' || status === 'stopped';
}

/** When the sweep must check it; `undefined` when no work is left: the sparse index does not hold it for that. */
export function sweepAtMs(state: ChangeState): number | undefined {
  if (state.closed && state.status !== 'publishing') return undefined;
  const { updatedAtMs, notBeforeMs, lease } = state;
  return Math.max(updatedAtMs, notBeforeMs, lease?.untilMs ?? 0) + STALL_GRACE_MS;
}
