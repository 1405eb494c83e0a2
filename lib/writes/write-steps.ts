import type { StepKind } from '../steps/step-kind.ts';
import type { AcceptPorts, WritePointer } from './ports.ts';
import type { WriteState } from './write-state.ts';

/** What the states of a write mean to the machine of steps. */
export const WRITE_MEANING: Pick<StepKind<WriteState>, 'stepOf' | 'restOf'> = {
  stepOf: ({ attempt }) => attempt,
  restOf: (state) => {
    // An unclear write waits for a person, who settles it.
    if (isOver(state) || state.status === 'unclear') return 'over';
    return state.halted === undefined ? undefined : 'halted';
  },
};

/** How the machine of steps keeps and wakes writes. */
export function writeSteps({ clock, random, ledger, queue }: AcceptPorts): StepKind<WriteState> {
  return {
    ...WRITE_MEANING,
    clock,
    random,
    read: ({ connection, writeId }) => ledger.readWrite(connection, writeId),
    swap: (next, expectedToken) => ledger.writeWrite(next, expectedToken),
    send: (state, delaySeconds) => queue.send(pointerTo(state), delaySeconds),
  };
}

/** The message for the write's next try. */
export function pointerTo({ connection, writeId, attempt }: WriteState): WritePointer {
  return { v: 1, connection, writeId, attempt };
}

/** Done or refused: nothing of it changes any more. */
export function isOver({ status }: WriteState): boolean {
  return status === 'done' || status === 'refused';
}
