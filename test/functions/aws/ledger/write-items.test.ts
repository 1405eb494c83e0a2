import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import {
  createWriteItems,
  openWriteMark,
  type WriteItems,
} from '../../../../functions/aws/ledger/write-items.ts';
import type { WriteState } from '../../../../lib/writes/write-state.ts';
import { sweepAtMs } from '../../../../lib/writes/write-steps.ts';
import { startLedger } from '../dynalite-ledger.ts';
import { writeState } from '../write-state.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;

let database: Awaited<ReturnType<typeof startLedger>>;
let items: WriteItems;
beforeAll(async () => {
  database = await startLedger();
  items = createWriteItems(database.table, { fraction: Math.random });
});
afterAll(() => database.close());

const reason = { code: 'no-clear-answer', message: 'No answer came.', status: 500 } as const;
/** Everything that a state may have besides. */
const full = {
  orderKey: 'line',
  lease: { owner: 'me', untilMs: 5_000 },
  firstSentAtMs: 2_000,
  doubt: { sinceMs: 2_000, reason, refusal: { ...reason, apiCode: 'taken', requestId: 'r-1' } },
  halted: { sinceMs: 3_000 },
  answer: { status: 201, requestId: 'r-2', bodyText: '{}' },
  settledBy: 'person',
  reason,
  settlements: [
    {
      atMs: 4_000,
      by: 'arn:aws:iam::1:user/ada',
      decision: 'retry',
      note: 'Seen.',
      before: { status: 'unclear', attempt: 1, reason },
    },
  ],
  untold: [{ attempt: 1, updatedAtMs: 4_000, reason }],
  deleteAfterMs: 1_500,
} as const;

test('gives back every member of a write as it was stored', async () => {
  const state = writeState({ writeId: 'full', ...full });

  expect(await items.writeWrite(state, undefined)).toEqual({ kind: 'written' });

  expect(await items.readWrite('acme', 'full')).toEqual(state);
  // Time to live is in seconds.
  const place = { connection: 'acme', sort: 'write#full', schema: v.unknown() };
  expect(await database.table.get(place)).toMatchObject({ deleteAt: 2 });
  expect(await items.readWrite('other', 'full')).toBeUndefined();
});

test('replaces a write only as long as nobody else has', async () => {
  const first = writeState({ writeId: 'cas' });
  const second = { ...first, writeToken: 'second', attempt: 1 };
  await items.writeWrite(first, undefined);

  expect(await items.writeWrite({ ...first, writeToken: 'x' }, undefined)).toEqual({
    kind: 'conflict',
    current: first,
  });
  expect(await items.writeWrite(second, 'first')).toEqual({ kind: 'written' });
  expect(await items.writeWrite({ ...first, writeToken: 'third' }, 'first')).toEqual({
    kind: 'conflict',
    current: second,
  });
});

test('knows its own write by its token when the answer was lost', async () => {
  const state = writeState({ writeId: 'lost' });
  database.loseNext();

  expect(await items.writeWrite(state, undefined)).toEqual({ kind: 'written' });
});

test('keeps the order of a line, and replaces it like a write', async () => {
  const line = {
    v: 1,
    connection: 'acme',
    orderKey: 'a:b',
    writeToken: 't1',
    writeIds: ['1', '2'],
  };
  expect(await items.readLine('acme', 'a:b')).toBeUndefined();

  expect(await items.writeLine({ ...line, v: 1 }, undefined)).toEqual({ kind: 'written' });

  expect(await items.readLine('acme', 'a:b')).toEqual(line);
  const next = { ...line, v: 1, writeToken: 't2', writeIds: ['2'] } as const;
  expect(await items.writeLine(next, 'other')).toMatchObject({ kind: 'conflict', current: line });
  expect(await items.writeLine(next, 't1')).toEqual({ kind: 'written' });
});

test('finds unfinished writes when they are due, unclear ones for a person, and no others', async () => {
  const names = async (found: Promise<readonly { writeId: string }[]>) =>
    (await found).map(({ writeId }) => writeId).sort();
  const due = writeState({ connection: 'index', writeId: 'due' });
  const later = writeState({ connection: 'index', writeId: 'later', notBeforeMs: 8_000_000 });
  const unclear = writeState({
    connection: 'index',
    writeId: 'unclear',
    status: 'unclear',
    reason,
  });
  const done = writeState({ connection: 'index', writeId: 'done', status: 'done', closed: true });
  for (const state of [due, later, { ...unclear, closed: true }, done]) {
    await items.writeWrite(state, undefined);
  }
  const dueAtMs = sweepAtMs(due) ?? 0;

  expect(await names(items.listUnfinished(dueAtMs - 1, 'index'))).toEqual([]);
  expect(await names(items.listUnfinished(dueAtMs, 'index'))).toEqual(['due']);
  expect(await names(items.listUnfinished(FOREVER_MS, 'index'))).toEqual(['due', 'later']);
  expect(await names(items.listUnclear('index'))).toEqual(['unclear']);
  expect(await items.listUnclear('acme')).toEqual([]);
  expect(await items.listUnfinished(dueAtMs)).toEqual(
    expect.arrayContaining([{ connection: 'index', writeId: 'due' }]),
  );
  expect(await items.listUnclear()).toEqual([{ connection: 'index', writeId: 'unclear' }]);

  await items.writeWrite({ ...due, writeToken: 'over', status: 'done', closed: true }, 'first');

  expect(await names(items.listUnfinished(FOREVER_MS, 'index'))).toEqual(['later']);
});

