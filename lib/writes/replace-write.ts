import { delaySecondsUntil } from '../steps/delay.ts';
import type { AcceptPorts, WritePointer, WritePorts } from './ports.ts';
import type { WriteState } from './write-state.ts';

/**
 * Writes `next` in place of `previous`, under a token of its own.
 *
 * @returns What is stored now, or `undefined` when somebody else wrote after `previous` was read.
 */
export async function replaceWrite(
  ports: Pick<WritePorts, 'ledger' | 'random'>,
  previous: WriteState,
  next: WriteState,
): Promise<WriteState | undefined> {
  const stored = { ...next, writeToken: ports.random.token() };
  const result = await ports.ledger.writeWrite(stored, previous.writeToken);
  return result.kind === 'written' ? stored : undefined;
}

/**
 * Sends the message that the stored state asks for, then marks it sent. In this order, since a mark
 * without a message would leave the write asleep, while a message without a mark is at worst sent twice.
 */
export async function sendNext(ports: AcceptPorts, state: WriteState): Promise<void> {
  const nowMs = ports.clock.now();
  await ports.queue.send(pointerTo(state), delaySecondsUntil(state.notBeforeMs, nowMs));
  await replaceWrite(ports, state, { ...state, wakeUpSent: true, updatedAtMs: nowMs });
}

export function pointerTo({ connection, writeId, attempt }: WriteState): WritePointer {
  return { v: 1, connection, writeId, attempt };
}
