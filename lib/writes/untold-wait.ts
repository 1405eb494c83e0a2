import type { Gate, Gates } from '../gate/ports.ts';
import type { WriteState } from './write-state.ts';

/** When the wait of a write that the gate did not take is over; 0 for none. A person who opened the gate since then ended it. */
export function untoldUntilMs(
  { untoldWait }: Pick<WriteState, 'untoldWait'>,
  { opening }: Pick<Gate, 'opening'>,
): number {
  if (untoldWait === undefined) return 0;
  const isOpened = opening !== undefined && untoldWait.sinceMs <= opening.atMs;
  return isOpened ? 0 : untoldWait.untilMs;
}

/**
 * Tells the gate of a wait that it did not take at its time, so that all callers keep it.
 *
 * @throws What the gate throws: tell it again.
 */
export async function tellUntoldWait(
  { gates }: { readonly gates: Pick<Gates, 'blockUntil'> },
  state: Pick<WriteState, 'connection' | 'untoldWait'>,
  gate: Pick<Gate, 'blockedUntilMs' | 'opening'>,
): Promise<void> {
  const untilMs = untoldUntilMs(state, gate);
  if (untilMs > gate.blockedUntilMs) await gates.blockUntil(state.connection, untilMs);
}
