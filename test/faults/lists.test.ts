import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import { LONGEST_UPDATE_MS } from '../../lib/exports/wake-exports.ts';
import {
  DEPTH_TIMEOUT_MS,
  expectMet,
  isDeep,
  seedsAmong,
  seedsOf,
  tried,
  trySeed,
} from '../deep/depth.ts';
import { checkEvent } from './check-event.ts';
import { checkCopy, checkReports, checkRequests } from './checks.ts';
import { ALL_FAULTS, type FaultPlan, faultAt, notingCalls, randomFaults } from './fault-plan.ts';
import { throttled, tokenBucket } from './model-api.ts';
import { startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

/** In `npm test` each fault meets one call of so many, in turn. */
const EVERY_CALL = 6;
const LISTS = ['customers', 'invoices', 'subscriptions'] as const;
const idOf = (list: string) => `schedule-${list}`;

/** Three short lists in parts of 4 pages, throttled after 5 requests. */
const SCENARIO: WorldOptions = {
  customers: 55,
  lists: { invoices: 45, subscriptions: 12 },
  settings: { partMaxPages: 4 },
};

function scenario(): WorldOptions {
  return { ...SCENARIO, behaviour: tokenBucket(1, 5) };
}

const REFUSAL: ListOutcome = {
  kind: 'refused',
  reason: 'client-error',
  status: 404,
  message: 'There is no such list.',
};

function isOver(world: World, lists: readonly string[] = LISTS): boolean {
  const statuses = lists.map((list) => world.statusOf(idOf(list)));
  const areOver = statuses.every((each) => each === 'completed' || each === 'failed');
  return areOver && world.isIdle();
}

/** Starts an export of each list, again if the start itself goes wrong, and runs until all are over. */
async function runLists(options: WorldOptions, sweeps = true): Promise<World> {
  const world = new World(options);
  for (const list of LISTS) await startIn(world, idOf(list), list);
  await world.runUntil(() => isOver(world), sweeps);
  return world;
}

/** Lists in the order of their first request. */
function turnsOf({ requests }: World): readonly string[] {
  return [...new Set(requests.map(({ list }) => list))];
}

/** All lists are copied, one after the other, in the order in which they came. */
function checkLists(world: World): void {
  expect(world.ledger.lines.size).toBe(0);
  for (const list of LISTS) {
    const exportId = idOf(list);
    expect(world.ledger.readExport(CONNECTION, exportId)).toMatchObject({
      status: 'completed',
      unannounced: [],
    });
    checkCopy(world, exportId);
    const own = world.events.filter((event) => event.exportId === exportId);
    expect(new Set(own.map(({ id, kind }) => `${kind} ${id}`)).size).toBe(1);
    expect(own[0]).toMatchObject({ kind: 'completed', list });
  }
  for (const event of world.events) checkEvent(event);
  expect([...world.ledger.exports.keys()]).toHaveLength(LISTS.length);
  checkTurns(world);
}

/** Nobody asks for one list after the next one has begun. */
function checkTurns(world: World): void {
  const turns = turnsOf(world);
  expect(turns).toEqual(LISTS.filter((list) => turns.includes(list)));
  const changes = world.requests.filter(({ list }, at, all) => list !== all[at - 1]?.list);
  expect(changes).toHaveLength(turns.length);
  checkRequests(world);
  checkReports(world);
}

test('three lists that start at the same time are exported in turns, and shown with their places', async () => {
  const world = new World(scenario());
  const started = [];
  for (const list of LISTS) {
    const start = world.start(idOf(list), list);
    let isAnswered = false;
    void start.then(() => {
      isAnswered = true;
    });
    await world.runUntil(() => isAnswered, false);
    started.push(await start);
  }

  expect(started).toMatchObject([
    { kind: 'started', state: { list: 'customers' } },
    { kind: 'queued', queued: { list: 'invoices', exportId: idOf('invoices'), place: 1 } },
    { kind: 'queued', queued: { list: 'subscriptions', place: 2 } },
  ]);
  await world.runUntil(() => isOver(world), false);
  checkLists(world);
  const [first, second] = LISTS.map((list) => world.ledger.readExport(CONNECTION, idOf(list)));
  expect(second?.startedAtMs).toBeGreaterThanOrEqual(first?.end?.atMs ?? Number.POSITIVE_INFINITY);
});

test.each([1, 2, 3, 4, 5])(
  'lists whose starts meet each get a place of their own: seed %i',
  async (seed) => {
    const world = new World({ ...scenario(), seed });
    const starts = LISTS.map((list) => world.start(idOf(list), list));
    await world.runUntil(() => isOver(world), false);

    const answers = await Promise.all(starts);
    const places = answers.map((each) => (each.kind === 'queued' ? each.queued.place : each.kind));
    expect([...places].sort()).toEqual([1, 2, 'started']);
    for (const list of LISTS) checkCopy(world, idOf(list));
    const changes = world.requests.filter(({ list }, at, all) => list !== all[at - 1]?.list);
    expect(changes).toHaveLength(LISTS.length);
    checkRequests(world);
  },
);

test('a trigger that is delivered again finds the export that waits, and another one joins it', async () => {
  const world = new World(scenario());
  await startIn(world, idOf('customers'));
  await startIn(world, idOf('invoices'), 'invoices');
  const again = world.start(idOf('invoices'), 'invoices');
  const other = world.start('request-other', 'invoices');
  await world.runUntil(() => isOver(world, ['customers', 'invoices']), false);

  const queued = { list: 'invoices', exportId: idOf('invoices'), place: 1 };
  expect(await again).toMatchObject({ kind: 'queued', queued });
  expect(await other).toMatchObject({ kind: 'queued', queued });
  expect(world.ledger.readExport(CONNECTION, 'request-other')).toBeUndefined();
  expect(turnsOf(world)).toEqual(['customers', 'invoices']);
});

test('the failure of one list stops no other', async () => {
  const world = await runLists({
    ...SCENARIO,
    behaviour: ({ list }) => (list === 'invoices' ? REFUSAL : undefined),
  });

  expect(world.ledger.readExport(CONNECTION, idOf('invoices'))).toMatchObject({
    status: 'failed',
    reason: { code: 'refused' },
  });
  checkCopy(world, idOf('customers'));
  checkCopy(world, idOf('subscriptions'));
  checkTurns(world);
});

test('only customers are remembered to know the organization by: other lists may be the same everywhere', async () => {
  const world = new World(SCENARIO);
  await startIn(world, idOf('invoices'), 'invoices');
  await world.runUntil(() => isOver(world, ['invoices']), true);
  expect(world.gates.read(CONNECTION).sample).toBeUndefined();

  await startIn(world, idOf('customers'), 'customers');
  await world.runUntil(() => isOver(world, ['customers']), true);
  await startIn(world, 'again', 'invoices');
  await world.runUntil(() => world.isIdle(), true);
  expect(world.gates.read(CONNECTION).sample).toMatchObject({ resource: 'customers' });
});

test('a throttle that one list meets holds those behind it', async () => {
  let throttles = 0;
  const world = await runLists({
    ...SCENARIO,
    settings: { pagesInFlight: 1 },
    behaviour: ({ list, page }) =>
      list === 'invoices' && page === 2 && throttles++ === 0 ? throttled(600) : undefined,
  });

  checkLists(world);
  const later = world.requests.filter(({ list }) => list === 'subscriptions');
  const [block] = world.blocks;
  expect(block?.untilMs).toBeGreaterThan(block?.atMs ?? 0);
  expect(Math.min(...later.map(({ atMs }) => atMs))).toBeGreaterThan(block?.untilMs ?? 0);
});

test('a rejected key halts all lists with one request, and all go on in their turns with a new one', async () => {
  const world = new World({
    ...SCENARIO,
    settings: { pagesInFlight: 1 },
    behaviour: ({ keyVersion }) =>
      keyVersion === 'v1' ? { kind: 'authentication-failure', status: 401 } : undefined,
  });
  for (const list of LISTS) await startIn(world, idOf(list), list);
  const hour = world.clock.now() + 3_600_000;
  await world.runUntil(() => world.clock.now() >= hour, true);

  expect(world.requests).toHaveLength(1);
  expect(world.ledger.readLine(CONNECTION)?.entries.map(({ list }) => list)).toEqual(LISTS);
  expect(world.ledger.readExport(CONNECTION, idOf('customers'))?.status).toBe('halted');
  expect(world.ledger.readExport(CONNECTION, idOf('invoices'))).toBeUndefined();

  world.keyVersion = 'v2';
  await world.runUntil(() => isOver(world), true);
  for (const list of LISTS) checkCopy(world, idOf(list));
  checkTurns(world);
});

test('a halted export that gets no key in time makes room, and no list asks with the rejected key', async () => {
  const world = await runLists({
    ...SCENARIO,
    settings: { maxDurationSeconds: 3_600, pagesInFlight: 1 },
    behaviour: () => ({ kind: 'authentication-failure', status: 401 }),
  });

  for (const list of LISTS) {
    expect(world.ledger.readExport(CONNECTION, idOf(list))).toMatchObject({
      status: 'failed',
      reason: { code: 'deadline' },
    });
  }
  expect(world.requests).toHaveLength(1);
});

test('a list that left the settings while it waited fails with a reason, and the next one runs', async () => {
  const world = new World(scenario());
  for (const list of LISTS) await startIn(world, idOf(list), list);
  world.removeList('invoices');
  await world.runUntil(() => isOver(world), true);

  const failed = world.ledger.readExport(CONNECTION, idOf('invoices'));
  expect(failed).toMatchObject({ status: 'failed', reason: { code: 'list-removed' } });
  const told = world.events.filter(({ list }) => list === 'invoices');
  expect(told).toMatchObject([{ kind: 'failed', reasonCode: 'list-removed' }]);
  for (const event of told) checkEvent(event);
  checkCopy(world, idOf('subscriptions'));
  expect(turnsOf(world)).toEqual(['customers', 'subscriptions']);
});

test.each(['running', 'halted'])(
  'a list that left the settings fails when it is %s, and is not asked for by other settings',
  async (status) => {
    const world = new World({ ...scenario(), lists: { invoices: 300 } });
    if (status === 'halted') world.keyVersion = undefined;
    for (const list of ['invoices', 'customers']) await startIn(world, idOf(list), list);
    const state = () => world.ledger.readExport(CONNECTION, idOf('invoices'));
    // Between two steps.
    const isThere = () =>
      state()?.status === status && state()?.lease === undefined && state()?.step !== 0;
    await world.runUntil(isThere, false);
    const before = world.requests.length;
    world.removeList('invoices');
    world.keyVersion = 'v1';
    await world.runUntil(() => isOver(world, ['invoices', 'customers']), true);

    expect(state()).toMatchObject({ status: 'failed', reason: { code: 'list-removed' } });
    expect(world.requests.slice(before).every(({ list }) => list === 'customers')).toBe(true);
    checkCopy(world, idOf('customers'));
    checkRequests(world);
    for (const event of world.events) checkEvent(event);
  },
);

test('a worker of before an update does not fail a list that it does not know yet', async () => {
  const world = new World(scenario());
  for (const list of LISTS) await startIn(world, idOf(list), list);
  const { rules } = world;
  world.removeList('invoices');
  await world.runUntil(() => isOver(world, ['customers']), false);
  expect(world.ledger.readLine(CONNECTION)?.entries[0]).toMatchObject({ list: 'invoices' });
  world.rules = rules;
  await world.runUntil(() => isOver(world), true);

  checkLists(world);
});

test.each([
  ['runs', ['invoices', 'customers']],
  ['waits for its turn', ['customers', 'invoices']],
])(
  'a sweep of before an update fails no list that it does not know yet and that %s',
  async (_, order) => {
    const world = new World({ ...scenario(), lists: { invoices: 300 } });
    for (const list of order) await startIn(world, idOf(list), list);
    const { rules } = world;
    // Between two steps, or before the first one.
    const isThere = () => {
      const [head] = world.ledger.readLine(CONNECTION)?.entries ?? [];
      const state = world.ledger.readExport(CONNECTION, idOf('invoices'));
      return head?.list === 'invoices' && state?.lease === undefined && state?.step !== 0;
    };
    if (order[0] === 'customers') world.removeList('invoices');
    await world.runUntil(isThere, false);
    world.removeList('invoices');
    let isSwept = false;
    void world.sweep().finally(() => {
      isSwept = true;
    });
    await world.runUntil(() => isSwept, false);
    world.rules = rules;
    await world.runUntil(() => isOver(world, ['invoices', 'customers']), true);

    for (const list of order) checkCopy(world, idOf(list));
  },
);

test('a start of before an update begins no list that it does not know yet by other settings', async () => {
  const world = new World(scenario());
  const { rules } = world;
  const entries = [{ list: 'invoices', exportId: idOf('invoices'), sinceMs: world.clock.now() }];
  // Whoever put it there crashed before its item was there, or is just about to make it.
  world.ledger.writeLine({ connection: CONNECTION, writeToken: 'crashed', entries }, undefined);
  world.removeList('invoices');
  await startIn(world, idOf('customers'));
  expect(world.ledger.readExport(CONNECTION, idOf('invoices'))).toBeUndefined();
  world.rules = rules;
  for (const list of LISTS) await startIn(world, idOf(list), list);
  await world.runUntil(() => isOver(world), true);

  const resource = { resource: 'invoices', perPage: 10 };
  expect(world.ledger.readExport(CONNECTION, idOf('invoices'))?.plan).toMatchObject(resource);
  for (const list of LISTS) checkCopy(world, idOf(list));
});

test('an export that a sweep of before an update begins, and dies, does not run by other settings', async () => {
  let isDying = true;
  const faults: FaultPlan = (_, name) =>
    isDying && name === 'writeExport' ? 'crash-after' : undefined;
  const world = new World({ ...scenario(), faults });
  const { rules } = world;
  const sinceMs = world.clock.now() - LONGEST_UPDATE_MS;
  const entries = [{ list: 'invoices', exportId: idOf('invoices'), sinceMs }];
  world.ledger.writeLine({ connection: CONNECTION, writeToken: 'crashed', entries }, undefined);
  world.removeList('invoices');
  void world.sweep().catch(() => undefined);
  await world.runUntil(() => world.ledger.exports.size > 0, false);
  isDying = false;
  world.rules = rules;
  await world.runUntil(() => isOver(world, ['invoices']), true);

  expect(world.ledger.readExport(CONNECTION, idOf('invoices'))).toMatchObject({
    status: 'failed',
    reason: { code: 'list-removed' },
  });
  expect(world.requests).toEqual([]);
  expect(world.events).toMatchObject([{ kind: 'failed', reasonCode: 'list-removed' }]);
});

test('the sweep begins what stands at the head of a line and was not begun, after a while', async () => {
  const world = new World(scenario());
  const entries = LISTS.map((list) => ({ list, exportId: idOf(list), sinceMs: world.clock.now() }));
  world.ledger.writeLine({ connection: CONNECTION, writeToken: 'crashed', entries }, undefined);
  await world.runUntil(() => isOver(world), true);

  checkLists(world);
});

test('an export that begins anew for another organization keeps the turn of the one that ended', async () => {
  const world: World = new World({
    ...SCENARIO,
    behaviour: ({ before }) => {
      if (before === 3) world.keyVersion = 'b1';
      return throttledAt(before);
    },
  });
  for (const list of LISTS) await startIn(world, idOf(list), list);
  await world.runUntil(() => isOver(world), true);

  expect(world.ledger.readExport(CONNECTION, idOf('customers'))).toMatchObject({
    status: 'failed',
    reason: { code: 'organization-changed' },
  });
  const successor = [...world.ledger.exports.values()].find(({ exportId }) =>
    exportId.startsWith('organization-'),
  );
  expect(successor).toMatchObject({ list: 'customers', status: 'completed' });
  checkCopy(world, successor?.exportId ?? '', 'B');
  checkCopy(world, idOf('invoices'), 'B');
  checkCopy(world, idOf('subscriptions'), 'B');
  checkTurns(world);
});

/** A wait in which the key changes, and none later. */
function throttledAt(before: number): ListOutcome | undefined {
  return before === 3 ? throttled(60) : undefined;
}

/** The name of the port of each call, in order. */
async function callsWithoutFaults(): Promise<readonly string[]> {
  const { names, faults } = notingCalls();
  checkLists(await runLists({ ...scenario(), faults }));
  return names;
}

/**
 * All calls; in `npm test` those around the turns alone, each with one of the faults: `test/faults/crash-points.test.ts`
 * meets the others.
 */
function crashPoints(names: readonly string[], turn: number): readonly number[] {
  const calls = [...names.keys()];
  if (isDeep) return calls;
  const isNear = (call: number) =>
    names.slice(Math.max(0, call - 4), call + 2).some((name) => name === 'writeLine');
  return calls.filter((call) => isNear(call) && (call + turn) % EVERY_CALL === 0);
}

test.each(ALL_FAULTS)(
  'forgets no list and runs no two, without a sweep but for untold events, with %s at any call around a turn',
  async (fault) => {
    const names = await callsWithoutFaults();
    expect(names.filter((name) => name === 'writeLine')).toHaveLength(2 * LISTS.length);
    const calls = seedsAmong(crashPoints(names, ALL_FAULTS.indexOf(fault)));
    tried('crash points of lists', calls.length);
    for (const call of calls) {
      await trySeed(call, async () => {
        const world = await runLists({ ...scenario(), faults: faultAt(call, fault) }, false);
        expect(LISTS.map((list) => world.statusOf(idOf(list)))).toEqual(
          LISTS.map(() => 'completed'),
        );
        expect(world.ledger.lines.size).toBe(0);
        // For an event that the bus did not take.
        await world.runUntil(() => LISTS.every((list) => isTold(world, list)), true);
        checkLists(world);
      });
    }
  },
  DEPTH_TIMEOUT_MS,
);

function isTold({ ledger }: World, list: string): boolean {
  return ledger.readExport(CONNECTION, idOf(list))?.unannounced.length === 0;
}

const SEEDS = seedsOf({ short: 8, deep: 1_000 });

test(
  `forgets no list and runs no two with random faults, duplicates and losses, for ${SEEDS.length} seeds`,
  async () => {
    tried('seeds of lists', SEEDS.length);
    let held = 0;
    for (const seed of SEEDS) held += await trySeed(seed, () => checkSeed(seed));
    expectMet({ held }, { short: 1, deep: 20 });
  },
  DEPTH_TIMEOUT_MS,
);

/** How many wake-ups met a step that another worker held. */
async function checkSeed(seed: number): Promise<number> {
  const random = randomOf(seed + 5_000_000);
  const world = new World({
    seed,
    customers: Math.floor(random() * 80),
    lists: { invoices: Math.floor(random() * 80), subscriptions: Math.floor(random() * 80) },
    settings: { partMaxPages: 4 },
    hasMeta: random() < 0.5,
    behaviour: tokenBucket(0.5 + random() * 5, 1 + Math.floor(random() * 8)),
    faults: randomFaults(random, 0.05, 600),
    duplicates: random() * 0.3,
    losses: random() * 0.3,
  });
  for (const list of LISTS) {
    await startIn(world, idOf(list), list);
    // While it runs, or after it: then nobody waits.
    let isTime = false;
    world.clock.at(world.clock.now() + Math.floor(random() * 30_000), () => {
      isTime = true;
    });
    await world.runUntil(() => isTime, false);
  }
  await world.runUntil(() => isOver(world), true);
  for (const list of LISTS) checkCopy(world, idOf(list));
  expect(world.ledger.lines.size).toBe(0);
  checkRequests(world);
  checkReports(world);
  return world.reports.filter(({ result }) => result === 'held').length;
}
