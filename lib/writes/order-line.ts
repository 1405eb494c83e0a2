import { expiryMs } from '../steps/step-item.ts';
import { swapLine } from '../steps/swap-line.ts';
import type { QueuePorts } from './ports.ts';
import type { OrderLine, WriteState } from './write-state.ts';
import { isOver, pointerTo } from './write-steps.ts';

/** Ids have up to 128 characters, so a full line has 130 KB: far below DynamoDB's limit of 400 KB for an item. */
export const MAX_LINE_LENGTH = 1_000;
/** An empty line is kept for some days, so that a busy orderKey does not create it again each time. */
const EMPTY_LINE_DAYS = 7;

type OrderedWrite = WriteState & { readonly orderKey: string };

export function isOrdered(state: WriteState): state is OrderedWrite {
  return state.orderKey !== undefined;
}

export async function joinLine(ports: QueuePorts, state: OrderedWrite): Promise<void> {
  await changeLine(ports, state, (ids) =>
    ids.includes(state.writeId) ? undefined : [...ids, state.writeId],
  );
}

/**
 * Whether it is this write's turn. A write that is missing in the line joins it. Writes that are over but still before
 * it in the line, after a crash, are removed.
 */
export async function isFirstInLine(ports: QueuePorts, state: OrderedWrite): Promise<boolean> {
  const idsIn = async () =>
    (await ports.ledger.readLine(state.connection, state.orderKey))?.writeIds ?? [];
  let ids = await idsIn();
  if (!ids.includes(state.writeId)) {
    await joinLine(ports, state);
    // After a slow read this write may be over.
    const now = await ports.ledger.readWrite(state.connection, state.writeId);
    if (now === undefined || isOver(now)) {
      await remove(ports, state, [state.writeId]);
      return false;
    }
    ids = await idsIn();
  }
  const at = ids.indexOf(state.writeId);
  // Only who found it over has removed it.
  if (at < 0) return false;
  const before = ids.slice(0, at);
  for (const each of before) {
    const other = await ports.ledger.readWrite(state.connection, each);
    if (other !== undefined && !isOver(other)) return false;
  }
  await remove(ports, state, before);
  return true;
}

/**
 * Wakes the next write of the line, and removes a write that is over. In this order, so that one that is no longer in the
 * line has woken the next one, and wakes it no second time.
 */
export async function leaveLine(ports: QueuePorts, state: OrderedWrite): Promise<void> {
  const line = await ports.ledger.readLine(state.connection, state.orderKey);
  const { writeIds = [] } = line ?? {};
  if (!writeIds.includes(state.writeId)) return;
  const gone = [state.writeId];
  for (const each of writeIds) {
    if (each === state.writeId) continue;
    const next = await ports.ledger.readWrite(state.connection, each);
    if (next === undefined || isOver(next)) {
      gone.push(each);
      continue;
    }
    const isAsleep = next.lease === undefined && next.halted === undefined;
    if (isAsleep && next.status !== 'unclear') await ports.queue.send(pointerTo(next));
    break;
  }
  await remove(ports, state, gone);
}

async function remove(
  ports: QueuePorts,
  place: OrderedWrite,
  gone: readonly string[],
): Promise<void> {
  if (gone.length === 0) return;
  await changeLine(ports, place, (ids) => {
    const left = ids.filter((each) => !gone.includes(each));
    return left.length === ids.length ? undefined : left;
  });
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
