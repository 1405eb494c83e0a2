import { expiryMs } from '../steps/step-item.ts';
import { swapLine } from '../steps/swap-line.ts';
import type { QueuePorts } from './ports.ts';
import type { OrderLine, WriteState } from './write-state.ts';
import { isOver, pointerTo } from './write-steps.ts';

/** Ids have up to 128 characters, so a full line has 130 KB: far below DynamoDB's limit of 400 KB for an item. */
export const MAX_LINE_LENGTH = 1_000;
/** An empty line is kept for some days, so that a busy orderKey does not create it again each time. */
const EMPTY_LINE_DAYS = 7;

export type OrderedWrite = WriteState & { readonly orderKey: string };

export function isOrdered(state: WriteState): state is OrderedWrite {
  return state.orderKey !== undefined;
}

export async function joinLine(ports: QueuePorts, state: OrderedWrite): Promise<void> {
  await changeLine(ports, state, (ids) =>
    ids.includes(state.writeId) ? undefined : [...ids, state.writeId],
  );
}

/**
 * Whether it is this write's turn. A write that is missing in the line joins it. A write that is over but still
 * in the line, after a crash, is removed.
 */
export async function isFirstInLine(ports: QueuePorts, state: OrderedWrite): Promise<boolean> {
  for (let tries = 0; tries < MAX_LINE_LENGTH; tries++) {
    const line = await ports.ledger.readLine(state.connection, state.orderKey);
    const [first] = line?.writeIds ?? [];
    if (first === state.writeId) return true;
    if (first === undefined || !line?.writeIds.includes(state.writeId)) {
      await joinLine(ports, state);
      // After a slow read this write may be over.
      const now = await ports.ledger.readWrite(state.connection, state.writeId);
      if (now !== undefined && !isOver(now)) continue;
      await remove(ports, state, state.writeId);
      return false;
    }
    const before = await ports.ledger.readWrite(state.connection, first);
    if (before !== undefined && !isOver(before)) return false;
    await remove(ports, state, first);
  }
  throw new Error(`The order ${state.orderKey} is busy. The write is tried again.`);
}

/** Removes a write that is over, and wakes the next write of the line. */
export async function leaveLine(ports: QueuePorts, state: OrderedWrite): Promise<void> {
  await remove(ports, state, state.writeId);
  for (let tries = 0; tries < MAX_LINE_LENGTH; tries++) {
    const line = await ports.ledger.readLine(state.connection, state.orderKey);
    const [first] = line?.writeIds ?? [];
    if (first === undefined) return;
    const next = await ports.ledger.readWrite(state.connection, first);
    if (next !== undefined && !isOver(next)) {
      const isAsleep = next.lease === undefined && next.halted === undefined;
      if (isAsleep && next.status !== 'unclear') await ports.queue.send(pointerTo(next));
      return;
    }
    await remove(ports, state, first);
  }
}

async function remove(ports: QueuePorts, place: OrderedWrite, writeId: string): Promise<void> {
  await changeLine(ports, place, (ids) =>
    ids.includes(writeId) ? ids.filter((each) => each !== writeId) : undefined,
  );
}

/** @param change Returns the ids to store, `undefined` to change nothing. */
async function changeLine(
  ports: QueuePorts,
  { connection, orderKey }: OrderedWrite,
  change: (writeIds: readonly string[]) => readonly string[] | undefined,
): Promise<void> {
  const { ledger, clock } = ports;
  await swapLine(
    ports,
    {
      name: `The order ${orderKey}`,
      read: () => ledger.readLine(connection, orderKey),
      swap: (writeIds: readonly string[], writeToken, expected) => {
        const next: OrderLine = { v: 1, connection, orderKey, writeToken, writeIds };
        const deleteAfterMs = expiryMs(clock.now(), EMPTY_LINE_DAYS);
        return ledger.writeLine(writeIds.length > 0 ? next : { ...next, deleteAfterMs }, expected);
      },
    },
    (line) => change(line?.writeIds ?? []),
    (writeIds) => writeIds,
  );
}
