import { expect, test } from '@jest/globals';
import { startIn } from '../../faults/run-export.ts';
import { CONNECTION, World } from '../../faults/world.ts';

/** Nothing happens meanwhile. */
async function pass(world: World, seconds: number): Promise<void> {
  let isOver = false;
  world.clock.at(world.clock.now() + seconds * 1000, () => {
    isOver = true;
  });
  await world.runUntil(() => isOver, false);
}

async function sweepIn(world: World) {
  const swept = world.sweep();
  let isOver = false;
  void swept.finally(() => {
    isOver = true;
  });
  await world.runUntil(() => isOver, false);
  return swept;
}

test('tells of each line which lists wait for their turn, and how long the first of them has', async () => {
  const world = new World({ lists: { invoices: 10, quotes: 10 } });
  world.keyVersion = undefined;
  await startIn(world, 'request-1');
  await pass(world, 60);
  expect(await sweepIn(world)).toEqual([
    { connection: CONNECTION, list: 'customers', exportId: 'request-1', result: 'still-halted' },
  ]);

  await startIn(world, 'request-2', 'invoices');
  await pass(world, 600);
  await startIn(world, 'request-3', 'quotes');
  await pass(world, 300);

  expect(await sweepIn(world)).toEqual([
    {
      connection: CONNECTION,
      list: 'customers',
      exportId: 'request-1',
      result: 'still-halted',
      queued: 2,
      queuedLists: 'invoices, quotes',
      longestQueuedSeconds: expect.closeTo(900, -1),
    },
  ]);
});

test('wakes an export whose message was lost, and leaves it alone once it is woken', async () => {
  const world = new World({ customers: 20 });
  world.losses = 1;
  await startIn(world, 'request-1');
  await pass(world, 301);
  world.losses = 0;
  expect(await sweepIn(world)).toMatchObject([{ exportId: 'request-1', result: 'wake' }]);
  expect(await sweepIn(world)).toMatchObject([{ exportId: 'request-1', result: 'nothing' }]);
  await world.runUntil(() => world.isIdle(), false);

  expect(world.ledger.readExport(CONNECTION, 'request-1')).toMatchObject({ status: 'completed' });
});