/** Connections whose writes are in the same partition of the index. */
const [bulk = '', other = ''] = Array.from({ length: 99 }, (_, each) => `c${each}`).filter(
  (name) => openWriteMark('unfinished', name) === openWriteMark('unfinished', 'c0'),
);

/** Writes of one connection, older than those of another, in an index of which so many are read at a time. */
async function behindMany(before: Partial<WriteState>, mine: Partial<WriteState>) {
  const perPage = 2;
  const stored: { readonly id: string; readonly connection: string; readonly mark: unknown }[] = [];
  const table: Parameters<typeof createWriteItems>[0] = {
    get: () => Promise.resolve(undefined),
    replace: async (place, _next, _token, attributes) => {
      const { connection, sort } = place;
      stored.push({ id: sort.slice('write#'.length), connection, mark: attributes?.['openWrite'] });
      return { kind: 'written' };
    },
    query: async ({ schema, values, isWanted = () => true, maxPages = Infinity }) => {
      const keys = stored.flatMap(({ id, connection, mark }) =>
        mark === values[':mark'] ? { pk: connection, sk: `write#${id}`, openWriteAtMs: 1 } : [],
      );
      const read = keys.slice(0, perPage * maxPages).map((each) => v.parse(schema, each));
      return { items: read.filter(isWanted), unreadable: [] };
    },
  };
  const found = createWriteItems(table, { fraction: Math.random });
  for (let each = 0; each < 10; each++) {
    await found.writeWrite(
      writeState({ connection: bulk, writeId: `w${each}`, ...before }),
      undefined,
    );
  }
  await found.writeWrite(writeState({ connection: other, writeId: 'mine', ...mine }), undefined);
  return found;
}

const MINE = { connection: other, writeId: 'mine' };

test.each([
  ['that stands still', {}],
  ['that waits for a key', { halted: { sinceMs: 1 } }],
])('finds a write %s behind any number of another connection', async (_, state) => {
  const found = await behindMany(state, state);
  expect(await found.listUnfinished(FOREVER_MS, other)).toEqual([MINE]);
});

test('finds an unclear write behind any number of another connection', async () => {
  const unclear = { status: 'unclear', reason, closed: true } as const;
  const found = await behindMany(unclear, unclear);
  expect(await found.listUnclear(other)).toEqual([MINE]);
});

test('does not let writes that wait for a key stand before one that can go on', async () => {
  const found = await behindMany({ halted: { sinceMs: 1 } }, {});
  expect(await found.listUnfinished(FOREVER_MS)).toContainEqual(MINE);
});

test.each<[string, Partial<WriteState>]>([
  ['the gate has not taken its wait', { closed: true, untoldWait: { sinceMs: 5, untilMs: 9 } }],
  ['the bus has not taken its event', { unannounced: true }],
])('finds an unclear write for a person and for the sweep while %s', async (why, untold) => {
  const name = { connection: 'untold', writeId: why.replaceAll(' ', '-') };
  const state = writeState({ ...name, status: 'unclear', reason });
  const waiting = { ...state, ...untold };
  const dueAtMs = sweepAtMs(waiting) ?? 0;

  await items.writeWrite(waiting, undefined);

  expect(await items.listUnclear('untold')).toContainEqual(name);
  expect(await items.listUnclear()).toContainEqual(name);
  expect(await items.listUnfinished(dueAtMs - 1, 'untold')).toEqual([]);
  expect(await items.listUnfinished(dueAtMs, 'untold')).toEqual([name]);

  await items.writeWrite({ ...state, closed: true, writeToken: 'told' }, 'first');

  expect(await items.listUnclear('untold')).toContainEqual(name);
  expect(await items.listUnfinished(FOREVER_MS, 'untold')).toEqual([]);
});

test('lists unclear writes oldest first, whatever of them is still to be told', async () => {
  const unclear = { status: 'unclear', reason, closed: true } as const;
  const waiting = (atMs: number) => ({ untoldWait: { sinceMs: atMs, untilMs: 9e12 } });
  const write = (connection: string, atMs: number, untold: Partial<WriteState> = {}) => {
    const name = { connection, writeId: `at-${atMs}` };
    return items.writeWrite(
      writeState({ ...name, ...unclear, updatedAtMs: atMs, ...untold }),
      undefined,
    );
  };
  for (const atMs of [30, 50]) await write('oldest', atMs);
  for (const atMs of [20, 40]) await write('oldest', atMs, waiting(atMs));
  for (const atMs of [10, 35]) await write('oldest-2', atMs);

  const ids = async (connection?: string) =>
    (await items.listUnclear(connection)).map(({ writeId }) => writeId);

  expect(await ids('oldest')).toEqual(['at-20', 'at-30', 'at-40', 'at-50']);
  const all = (await ids()).filter((id) => id.startsWith('at-'));
  expect(all).toEqual(['at-10', 'at-20', 'at-30', 'at-35', 'at-40', 'at-50']);
});

test('says which attribute of an item cannot be read, and shows no value', async () => {
  await database.table.put({ connection: 'acme', sort: 'write#old' }, { v: 1, bodyText: 'canary' });

  const read = items.readWrite('acme', 'old');

  await expect(read).rejects.toThrow(/write#old of connection \S+ cannot be read: .*writeToken/);
  await expect(read).rejects.not.toThrow(/canary/);
});
