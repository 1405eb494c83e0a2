import * as v from 'valibot';
import type { Random } from '../../lib/gate/ports.ts';
import type { WriteLedger, WriteName } from '../../lib/writes/ports.ts';
import { secondsOf } from './export-items.ts';
import { type Condition, LEDGER_ATTRIBUTES, type LedgerTable } from './ledger-table.ts';
import {
  type OpenWriteKind,
  openWriteAttributes,
  openWriteMark,
  openWriteMarks,
} from './open-write-marks.ts';
import { parseItem } from './parse-item.ts';
import { OrderLineSchema, WriteStateSchema } from './write-state-schema.ts';

const WRITE_PREFIX = 'write#';
const LINE_PREFIX = 'order#';

/** What a sweep gets through in its two minutes, at some 20 ms for each write. */
const MAX_UNFINISHED = 2_000;

/** Writes and order lines in the DynamoDB table. */
export interface WriteItems extends WriteLedger {
  /**
   * Unclear writes that wait for a person, oldest first, through an index that may lag behind; some
   * thousands at most.
   *
   * @param connection Only this one's. @default - those of all connections
   */
  listUnclear(connection?: string): Promise<readonly WriteName[]>;
}

/** @param random Chooses which writes a sweep takes when there are more of them than it gets through. */
export function createWriteItems(table: LedgerTable, random: Pick<Random, 'fraction'>): WriteItems {
  const readWrite: WriteLedger['readWrite'] = async (connection, writeId) => {
    const sort = `${WRITE_PREFIX}${writeId}`;
    const item = await table.get({ connection, sort });
    return item === undefined ? undefined : parseItem(WriteStateSchema, item, sort);
  };

  const readLine: WriteLedger['readLine'] = async (connection, orderKey) => {
    const sort = `${LINE_PREFIX}${orderKey}`;
    const item = await table.get({ connection, sort });
    return item === undefined ? undefined : parseItem(OrderLineSchema, item, sort);
  };

  const replace = async <T extends { readonly writeToken: string }>(
    key: { readonly connection: string; readonly sort: string },
    next: T & { readonly deleteAfterMs?: number },
    expectedToken: string | undefined,
    more: Readonly<Record<string, string | number>>,
    read: () => Promise<T | undefined>,
  ) => {
    const { deleteAfterMs } = next;
    const timeToLive =
      deleteAfterMs === undefined
        ? {}
        : { [LEDGER_ATTRIBUTES.timeToLive]: secondsOf(deleteAfterMs) };
    const item = { ...next, ...timeToLive, ...more };
    const written = { kind: 'written' } as const;
    if ((await table.put(key, item, tokenIs(expectedToken))) === 'written') return written;
    const current = await read();
    return current?.writeToken === next.writeToken
      ? written
      : ({ kind: 'conflict', current } as const);
  };

  const listOpen = async (kind: OpenWriteKind, untilMs: number, connection?: string) => {
    const marks =
      connection === undefined ? openWriteMarks(kind) : [openWriteMark(kind, connection)];
    const found = await Promise.all(marks.map((mark) => table.listOpenWrites(mark, untilMs)));
    return found
      .flat()
      .map((item) => parseItem(OpenWriteSchema, item, `${WRITE_PREFIX}… in the index`))
      .filter((name) => connection === undefined || name.connection === connection);
  };

  return {
    readWrite,
    writeWrite: (next, expectedToken) => {
      const { connection, writeId } = next;
      const key = { connection, sort: `${WRITE_PREFIX}${writeId}` };
      const more = openWriteAttributes(next);
      return replace(key, next, expectedToken, more, () => readWrite(connection, writeId));
    },
    readLine,
    writeLine: (next, expectedToken) => {
      const { connection, orderKey } = next;
      const key = { connection, sort: `${LINE_PREFIX}${orderKey}` };
      return replace(key, next, expectedToken, {}, () => readLine(connection, orderKey));
    },
    listUnfinished: async (untilMs, connection) => {
      const due = await listOpen('unfinished', untilMs, connection);
      // Any of them, so that many that cannot be helped do not keep the sweep from the others for ever.
      return due.length <= MAX_UNFINISHED ? due : shuffled(due, random).slice(0, MAX_UNFINISHED);
    },
    listUnclear: (connection) => listOpen('unclear', Number.MAX_SAFE_INTEGER, connection),
  };
}

const OpenWriteSchema = v.pipe(
  v.object({
    [LEDGER_ATTRIBUTES.partitionKey]: v.string(),
    [LEDGER_ATTRIBUTES.sortKey]: v.pipe(v.string(), v.startsWith(WRITE_PREFIX)),
  }),
  v.transform(({ pk, sk }) => ({ connection: pk, writeId: sk.slice(WRITE_PREFIX.length) })),
);

function tokenIs(expected: string | undefined): Condition {
  return expected === undefined
    ? { expression: 'attribute_not_exists(pk)' }
    : { expression: 'writeToken = :expected', values: { ':expected': expected } };
}

function shuffled<T>(values: readonly T[], random: Pick<Random, 'fraction'>): readonly T[] {
  return values
    .map((value) => ({ value, rank: random.fraction() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
