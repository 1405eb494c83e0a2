import { expect, test } from '@jest/globals';
import {
  asynchronous,
  MemoryGates,
  MemoryLedger,
} from '../../../infra/command/try/memory-ledger.ts';
import type { ControlPorts } from '../../../lib/exports/ports.ts';
import { wakeStalled } from '../../../lib/exports/wake-stalled.ts';
import { startIn } from '../../faults/run-export.ts';
import { CONNECTION, World } from '../../faults/world.ts';

/** From one sweep to the next. */
const SWEEP_SECONDS = 300;

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

test('fails an export whose list left the settings before its turn, and says so', async () => {
  const world = new World({ customers: 20, lists: { invoices: 20 } });
  world.keyVersion = undefined;
  await startIn(world, 'request-1');
  await startIn(world, 'request-2', 'invoices');
  await pass(world, 60);
  world.removeList('invoices');
  world.keyVersion = 'v1';
  expect(await sweepIn(world)).toMatchObject([{ exportId: 'request-1', result: 'resume' }]);
  await pass(world, 60);

  expect(await sweepIn(world)).toMatchObject([{ exportId: 'request-2', result: 'fail' }]);
  expect(world.ledger.readExport(CONNECTION, 'request-2')).toMatchObject({
    status: 'failed',
    reason: { code: 'list-removed' },
  });
  expect(await sweepIn(world)).toEqual([]);
});

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

test('looks at ten connections at a time, so that one sweep gets through thousands', async () => {
  const world = new World();
  const memory = new MemoryLedger();
  for (let number = 0; number < 30; number++) {
    const entries = [{ list: 'customers', exportId: 'request-1', sinceMs: 0 }];
    memory.writeLine({ connection: `c-${number}`, writeToken: 'token', entries }, undefined);
  }
  let looking = 0;
  let most = 0;
  const read = async () => {
    most = Math.max(most, ++looking);
    await new Promise(setImmediate);
    looking--;
    return { blockedUntilMs: 0, haltedKeyVersions: [] };
  };
  const clock = { now: () => 1, sleep: async () => undefined };
  const random = { fraction: () => 0, token: () => 'other' };
  const ports: ControlPorts = {
    ...{ clock, random, ledger: asynchronous(memory) },
    gates: { ...asynchronous(new MemoryGates()), read },
    queue: { send: async () => undefined },
    events: { publish: async () => undefined },
    connections: { open: async () => ({ kind: 'no-key', reason: 'missing', message: '' }) },
  };

  expect(await wakeStalled(ports, () => world.rules)).toHaveLength(30);
  expect(most).toBe(10);
});

test('each sweep finds an export that no worker goes on with, as the alarm counts sweeps in a row', async () => {
  const world = new World({ customers: 20 });
  world.losses = 1;
  await startIn(world, 'request-1');
  await pass(world, 600);

  const results: (string | undefined)[] = [];
  for (let sweeps = 0; sweeps < 6; sweeps++) {
    const startedMs = world.clock.now();
    results.push((await sweepIn(world))[0]?.result);
    await pass(world, SWEEP_SECONDS - (world.clock.now() - startedMs) / 1000);
  }

  expect(results).toEqual(Array.from({ length: 6 }, () => 'wake'));
});
