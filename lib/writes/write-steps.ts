import type { StepKind } from '../steps/step-kind.ts';
import { STALL_GRACE_MS } from '../steps/sweep.ts';
import type { QueuePorts, WritePointer } from './ports.ts';
import type { WriteState } from './write-state.ts';

export const WRITE_MEANING: Pick<StepKind<WriteState>, 'stepOf' | 'restOf'> = {
  stepOf: ({ attempt }) => attempt,
  restOf: (state) => {
    // An unclear write waits for a person.
    if (isOver(state) || state.status === 'unclear') return 'over';
    return state.halted === undefined ? undefined : 'halted';
  },
};

export function writeSteps({ clock, random, ledger, queue }: QueuePorts): StepKind<WriteState> {
  return {
    ...WRITE_MEANING,
    clock,
    random,
    read: ({ connection, writeId }) => ledger.readWrite(connection, writeId),
    swap: (next, expectedToken) => ledger.writeWrite(next, expectedToken),
    send: (state, dueAtMs) => queue.send(pointerTo(state), dueAtMs),
  };
}

export function pointerTo({ connection, writeId, attempt }: WriteState): WritePointer {
  return { v: 1, connection, writeId, attempt };
}

export function isOver({ status }: WriteState): boolean {
  return status === 'done' || status === 'refused';
}

/**
 * When the sweep must check a write; `undefined` when no work is left: the sparse index does not hold it. An
 * unclear write whose event is published waits for a person, not for the sweep. A wait that the gate did not take is told to
 * it soon, also by one that is over.
 */
export function sweepAtMs(state: WriteState): number | undefined {
  const { closed, halted, untoldWait } = state;
  if (closed) return untoldWait?.sinceMs;
  // The key may be replaced at any time.
  return halted?.sinceMs ?? untoldWait?.sinceMs ?? stalledAtMs(state);
}

/** From when on a write that is open and not halted stands still. */
export function stalledAtMs(state: WriteState): number {
  const { updatedAtMs, notBeforeMs, lease, deadlineAtMs } = state;
  // At its deadline it ends, however long the API asked to wait.
  const dueAtMs = Math.min(notBeforeMs, deadlineAtMs);
  return Math.max(updatedAtMs, dueAtMs, lease?.untilMs ?? 0) + STALL_GRACE_MS;
}
