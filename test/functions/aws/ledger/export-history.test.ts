import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readHistory } from '../../../../lib/exports/export-history.ts';
import type { ExportState, HistoryPlace } from '../../../../lib/exports/export-state.ts';
import { amountOf } from '../../../deep/depth.ts';
import { begun, lineOf } from '../../../lib/exports/state-of.ts';
import { startLedger } from '../dynalite-ledger.ts';

let service: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  service = await startLedger();
});
afterAll(() => service.close());

const FIRST_START_MS = 1_790_000_000_000;
const EVERY_MS = 5 * 60_000;
const PAGE = 20;
/** A day of an export every five minutes; the long form has four. */
const LONG = amountOf({ short: 300, deep: 1_200 });

function stateOf(
  connection: string,
  { startedAtMs, exportId }: HistoryPlace,
  list = 'customers',
): ExportState {
  // A text of `meta` makes it as large as one that has run.
  const state = begun({ connection, list, exportId, sinceMs: startedAtMs });
  return { ...state, status: 'completed', firstMetaText: 'm'.repeat(500) };
}

/** Exports of a new connection, oldest first. */
async function fill(connection: string, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `schedule-${(index * 7919) % count}`);
  for (let from = 0; from < count; from += 50) {
    const some = ids.slice(from, from + 50).map((exportId, index) => {
      const startedAtMs = FIRST_START_MS + (from + index) * EVERY_MS;
      return service.ledger.writeExport(stateOf(connection, { startedAtMs, exportId }), undefined);
    });
    await Promise.all(some);
  }
  return ids;
}

/** Requests by operation and read units of what is done meanwhile. */
async function costOf(work: () => Promise<unknown>) {
  const requests: Record<string, number> = {};
  let readUnits = 0;
  const { middlewareStack } = service.client;
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        requests[commandName] = (requests[commandName] ?? 0) + 1;
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next(args);
        readUnits += Object(answer.output).ConsumedCapacity?.CapacityUnits ?? 0;
        return answer;
      },
    { step: 'initialize', name: 'count' },
  );
  await work();
  middlewareStack.remove('count');
  return { requests, readUnits };
}

test('a page is as full and goes on as far beside entries that cannot be read', async () => {
  const { ledger, table } = service;
  const connection = 'damaged';
  const ids = (await fill(connection, 5)).toReversed();
  for (const [index, historyOrder] of ['~', `${'9'.repeat(16)}#`, '7x'].entries()) {
    await table.put({ connection, sort: `export#damaged-${index}` }, { historyOrder });
  }
  // In the index an export as any other.
  const [, second = ''] = ids;
  const order = `${String(FIRST_START_MS + 3 * EVERY_MS).padStart(16, '0')}#${second}`;
  await table.put({ connection, sort: `export#${second}` }, { v: 2, historyOrder: order });

  const read: string[] = [];
  const unreadable: string[] = [];
  for (let after: HistoryPlace | undefined, more = true; more; more = after !== undefined) {
    const page = await readHistory(ledger, connection, { limit: 1, after });
    read.push(...page.exports.map(({ exportId }) => exportId));
    unreadable.push(...page.unreadable.map(({ item }) => item.sort));
    after = page.next;
  }

  expect(read).toEqual(ids.filter((id) => id !== second));
  expect([...new Set(unreadable)].sort()).toEqual(
    ['damaged-0', 'damaged-1', 'damaged-2', second].map((id) => `export#${id}`).sort(),
  );
});

