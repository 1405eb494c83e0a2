import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createWriteItems, openWriteMark } from '../../../../functions/aws/ledger/write-items.ts';
import type { WakeUp } from '../../../../lib/exports/ports.ts';
import { startAll } from '../../../../lib/exports/start-all.ts';
import { startExport } from '../../../../lib/exports/start-export.ts';
import { wakeExports } from '../../../../lib/exports/wake-exports.ts';
import type { WritePointer } from '../../../../lib/writes/ports.ts';
import { wakeWrites } from '../../../../lib/writes/wake-writes.ts';
import { begun, lineOf, rulesWith } from '../../../lib/exports/state-of.ts';
import { startLedger } from '../dynalite-ledger.ts';
import { writeState } from '../write-state.ts';

let service: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  service = await startLedger();
});
afterAll(() => service.close());

let names = 0;
const newConnection = () => `connection-${++names}`;
const NOW_MS = 1_800_000_000_000;

let tokens = 0;
const NO_KEY = { kind: 'no-key', reason: 'missing', message: 'None.' } as const;
/** What is beside the ledger: nothing of it is reached here. */
const around = {
  clock: { now: () => NOW_MS, sleep: async () => {} },
  random: { fraction: () => 0, token: () => `token-${++tokens}` },
  connections: { open: async () => NO_KEY },
  events: { publish: () => Promise.reject(new Error('Nothing is published.')) },
};

function stateOf(connection: string, exportId: string) {
  return begun({ connection, exportId, sinceMs: 1_700_000_000_123 });
}

test('a line that cannot be read hides no other, and the sweep reports it alone', async () => {
  const { ledger, table, gates } = service;
  const [damaged, other, sound] = [newConnection(), newConnection(), newConnection()];
  await table.put(
    { connection: damaged, sort: 'active-export' },
    { activeMark: 'active', connection: damaged, exportId: ['canary'] },
  );
  // Its export is of a version that these functions do not know.
  await ledger.writeLine(lineOf(other, { exportId: 'newer' }), undefined);
  await table.put({ connection: other, sort: 'export#newer' }, { v: 3, canary: 'canary' });
  await ledger.writeLine(lineOf(sound, {}), undefined);
  await ledger.writeExport(
    { ...stateOf(sound, 'one'), wakeUpSent: true, deadlineAtMs: NOW_MS * 2 },
    undefined,
  );
  const woken: string[] = [];
  const ports = {
    ...around,
    ledger,
    gates,
    queue: { send: async ({ connection }: WakeUp) => void woken.push(connection) },
  };

  const swept = await wakeExports(ports, () => rulesWith());
  const again = await wakeExports(ports, () => rulesWith(), damaged);

  const resultOf = (name: string) => swept.find(({ connection }) => connection === name);
  const problem = 'UnreadableItemError';
  expect(resultOf(damaged)).toEqual({
    connection: damaged,
    list: 'unknown',
    exportId: 'unknown',
    result: 'error',
    problem,
  });
  expect(again).toEqual([resultOf(damaged)]);
  expect(resultOf(other)).toMatchObject({ exportId: 'newer', result: 'error', problem });
  expect(resultOf(sound)).toMatchObject({ exportId: 'one', result: 'wake' });
  expect(woken).toContain(sound);
  await expect(ledger.readLine(damaged)).rejects.not.toThrow('canary');
});

test('what was copied from another connection is not believed: it would be carried out with the key of that one', async () => {
  const { ledger, table } = service;
  const [mine, other] = [newConnection(), newConnection()];
  const writes = createWriteItems(table, around.random);
  const line = lineOf(other, { exportId: 'one' });
  const copies = {
    'active-export': line,
    'export#one': stateOf(other, 'one'),
    'part#one#1#abcd1234': { connection: other },
    'write#w-1': writeState({ connection: other, writeId: 'w-1' }),
  };
  for (const [sort, item] of Object.entries(copies)) {
    await table.put({ connection: mine, sort }, { ...item, activeMark: 'active' });
  }

  const reads = [
    ledger.readLine(mine),
    ledger.readExport(mine, 'one'),
    ledger.listParts(mine, 'one'),
    writes.readWrite(mine, 'w-1'),
  ];
  for (const read of reads) await expect(read).rejects.toThrow(/cannot be read: connection/);
  const { items, unreadable } = await ledger.listLines();
  expect(items.map(({ connection }) => connection)).not.toContain(other);
  expect(unreadable.map(({ item }) => item.connection)).toContain(mine);
});

test('a time that no clock shows is not believed', async () => {
  const { ledger, table, gates } = service;
  const connection = newConnection();
  const state = { ...stateOf(connection, 'one'), notBeforeMs: 8_640_000_000_000_001 };
  await table.put({ connection, sort: 'export#one' }, state);
  await table.put({ connection, sort: 'gate' }, { blockedUntilMs: 1e100 });

  await expect(ledger.readExport(connection, 'one')).rejects.toThrow(/notBeforeMs is missing or/);
  await expect(gates.read(connection)).rejects.toThrow(/gate of .* cannot be read: blockedUntilMs/);
});

test('a part that cannot be read fails the list of its export alone', async () => {
  const { ledger, table } = service;
  const connection = newConnection();
  await table.put({ connection, sort: 'part#one#1#abcd1234' }, { number: 'canary' });

  await expect(ledger.listParts(connection, 'one')).rejects.toThrow(
    /part#one#1#abcd1234 of connection \S+ cannot/,
  );
  expect(await ledger.listParts(connection, 'two')).toEqual([]);
});

test('the schedule for all connections starts the others beside one whose items cannot be read', async () => {
  const { ledger, table, gates } = service;
  const [damaged, sound] = [newConnection(), newConnection()];
  await table.put({ connection: damaged, sort: 'active-export' }, { exportId: 7 });
  const queue = { send: async () => {} };
  const ports = { ...around, ledger, gates, queue };
  const start = async (connection: string) =>
    (await startExport(ports, rulesWith(), { connection, list: 'customers', exportId: 'new' }))
      .kind;

  const report = await startAll(
    { clock: around.clock, start, remainingMs: () => 900_000 },
    { scheduledAtMs: 0, windowMs: 0 },
    [damaged, sound],
  );

  expect(report.counts.started).toBe(1);
  expect(report.failed).toEqual([{ connection: damaged, problem: 'UnreadableItemError' }]);
});

test('a write that cannot be read keeps the sweep from no other, and what is no write is left out', async () => {
  const { table, gates } = service;
  const items = createWriteItems(table, around.random);
  const sent: WritePointer[] = [];
  const connection = newConnection();
  const due = writeState({ connection, writeId: 'due', deadlineAtMs: NOW_MS * 2 });
  await items.writeWrite(due, undefined);
  const index = { openWrite: openWriteMark('unfinished', connection), openWriteAtMs: 1 };
  await table.put({ connection, sort: 'write#damaged' }, { ...index, v: 2 });
  await table.put({ connection, sort: 'order#stray' }, { ...index, v: 1 });
  const queue = { send: async (pointer: WritePointer) => void sent.push(pointer) };

  const swept = await wakeWrites({ ...around, ledger: items, gates, queue }, connection);

  expect(swept).toEqual(
    expect.arrayContaining([
      { connection, writeId: 'damaged', result: 'error', problem: 'UnreadableItemError' },
      { connection, writeId: 'due', result: 'wake' },
    ]),
  );
  expect(swept).toHaveLength(2);
  expect(sent.map(({ writeId }) => writeId)).toEqual(['due']);
});
