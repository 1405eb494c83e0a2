import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryLedger } from '../../../infra/command/try/memory-ledger.ts';
import { compareByStart, readHistory } from '../../../lib/exports/export-history.ts';
import type { ExportState, HistoryPlace } from '../../../lib/exports/export-state.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { begun, lineOf } from './state-of.ts';

const connection = 'acme';

function stateOf({ startedAtMs, exportId }: HistoryPlace): ExportState {
  return begun({ connection, exportId, sinceMs: startedAtMs });
}

/** @param isListed Whether the index has the export already. */
function historyOf(isListed: (exportId: string) => boolean = () => true) {
  const memory = new MemoryLedger();
  const ledger: Pick<Ledger, 'listExports' | 'readLine' | 'readExport'> = {
    readExport: async (...key) => memory.readExport(...key),
    readLine: async (name) => memory.readLine(name),
    listExports: async (name, { limit, ...query }) => {
      const { items } = memory.listExports(name, { ...query, limit: Number.POSITIVE_INFINITY });
      const listed = items.filter(({ exportId }) => isListed(exportId));
      return { items: listed.slice(0, limit), unreadable: [] };
    },
  };
  return {
    memory,
    add: (...places: readonly HistoryPlace[]) => {
      for (const place of places) memory.writeExport(stateOf(place), undefined);
    },
    activate: ({ startedAtMs, exportId }: HistoryPlace) => {
      memory.writeLine(lineOf(connection, { exportId, sinceMs: startedAtMs }), undefined);
    },
    read: (limit: number, after?: HistoryPlace) =>
      readHistory(ledger, connection, { limit, after }),
  };
}

type History = ReturnType<typeof historyOf>;

async function idsOf({ read }: History, limit: number, between = () => {}): Promise<string[]> {
  const ids: string[] = [];
  let after: HistoryPlace | undefined;
  do {
    const { exports, next } = await read(limit, after);
    expect(exports.length).toBeLessThanOrEqual(limit);
    ids.push(...exports.map(({ exportId }) => exportId));
    after = next;
    between();
  } while (after !== undefined);
  return ids;
}

const place = fc.record({
  // Few different ones, so that many are equal.
  startedAtMs: fc.integer({ min: 0, max: 5 }),
  exportId: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,3}$/),
});
const places = fc.uniqueArray(place, { selector: ({ exportId }) => exportId, maxLength: 30 });

test('gives each export once, newest first, whatever the size of a page', async () => {
  await fc.assert(
    fc.asyncProperty(places, fc.integer({ min: 1, max: 12 }), async (all, limit) => {
      const history = historyOf();
      history.add(...all);

      const ids = await idsOf(history, limit);

      expect(ids).toEqual(all.toSorted(compareByStart).map(({ exportId }) => exportId));
    }),
  );
});

test('is not disturbed by exports that start and by those that are forgotten between two pages', async () => {
  await fc.assert(
    fc.asyncProperty(places, fc.integer({ min: 1, max: 12 }), async (all, limit) => {
      const history = historyOf();
      history.add(...all);
      let started = 0;

      const ids = await idsOf(history, limit, () => {
        started += 1;
        const newest = { startedAtMs: 10 + started, exportId: `new-${started}` };
        history.add(newest);
        history.memory.lines.clear();
        history.activate(newest);
        const [oldest] = all.toSorted(compareByStart).slice(-1);
        history.memory.exports.delete(`${connection}/${oldest?.exportId}`);
      });

      const expected = all.toSorted(compareByStart).map(({ exportId }) => exportId);
      expect(expected.slice(0, ids.length)).toEqual(ids);
      expect(ids.length).toBeGreaterThanOrEqual(expected.length - 1);
    }),
  );
});

test('goes on from the place of an export that was forgotten meanwhile', async () => {
  const history = historyOf();
  history.add({ startedAtMs: 1, exportId: 'a' }, { startedAtMs: 2, exportId: 'b' });
  const { next } = await history.read(1);
  history.memory.exports.delete(`${connection}/b`);

  const { exports } = await history.read(1, next);

  expect(exports.map(({ exportId }) => exportId)).toEqual(['a']);
});

test('shows the export that runs before the index knows it, and in its place', async () => {
  const history = historyOf((exportId) => exportId !== 'b');
  history.add(
    { startedAtMs: 1, exportId: 'a' },
    { startedAtMs: 2, exportId: 'b' },
    // Started by a function whose clock is ahead.
    { startedAtMs: 3, exportId: 'c' },
  );
  history.activate({ startedAtMs: 2, exportId: 'b' });

  expect(await idsOf(history, 3)).toEqual(['c', 'b', 'a']);
  expect(await idsOf(history, 2)).toEqual(['c', 'b', 'a']);
});

test('shows what runs and waits of one list alone, if one is asked for', async () => {
  const { memory } = historyOf();
  const line = ['customers', 'invoices', 'notes'].map((list) => ({ list, exportId: `of-${list}` }));
  memory.writeLine(lineOf(connection, ...line), undefined);
  const ledger = {
    readExport: async () => begun({ connection, exportId: 'of-customers', sinceMs: 1 }),
    readLine: async () => memory.readLine(connection),
    listExports: async () => ({ items: [], unreadable: [] }),
  };
  const shown = async (list: string) => {
    const { exports, queued } = await readHistory(ledger, connection, { limit: 5, list });
    return [...exports, ...queued].map(({ exportId }) => exportId);
  };

  expect(await shown('customers')).toEqual(['of-customers']);
  expect(await shown('invoices')).toEqual(['of-invoices']);
});

test('shows an export whose turn came as one that waits until it has its item, before the others', async () => {
  const history = historyOf();
  history.add({ startedAtMs: 1, exportId: 'a' });
  const [b, c] = [{ exportId: 'b' }, { exportId: 'c', list: 'notes' }];
  history.memory.writeLine(lineOf(connection, b, c), undefined);

  expect(await history.read(5)).toEqual({
    queued: [
      expect.objectContaining({ exportId: 'b', place: 1 }),
      expect.objectContaining({ exportId: 'c', place: 1 }),
    ],
    exports: [expect.objectContaining({ exportId: 'a' })],
    unreadable: [],
    next: undefined,
  });
});

test('leaves out an export that the index names still and whose item is gone', async () => {
  const history = historyOf();
  history.add({ startedAtMs: 1, exportId: 'a' }, { startedAtMs: 2, exportId: 'b' });
  history.activate({ startedAtMs: 1, exportId: 'a' });
  const ledger = {
    readExport: async (name: string, id: string) =>
      id === 'b' ? undefined : history.memory.readExport(name, id),
    readLine: async (name: string) => history.memory.readLine(name),
    listExports: async () => history.memory.listExports(connection, { limit: 9 }),
  };

  const { queued, exports } = await readHistory(ledger, connection, { limit: 5 });

  expect({ queued, ids: exports.map(({ exportId }) => exportId) }).toEqual({
    queued: [],
    ids: ['a'],
  });
});

test('orders by time and then by id, newest first', () => {
  const [a, b, c] = [
    { startedAtMs: 1, exportId: 'a' },
    { startedAtMs: 1, exportId: 'b' },
    { startedAtMs: 2, exportId: 'a' },
  ] as const;
  expect([a, b, c].toSorted(compareByStart)).toEqual([c, b, a]);
  expect(compareByStart(a, { ...a })).toBe(0);
});
