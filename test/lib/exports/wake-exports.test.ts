import { expect, test } from '@jest/globals';
import {
  asynchronous,
  MemoryGates,
  MemoryLedger,
} from '../../../infra/command/try/memory-ledger.ts';
import { cancelled } from '../../../lib/exports/cancelled.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { halt } from '../../../lib/exports/export-transitions.ts';
import type { SweepPorts } from '../../../lib/exports/ports.ts';
import { decideSweep, LONGEST_UPDATE_MS, wakeExports } from '../../../lib/exports/wake-exports.ts';
import { STALL_GRACE_MS } from '../../../lib/steps/sweep.ts';
import { startIn } from '../../faults/run-export.ts';
import { CONNECTION, World } from '../../faults/world.ts';
import { END, lineOf, rulesWith, START_MS, stateOf } from './state-of.ts';

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
  // The other one has ended by then.
  await pass(world, 60 + LONGEST_UPDATE_MS / 1000);

  expect(await sweepIn(world)).toMatchObject([{ exportId: 'request-2', result: 'fail' }]);
  expect(world.ledger.readExport(CONNECTION, 'request-2')).toMatchObject({
    status: 'failed',
    reason: { code: 'list-removed' },
  });
  expect(await sweepIn(world)).toEqual([]);
});

test('of two sweeps at once one fails an export, and the other says that it did nothing', async () => {
  const world = new World({ customers: 20, lists: { invoices: 20 } });
  world.keyVersion = undefined;
  await startIn(world, 'request-1', 'invoices');
  await pass(world, LONGEST_UPDATE_MS / 1000);
  world.removeList('invoices');

  const both = await Promise.all([sweepIn(world), sweepIn(world)]);

  expect(both.flatMap((swept) => swept.map(({ result }) => result)).sort()).toEqual([
    'fail',
    'nothing',
  ]);
});

test('one that waits for its key counts as halted, and what the bus does not take is an error beside it', async () => {
  const world = new World({
    faults: (_call, name) => (name === 'publish' ? 'throw-before' : undefined),
  });
  world.keyVersion = undefined;
  await startIn(world, 'request-1');
  await pass(world, 60);
  expect(await sweepIn(world)).toMatchObject([{ result: 'still-halted' }, { result: 'error' }]);
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
  expect(await sweepIn(world)).toMatchObject([{ exportId: 'request-1', result: 'woken' }]);
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
  const ports: SweepPorts = {
    ...{ clock, random, ledger: asynchronous(memory) },
    gates: { ...asynchronous(new MemoryGates()), read },
    queue: { send: async () => undefined },
    events: { publish: async () => undefined },
    connections: { open: async () => ({ kind: 'no-key', reason: 'missing', message: '' }) },
  };

  expect(await wakeExports(ports, () => world.rules)).toHaveLength(30);
  expect(most).toBe(10);
});

test('each sweep finds an export that no worker goes on with, as the alarm counts sweeps in a row, and wakes it seldom', async () => {
  const world = new World({ customers: 20 });
  world.losses = 1;
  await startIn(world, 'request-1');
  await pass(world, 600);

  const results: (string | undefined)[] = [];
  for (let sweeps = 0; sweeps < 9; sweeps++) {
    const startedMs = world.clock.now();
    results.push((await sweepIn(world))[0]?.result);
    await pass(world, SWEEP_SECONDS - (world.clock.now() - startedMs) / 1000);
  }

  const then = Array.from({ length: 5 }, () => 'woken');
  expect(results).toEqual(['wake', ...then, 'wake', 'woken', 'woken']);
});

function untold(exportId: string): ExportState {
  return stateOf({ exportId, status: 'completed', unannounced: ['completed'] });
}

