import { hash } from 'node:crypto';
import type { Random } from '../../../lib/gate/ports.ts';
import type { WriteLedger, WriteName } from '../../../lib/writes/ports.ts';
import {
  type OrderLine,
  OrderLineSchema,
  type WriteState,
  WriteStateSchema,
} from '../../../lib/writes/write-state.ts';
import { sweepAtMs } from '../../../lib/writes/write-steps.ts';
import { LEDGER_ATTRIBUTES, openItems } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const SORT_PREFIX = 'write#';

/** What a sweep gets through in its two minutes, at some 20 ms for each write. */
const MAX_UNFINISHED = 2_000;

/** Of each partition, about 7,000 keys each: enough to fill a sweep many times over. Of one connection all are read. */
const MAX_INDEX_PAGES = 3;

/** Writes and order lines in the DynamoDB table. */
export interface WriteItems extends WriteLedger {
  /**
   * Unclear writes that wait for a person, oldest first, through an index that may lag behind.
   *
   * @param connection Only this one's. @default - those of all connections, some thousands at most
   */
  listUnclear(connection?: string): Promise<readonly WriteName[]>;
}

/**
 * The items `write#<id>` and `order#<orderKey>`.
 *
 * @param random Chooses which writes a sweep takes when there are more of them than it gets through.
 */
export function createWriteItems(
  table: Pick<LedgerTable, 'get' | 'replace' | 'query'>,
  random: Pick<Random, 'fraction'>,
): WriteItems {
  const listOpen = async (kind: OpenWriteKind, untilMs: number, connection?: string) => {
    const marks =
      connection === undefined ? openWriteMarks(kind) : [openWriteMark(kind, connection)];
    const found = await Promise.all(
      marks.map((mark) => {
        const query = openItems(mark, untilMs, SORT_PREFIX);
        if (connection === undefined) return table.query({ ...query, maxPages: MAX_INDEX_PAGES });
        // Behind any number of others: its partition may be full of some that nothing helps.
        return table.query({ ...query, isWanted: (item) => item.connection === connection });
      }),
    );
    return found.flatMap(({ items }) => items); // what has no name of a write is none
  };
  const listAll = async (kinds: readonly OpenWriteKind[], untilMs: number, connection?: string) => {
    const found = await Promise.all(kinds.map((kind) => listOpen(kind, untilMs, connection)));
    return found
      .flat()
      .sort((a, b) => a.atMs - b.atMs)
      .map((each) => ({ connection: each.connection, writeId: each.id }));
  };

  return {
    readLine: (connection, orderKey) => table.get(linePlaceOf(connection, orderKey)),
    writeLine: (next, expectedToken) =>
      table.replace(linePlaceOf(next.connection, next.orderKey), next, expectedToken),
    readWrite: (connection, writeId) => table.get(placeOf(connection, writeId)),
    writeWrite: (next, expectedToken) => {
      const place = placeOf(next.connection, next.writeId);
      return table.replace(place, next, expectedToken, openWriteAttributes(next));
    },
    listUnfinished: async (untilMs, connection) => {
      const due = await listAll(UNFINISHED, untilMs, connection);
      // Any of them, so that many that cannot be helped do not keep the sweep from the others for ever.
      return due.length <= MAX_UNFINISHED ? due : shuffled(due, random).slice(0, MAX_UNFINISHED);
    },
    listUnclear: (connection) => listAll(UNCLEAR, Number.MAX_SAFE_INTEGER, connection),
  };
}

function placeOf(connection: string, writeId: string): ItemPlace<WriteState> {
  return { connection, sort: `${SORT_PREFIX}${writeId}`, schema: WriteStateSchema };
}

function linePlaceOf(connection: string, orderKey: string): ItemPlace<OrderLine> {
  return { connection, sort: `order#${orderKey}`, schema: OrderLineSchema };
}

function shuffled<T>(values: readonly T[], random: Pick<Random, 'fraction'>): readonly T[] {
  return values
    .map((value) => ({ value, rank: random.fraction() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

/**
 * `unfinished`: the sweep reads it when it is due. `halted`: it waits for a key; thousands of them must not stand before
 * those that the sweep can set going again. `unclear`: it waits for a person. `untold`: the same, and the bus has not taken
 * its event or the gate the wait that its answer asked for, which the sweep tells.
 */
type OpenWriteKind = 'unfinished' | 'halted' | 'unclear' | 'untold';

const UNFINISHED = ['unfinished', 'halted', 'untold'] as const;
const UNCLEAR = ['unclear', 'untold'] as const;

/**
 * A partition of the index takes 1,000 writes a second (DynamoDB developer guide, "Partitions and data
 * distribution"), and a write request moves through it about four times: 250 a second for each of these.
 */
const PARTITIONS = 8;

/** The partition of the index that holds a connection's writes of this kind. */
export function openWriteMark(kind: OpenWriteKind, connection: string): string {
  const [first = 0] = hash('sha256', connection, 'buffer');
  return `${kind}-${first % PARTITIONS}`;
}

function openWriteMarks(kind: OpenWriteKind): readonly string[] {
  return Array.from({ length: PARTITIONS }, (_, index) => `${kind}-${index}`);
}

/** The attributes by which the index finds a write; none for a write that is over. */
function openWriteAttributes(state: WriteState): Readonly<Record<string, string | number>> {
  const dueAtMs = sweepAtMs(state);
  const { status, connection, updatedAtMs } = state;
  if (dueAtMs === undefined && status !== 'unclear') return {};
  return {
    [LEDGER_ATTRIBUTES.openWrite]: openWriteMark(kindOf(state, dueAtMs), connection),
    [LEDGER_ATTRIBUTES.openWriteAtMs]: dueAtMs ?? updatedAtMs,
  };
}

function kindOf({ status, halted }: WriteState, dueAtMs: number | undefined): OpenWriteKind {
  if (status === 'unclear') return dueAtMs === undefined ? 'unclear' : 'untold';
  return halted === undefined ? 'unfinished' : 'halted';
}
