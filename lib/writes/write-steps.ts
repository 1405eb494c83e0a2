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
    send: (state, delaySeconds) => queue.send(pointerTo(state), delaySeconds),
  };
}

export function pointerTo({ connection, writeId, attempt }: WriteState): WritePointer {
  return { v: 1, connection, writeId, attempt };
}

export function isOver({ status }: WriteState): boolean {
  return status === 'done' || status === 'refused';
}

/**
 * In a long queue no write is stalled, but each sweep would send one more message. So the sweep leaves a write
 * alone for as long as it has been waiting, up to this long.
 */
const MAX_GRACE_MS = 60 * 60 * 1000;

/**
 * When the sweep must check a write; `undefined` when no work is left: the sparse index does not hold it. An
 * unclear write whose event is published waits for a person, not for the sweep.
 */
export function sweepAtMs(state: WriteState): number | undefined {
  if (state.closed) return undefined;
  // The key may be replaced at any time.
  if (state.halted !== undefined) return state.halted.sinceMs;
  const { acceptedAtMs, updatedAtMs, notBeforeMs, lease } = state;
  const graceMs = Math.min(MAX_GRACE_MS, Math.max(STALL_GRACE_MS, updatedAtMs - acceptedAtMs));
  return Math.max(updatedAtMs, notBeforeMs, lease?.untilMs ?? 0) + graceMs;
}