/** These exports, whose events are not told, and a sweep of them. No connection has a key. */
function untoldWorld(
  states: readonly ExportState[],
  publish: (event: { exportId: string; connection: string }) => void,
  more: Partial<SweepPorts> = {},
) {
  const memory = new MemoryLedger();
  for (const state of states) memory.writeExport(state, undefined);
  const world = { nowMs: LATER };
  const ports: SweepPorts = {
    clock: { now: () => world.nowMs, sleep: async () => undefined },
    random: { fraction: () => 0, token: () => 'other' },
    ledger: asynchronous(memory),
    gates: asynchronous(new MemoryGates()),
    queue: { send: async () => undefined },
    events: {
      publish: async (event) => {
        if ('exportId' in event) publish(event);
      },
    },
    connections: { open: async () => ({ kind: 'no-key', reason: 'missing', message: '' }) },
    ...more,
  };
  return {
    world,
    memory,
    ports,
    sweep: (only?: string) => wakeExports(ports, () => rulesWith(), only),
  };
}

const MANY = Array.from({ length: 100 }, (_, at) => `request-${String(at).padStart(2, '0')}`);

test('tells the events of exports that have left their line, once their worker had the time to', async () => {
  const told: string[] = [];
  const { world, sweep } = untoldWorld([untold('one')], ({ exportId }) => void told.push(exportId));
  world.nowMs = LATER - 1;
  expect(await sweep()).toEqual([]);
  world.nowMs = LATER;
  // A connection with a new key asks for its own line alone.
  expect(await sweep('acme')).toEqual([]);

  expect(await sweep()).toEqual([{ connection: 'acme', exportId: 'one', result: 'close' }]);
  expect(told).toEqual(['one']);
  expect(await sweep()).toEqual([]);
});

test('gives the bus up for this sweep after some failures, and one event that is never taken stops no other', async () => {
  let tries = 0;
  const down = untoldWorld(MANY.map(untold), () => {
    tries += 1;
    throw new Error('EventBridge is out of order');
  });
  const swept = await down.sweep();
  expect(swept.length).toBe(tries);
  expect(tries).toBeLessThan(20);
  expect(swept.every(({ result }) => result === 'error')).toBe(true);

  const told: string[] = [];
  const bad = untoldWorld(MANY.map(untold), ({ exportId }) => {
    if (exportId === 'request-00') throw new Error('EventBridge takes it not');
    told.push(exportId);
  });
  await bad.sweep();
  expect(told.sort()).toEqual(MANY.slice(1).sort());
});

test('tells the others though the ledger takes it of many that they are told', async () => {
  const told = new Set<string>();
  const { memory, ports, sweep } = untoldWorld(MANY.map(untold), (event) => {
    told.add(event.exportId);
  });
  ports.ledger.writeExport = async (next, token) => {
    if (Number(next.exportId.slice(-2)) < 20) throw new Error('DynamoDB takes it not');
    return memory.writeExport(next, token);
  };
  await sweep();
  expect([...told].sort()).toEqual(MANY);
});

test('wakes what stands still before anything is told, and gives up a bus that takes no halt either', async () => {
  const stalled = stateOf({ connection: 'z' });
  const halts = MANY.map((connection) => {
    const reason = { code: 'key-missing', message: 'There is no secret.' } as const;
    return halt(stateOf({ connection }), reason, START_MS);
  });
  const done: string[] = [];
  const { memory, sweep } = untoldWorld(
    [...halts, stalled],
    ({ connection }) => {
      done.push(connection);
      throw new Error('EventBridge is out of order');
    },
    { queue: { send: async ({ connection }) => void done.push(connection) } },
  );
  for (const { connection, list, exportId } of [...halts, stalled]) {
    memory.writeLine(lineOf(connection, { list, exportId }), undefined);
  }

  const swept = await sweep();

  expect(done[0]).toBe('z');
  expect(done.length).toBeLessThan(20);
  expect(swept.filter(({ result }) => result === 'still-halted')).toHaveLength(MANY.length);
});

const LATER = START_MS + STALL_GRACE_MS;
const UPDATED = START_MS + LONGEST_UPDATE_MS;
const AGAIN = START_MS + 30 * 60_000;
const WOKEN = stateOf({ isWoken: true });
const broken = (brokenSteps: number) => stateOf({ inRow: { ...stateOf().inRow, brokenSteps } });
const AT_WORK = { lease: { owner: 'a', untilMs: START_MS + 1 } };

