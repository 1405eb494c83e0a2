import { expect, test } from '@jest/globals';
import { listSettingsOf } from '../../../lib/exports/list-settings.ts';
import { pageWith, recordOf, throttled } from '../../faults/model-api.ts';
import { EXPORT_ID, isOver, runExport, startIn } from '../../faults/run-export.ts';
import { CONNECTION, World } from '../../faults/world.ts';

function stateIn(world: World) {
  return world.ledger.readExport(CONNECTION, EXPORT_ID);
}

test('a request without an answer is ended when time is up, and the step commits', async () => {
  const world = new World({ latencyMs: 500_000 });
  await startIn(world);
  await world.runUntil(() => world.reports.length > 0, false);

  expect(world.reports).toMatchObject([{ answer: 'acknowledge' }]);
  expect(stateIn(world)).toMatchObject({ step: 1, counters: { requests: 1, pages: 0 } });
});

test('an export looks for its records where it did when it began, whatever is set since', async () => {
  const world = new World({ customers: 40 });
  const setItemsKey = (itemsKey: string) => {
    const lists = new Map([['customers', listSettingsOf('customers', { perPage: 10, itemsKey })]]);
    world.rules = { ...world.rules, lists };
  };
  setItemsKey('former');
  await startIn(world);
  setItemsKey('newer');
  await world.runUntil(() => isOver(world), true);

  expect(new Set(world.requests.map(({ itemsKey }) => itemsKey))).toEqual(new Set(['former']));
});

test('of pages that came before a cancel was seen nothing is stored', async () => {
  const world = new World({ latencyMs: 400, settings: { pagesInFlight: 1 } });
  await startIn(world);
  await world.runUntil(() => world.requests.length > 2, false);
  void world.cancel(EXPORT_ID, 'keep');
  await world.runUntil(() => world.reports.length > 0, false);

  expect([...world.store.objects.keys()].filter((key) => key.includes('part-'))).toEqual([]);
});

test('an export ends with the page that is one too many', async () => {
  const world = await runExport({ customers: 100, settings: { maxPages: 5 } });
  const texts = Array.from({ length: 50 }, (_, row) => recordOf(row));

  expect(stateIn(world)).toMatchObject({
    status: 'failed',
    reason: { code: 'too-many-pages' },
    counters: { pages: 5, customers: 50, bytes: Buffer.byteLength(texts.join('\n')) + 1 },
  });
});

test('a list that moved gets on, though each step gets one answer only', async () => {
  let openAtMs = 0;
  const world = await runExport({
    walk: 'verified',
    settings: { maxStepsWithoutPage: 20 },
    behaviour: ({ atMs, page, perPage, before }) => {
      if (atMs < openAtMs) return throttled(Math.ceil((openAtMs - atMs) / 1000));
      openAtMs = atMs + 20_000;
      // Six records are removed behind the first answer.
      const rows = Array.from({ length: 40 }, (_, row) => recordOf(row)).slice(before > 0 ? 6 : 0);
      const start = (page - 1) * perPage;
      const meta = { total: rows.length, total_pages: Math.ceil(rows.length / perPage) };
      return pageWith(rows.slice(start, start + perPage), page, meta);
    },
  });

  expect(stateIn(world)).toMatchObject({ status: 'completed' });
});
