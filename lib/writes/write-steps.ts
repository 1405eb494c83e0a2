import type { StepKind } from '../steps/step-kind.ts';
import { STALL_GRACE_MS } from '../steps/sweep.ts';
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

/**
 * In a long queue nothing is stalled, yet each look costs a message more. So a write is left alone for as
 * long as it has been waiting, up to this long.
 */
const MAX_GRACE_MS = 60 * 60 * 1000;

/**
 * From when on the sweep looks at a write; `undefined` for one with nothing left to do, which the sparse
 * index does not hold. An unclear write whose event is out waits for a person, not for the sweep.
 */
export function sweepAtMs(state: WriteState): number | undefined {
  if (state.closed) return undefined;
  // Its key may be replaced at any time.
  if (state.halted !== undefined) return state.halted.sinceMs;
  const { acceptedAtMs, updatedAtMs, notBeforeMs, lease } = state;
  const graceMs = Math.min(MAX_GRACE_MS, Math.max(STALL_GRACE_MS, updatedAtMs - acceptedAtMs));
  return Math.max(updatedAtMs, notBeforeMs, lease?.untilMs ?? 0) + graceMs;
}
