import { isFarAhead } from '../gate/far-ahead.ts';
import { withRightTimes } from '../steps/right-times.ts';
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
 * unclear write whose event is published waits for a person, not for the sweep.
 */
export function sweepAtMs(state: WriteState): number | undefined {
  if (state.closed) return undefined;
  // The key may be replaced at any time.
  if (state.halted !== undefined) return state.halted.sinceMs;
  const { updatedAtMs, notBeforeMs, lease } = state;
  return Math.max(updatedAtMs, notBeforeMs, lease?.untilMs ?? 0) + STALL_GRACE_MS;
}

/** Only a clock far ahead, or an API that asks to wait longer, gives a write such a time. */
const LONGEST_UNSEEN_MS = 24 * 3600 * 1000;

/** The sweep looks at writes that are due later than this, too: see {@link withRightWriteTimes}. */
export function unseenUntilMs(nowMs: number): number {
  return nowMs + LONGEST_UNSEEN_MS;
}

/** As {@link withRightTimes}. What a doubted request did shows as long after now as it would after the request. */
export function withRightWriteTimes(state: WriteState, nowMs: number): WriteState | undefined {
  const right = withRightTimes(state, nowMs);
  const { doubt } = state;
  if (doubt === undefined || !isFarAhead(doubt.sinceMs, nowMs)) return right;
  return { ...(right ?? state), doubt: { ...doubt, sinceMs: nowMs } };
}