function cancelledWith(parts: 'keep' | 'remove', own: Partial<ExportState> = {}): ExportState {
  const cancellation = { by: 'ada', reason: 'Wanted.', parts, atMs: START_MS };
  return { ...cancelled(stateOf(), cancellation), ...own };
}

test.each([
  ['a completed one', stateOf({ status: 'completed' }), 0, START_MS, 'close'],
  ['a failed one', stateOf({ status: 'failed' }), 0, START_MS, 'close'],
  ['a halted one', stateOf({ status: 'halted' }), 0, START_MS, 'resume'],
  [
    'a halted one past its deadline',
    stateOf({ status: 'halted', deadlineAtMs: LATER }),
    0,
    LATER,
    'fail',
  ],
  ['one that just ran', stateOf(), 0, LATER - 1, 'nothing'],
  ['one that stands still', stateOf(), 0, LATER, 'wake'],
  ['one that was woken', WOKEN, 0, AGAIN - 1, 'woken'],
  ['one that was woken and stands still all the same', WOKEN, 0, AGAIN, 'wake'],
  ['one that was woken before a wait', WOKEN, LATER, LATER + STALL_GRACE_MS - 1, 'nothing'],
  ['one that stands still since then', WOKEN, LATER, LATER + STALL_GRACE_MS, 'wake'],
  ['one whose steps break off', broken(3), 0, START_MS, 'breaks-off'],
  ['one whose steps break off, and that nobody is at', broken(3), 0, LATER, 'wake-broken'],
  ['one with a step that broke off', broken(2), 0, START_MS, 'nothing'],
  ['one that waits', stateOf({ notBeforeMs: START_MS + 1 }), 0, LATER, 'nothing'],
  ['one that the gate holds', stateOf(), START_MS + 1, LATER, 'nothing'],
  ['one at work', stateOf({ lease: { owner: 'a', untilMs: START_MS + 1 } }), 0, LATER, 'nothing'],
  [
    'one that a worker has',
    stateOf({ lease: { owner: 'a', untilMs: LATER } }),
    0,
    START_MS,
    'at-work',
  ],
  ['one without its list', stateOf({ list: 'gone' }), 0, UPDATED, 'fail'],
  ['one whose list may be newer', stateOf({ list: 'gone' }), 0, UPDATED - 1, 'nothing'],
  [
    'a halted one without its list',
    stateOf({ list: 'gone', status: 'halted' }),
    0,
    UPDATED,
    'fail',
  ],
  [
    'a halted one whose list may be newer',
    stateOf({ list: 'gone', status: 'halted' }),
    0,
    UPDATED - 1,
    'nothing',
  ],
  [
    'one at work without its list',
    stateOf({ list: 'gone', lease: { owner: 'a', untilMs: UPDATED + 1 } }),
    0,
    UPDATED,
    'at-work',
  ],
  ['one that needs its list no more', stateOf({ list: 'gone', end: END }), 0, START_MS, 'nothing'],
  [
    'one that needs no request any more',
    stateOf({ end: END, notBeforeMs: LATER }),
    LATER,
    LATER,
    'wake',
  ],
  ['a cancelled one', cancelledWith('keep'), 0, START_MS, 'close'],
  ['a cancelled one whose parts are there', cancelledWith('remove'), 0, START_MS, 'leave'],
  ['a cancelled one that a worker is at', cancelledWith('keep', AT_WORK), 0, START_MS, 'nothing'],
  ['a cancelled one that a worker left', cancelledWith('keep', AT_WORK), 0, START_MS + 1, 'close'],
  [
    'a cancelled one whose parts a worker may still store',
    cancelledWith('remove', AT_WORK),
    0,
    START_MS,
    'nothing',
  ],
])('sweeps %s', (_title, state, blockedUntilMs, nowMs, decision) => {
  expect(decideSweep(state, { blockedUntilMs }, nowMs, rulesWith())).toBe(decision);
});