test('reads a page of many exports at the price of a page of few, at its beginning and in its depth', async () => {
  const { ledger } = service;
  await fill('short', PAGE + 1);
  const ids = (await fill('long', LONG)).toReversed();
  const deep = 2 * (LONG / 3);
  const after = {
    startedAtMs: FIRST_START_MS + (LONG - deep) * EVERY_MS,
    exportId: String(ids[deep - 1]),
  };
  const read: (readonly string[])[] = [];
  const pageOf = (connection: string, from?: HistoryPlace) => async () => {
    const { exports, next } = await readHistory(ledger, connection, { limit: PAGE, after: from });
    expect(next).toBeDefined();
    read.push(exports.map(({ exportId }) => exportId));
  };

  const short = await costOf(pageOf('short'));
  const first = await costOf(pageOf('long'));
  const later = await costOf(pageOf('long', after));

  expect(short.requests).toEqual({ QueryCommand: 1, GetItemCommand: PAGE + 1 });
  expect(first).toEqual(short);
  expect(first.readUnits).toBeLessThanOrEqual(PAGE + 2);
  // Half of that would be reads that may miss the latest write.
  expect(first.readUnits).toBeGreaterThanOrEqual(PAGE);
  // Which export runs is looked up for the first page alone.
  expect(later.requests).toEqual({ QueryCommand: 1, GetItemCommand: PAGE });
  expect(later.readUnits).toBeLessThan(first.readUnits);
  expect(read.slice(1)).toEqual([ids.slice(0, PAGE), ids.slice(deep, deep + PAGE)]);
});

test('goes on among exports of the same time, and gives none of another connection', async () => {
  const { ledger } = service;
  const same = ['b', 'a', 'a-1', 'c', '0'];
  for (const exportId of same) {
    await ledger.writeExport(stateOf('ties', { startedAtMs: 5, exportId }), undefined);
    await ledger.writeExport(stateOf('ties-too', { startedAtMs: 5, exportId }), undefined);
  }
  await ledger.writeExport(stateOf('ties', { startedAtMs: 10, exportId: 'new' }), undefined);
  await ledger.writeExport(stateOf('ties', { startedAtMs: 4, exportId: 'old' }), undefined);

  const ids: string[] = [];
  let after: HistoryPlace | undefined;
  do {
    [after] = (await ledger.listExports('ties', { limit: 1, after })).items;
    if (after !== undefined) ids.push(after.exportId);
  } while (after !== undefined && ids.length < 10);

  expect(ids).toEqual(['new', 'c', 'b', 'a-1', 'a', '0', 'old']);
});

test('gives the exports of one list alone, page after page, as fast through many of others', async () => {
  const { ledger } = service;
  const wanted: string[] = [];
  for (let at = 0; at < 60; at++) {
    const list = at % 20 === 0 ? 'invoices' : ['customers', 'invoices-2'][at % 2];
    const place = { startedAtMs: at, exportId: `e-${at}` };
    if (list === 'invoices') wanted.unshift(place.exportId);
    await ledger.writeExport(stateOf('lists', place, list), undefined);
  }

  const read: string[] = [];
  let requests: Record<string, number> = {};
  for (let after: HistoryPlace | undefined, more = true; more; more = after !== undefined) {
    const query = { limit: 2, after, list: 'invoices' };
    const cost = await costOf(async () => {
      const page = await readHistory(ledger, 'lists', query);
      read.push(...page.exports.map(({ exportId }) => exportId));
      after = page.next;
    });
    requests = cost.requests;
  }

  expect(read).toEqual(wanted);
  expect(requests).toEqual({ QueryCommand: 1, GetItemCommand: 1 });
  const { items } = await ledger.listExports('lists', { limit: 2, list: 'invoices' });
  expect(items.map(({ exportId }) => exportId)).toEqual(wanted.slice(0, 2));
});

test('leaves the index alone when an export goes on, and takes nothing else into it', async () => {
  const { ledger, client } = service;
  const state = stateOf('quiet', { startedAtMs: 5, exportId: 'one' });
  const indexed = async () => {
    const { Items } = await client.send(
      new QueryCommand({
        TableName: 'ledger',
        IndexName: 'export-history',
        KeyConditionExpression: 'pk = :connection',
        ExpressionAttributeValues: { ':connection': { S: 'quiet' } },
      }),
    );
    return Items;
  };
  await ledger.writeExport({ ...state, status: 'running' }, undefined);
  await ledger.writeLine(lineOf('quiet', { sinceMs: 5 }), undefined);
  await service.gates.blockUntil('quiet', 9);
  const before = await indexed();

  await ledger.writeExport({ ...state, writeToken: 'next', step: 3, updatedAtMs: 9 }, 'token');

  expect(before).toEqual([
    {
      pk: { S: 'quiet' },
      sk: { S: 'export#one' },
      historyOrder: { S: '0000000000000005#one' },
    },
  ]);
  expect(await indexed()).toEqual(before);
});
