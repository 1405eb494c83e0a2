import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { changeLine } from '../../../../lib/exports/change-line.ts';
import { joined, left } from '../../../../lib/exports/export-line.ts';
import { amountOf } from '../../../deep/depth.ts';
import { begun, lineOf } from '../../../lib/exports/state-of.ts';
import { startLedger } from '../dynalite-ledger.ts';

let service: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  service = await startLedger();
});
afterAll(() => service.close());

let names = 0;
const newConnection = () => `connection-${++names}`;

let tokens = 0;
const around = {
  random: { fraction: () => Math.random(), token: () => `token-${++tokens}` },
  clock: { now: () => 9, sleep: async () => {} },
};

/** Each that joins or leaves makes all others try again. */
const LISTS = amountOf({ short: 6, deep: 20 });

const OTHER = { list: 'invoices', exportId: 'two', sinceMs: 2 };

test('gives back a line as it was stored, and nothing when its last export left', async () => {
  const { ledger } = service;
  const line = lineOf(newConnection(), {}, OTHER);

  expect(await ledger.writeLine(line, undefined)).toEqual({ kind: 'written' });
  expect(await ledger.readLine(line.connection)).toEqual(line);

  const empty = { ...line, writeToken: 'next', entries: [] };
  expect(await ledger.writeLine(empty, 'line-0')).toEqual({ kind: 'written' });
  expect(await ledger.readLine(line.connection)).toBeUndefined();
});

test('refuses a write with an outdated token and tells what is there', async () => {
  const { ledger } = service;
  const line = lineOf(newConnection(), {});
  const { connection } = line;
  await ledger.writeLine(line, undefined);
  const late = { ...line, writeToken: 'late', entries: [OTHER] };

  const conflict = { kind: 'conflict', current: line };
  expect(await ledger.writeLine(late, undefined)).toEqual(conflict);
  expect(await ledger.writeLine(late, 'former')).toEqual(conflict);
  expect(await ledger.writeLine({ ...late, entries: [] }, 'former')).toEqual(conflict);
  expect(await ledger.readLine(connection)).toEqual(line);
});

test('recognizes its own write, and its own delete, whose answer was lost', async () => {
  const { ledger, loseNext } = service;
  const line = lineOf(newConnection(), {});

  loseNext();
  expect(await ledger.writeLine(line, undefined)).toEqual({ kind: 'written' });
  loseNext();
  const empty = { ...line, writeToken: 'next', entries: [] };
  expect(await ledger.writeLine(empty, 'line-0')).toEqual({ kind: 'written' });
  expect(await ledger.readLine(line.connection)).toBeUndefined();
});

test(`keeps each of ${LISTS} lists that join at the same time, and loses none while others leave`, async () => {
  const { ledger } = service;
  const connection = newConnection();
  const entries = Array.from({ length: LISTS }, (_, index) => ({
    list: `list-${index}`,
    exportId: `e-${index}`,
    sinceMs: index,
  }));
  const ports = { ledger, ...around };
  const join = (entry: (typeof entries)[number]) =>
    changeLine(ports, connection, (before) => joined(before, entry));

  await Promise.all([...entries, ...entries].map(join));
  expect((await ledger.readLine(connection))?.entries).toHaveLength(LISTS);

  await Promise.all(
    entries
      .slice(5)
      .map(({ exportId }) => changeLine(ports, connection, (before) => left(before, exportId, 7))),
  );
  const rest = (await ledger.readLine(connection))?.entries.map(({ list }) => list);
  expect([...(rest ?? [])].sort()).toEqual(entries.slice(0, 5).map(({ list }) => list));
});

test('finds the lines of all connections and nothing else', async () => {
  const { ledger } = service;
  const [a, b] = [newConnection(), newConnection()];
  await ledger.writeExport(begun({ connection: a, exportId: 'one', sinceMs: 1 }), undefined);
  await ledger.writeLine(lineOf(a, {}, OTHER), undefined);
  await ledger.writeLine(lineOf(b, { exportId: 'three' }), undefined);

  const found = (await ledger.listLines()).items.filter(({ connection }) =>
    [a, b].includes(connection),
  );

  expect(found.map(({ connection, entries }) => [connection, entries.length])).toEqual([
    [a, 2],
    [b, 1],
  ]);
});
