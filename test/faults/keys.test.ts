import { expect, test } from '@jest/globals';
import { checkEvent } from './check-event.ts';
import { checkCopy, checkOver, checkRequests } from './checks.ts';
import type { FaultPlan } from './fault-plan.ts';
import { EXPORT_ID, isOver, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

function rejecting(accepts: (keyVersion: string, before: number) => boolean): WorldOptions {
  return {
    behaviour: ({ keyVersion, before }) =>
      accepts(keyVersion, before)
        ? undefined
        : { kind: 'authentication-failure', status: 401, requestId: 'r-1' },
  };
}

function stateOf(world: World) {
  return world.ledger.readExport(CONNECTION, EXPORT_ID);
}

async function runUntilHalted(world: World): Promise<void> {
  await startIn(world);
  await world.runUntil(() => stateOf(world)?.status === 'halted', false);
  await world.runUntil(() => false, false);
}

test('sends a wrong key once, whatever starts and sweeps follow', async () => {
  const world = new World(rejecting(() => false));
  await runUntilHalted(world);
  expect(stateOf(world)).toMatchObject({
    status: 'halted',
    reason: { code: 'authentication-failure', status: 401, requestId: 'r-1' },
  });
  expect(world.events).toMatchObject([{ kind: 'halted' }]);

  for (const id of [EXPORT_ID, 'request-other']) {
    const started = world.start(id);
    await world.runUntil(() => false, false);
    expect(await started).toMatchObject({ kind: 'halted', state: { exportId: EXPORT_ID } });
  }
  const swept = world.sweep();
  await world.runUntil(() => false, false);
  expect(await swept).toMatchObject([{ result: 'still-halted' }]);
  world.deliver({ v: 1, connection: CONNECTION, exportId: EXPORT_ID, step: 1 });
  await world.runUntil(() => false, false);
  expect(world.requests).toHaveLength(1);
  expect(world.events).toHaveLength(1);
});

test.each(['throw-before', 'throw-after'] as const)(
  'sends a wrong key once also when the gate cannot be told at first: %s',
  async (fault) => {
    let failures = 0;
    const world = new World({
      ...rejecting((_, before) => before < 12),
      // Other pages are under way when it is rejected.
      settings: { pagesInFlight: 3 },
      faults: (_, name) => (name === 'haltKeyVersion' && failures++ < 9 ? fault : undefined),
    });
    await runUntilHalted(world);

    expect(failures).toBeGreaterThan(9);
    expect(world.gates.read(CONNECTION).haltedKeyVersions).toEqual(['v1']);
    checkNoneAfterRejection(world);
    expect(stateOf(world)).toMatchObject({ status: 'halted' });
  },
);

test('sends a wrong first key once when the gate cannot be told for half a minute', async () => {
  let failedFromMs: number | undefined;
  const world: World = new World({
    ...rejecting(() => false),
    faults: (_, name) => {
      if (name !== 'haltKeyVersion') return undefined;
      failedFromMs ??= world.clock.now();
      return world.clock.now() < failedFromMs + 30_000 ? 'throw-before' : undefined;
    },
  });
  await runUntilHalted(world);

  expect(world.requests).toHaveLength(1);
  expect(stateOf(world)).toMatchObject({ status: 'halted' });
});

test('tells the gate of a wrong key also when something else ends the step meanwhile', async () => {
  let halts = 0;
  const world = new World({
    settings: { pagesInFlight: 3 },
    latencyMs: 50,
    behaviour: ({ before }) => {
      if (before < 5) return undefined;
      return before === 5
        ? { kind: 'authentication-failure', status: 401 }
        : { kind: 'throttled', status: 429, retryAfterSeconds: 1, waitSource: 'retry-after' };
    },
    faults: (_, name) => {
      if (name === 'haltKeyVersion') return halts++ < 3 ? 'throw-before' : undefined;
      return name === 'blockUntil' ? 'throw-before' : undefined;
    },
  });
  await runUntilHalted(world);

  expect(halts).toBe(4);
  expect(world.gates.read(CONNECTION).haltedKeyVersions).toEqual(['v1']);
  expect(world.requests.filter(({ outcome }) => outcome?.kind === 'throttled')).not.toEqual([]);
  checkNoneAfterRejection(world);
});

/** Those that left before its answer were under way already. */
function checkNoneAfterRejection(world: World): void {
  const rejected = world.requests.filter(
    ({ outcome }) => outcome?.kind === 'authentication-failure',
  );
  const firstMs = Math.min(...rejected.map(({ answeredAtMs = 0 }) => answeredAtMs));
  expect(rejected).not.toEqual([]);
  expect(world.requests.filter(({ atMs }) => atMs > firstMs)).toEqual([]);
}

test('resumes where it stopped once there is a new key version, by start or by sweep', async () => {
  for (const by of ['start', 'sweep'] as const) {
    const world = new World({
      ...rejecting((keyVersion, before) => keyVersion === 'v2' || before < 7),
      settings: { pagesInFlight: 2 },
    });
    await runUntilHalted(world);
    const halted = stateOf(world);
    expect(halted?.counters.pages).toBe(7);
    const sent = world.requests.length;

    world.keyVersion = 'v2';
    const set = by === 'start' ? world.start('request-other') : world.sweep();
    await world.runUntil(() => isOver(world), true);
    expect(await set).toMatchObject(by === 'start' ? { kind: 'resumed' } : [{ result: 'resume' }]);
    // One request shows that the new key is of the same organization.
    expect(world.requests.slice(sent, sent + 2)).toMatchObject([
      { page: 4, keyVersion: 'v2' },
      { page: 8, keyVersion: 'v2' },
    ]);
    expect(stateOf(world)).toMatchObject({ status: 'completed', keyVersions: ['v1', 'v2'] });
    checkCopy(world, EXPORT_ID);
    checkRequests(world);
  }
});

test('goes on at once when the key was replaced while the old one was in use', async () => {
  const world = new World({
    settings: { pagesInFlight: 1 },
    behaviour: ({ keyVersion, before }) => {
      if (before === 5) world.keyVersion = 'v2';
      return before >= 5 && keyVersion === 'v1'
        ? { kind: 'authentication-failure', status: 403 }
        : undefined;
    },
  });
  await startIn(world);
  await world.runUntil(() => isOver(world), false);
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  expect(world.gates.read(CONNECTION).haltedKeyVersions).toEqual(['v1']);
});

test('halts without a request while there is no secret, and resumes when there is', async () => {
  const world = new World();
  world.keyVersion = undefined;
  await runUntilHalted(world);
  expect(stateOf(world)).toMatchObject({ status: 'halted', reason: { code: 'key-missing' } });
  expect(world.requests).toHaveLength(0);
  world.keyVersion = 'v1';
  await world.runUntil(() => isOver(world), true);
  expect(stateOf(world)).toMatchObject({ status: 'completed' });
  checkCopy(world, EXPORT_ID);
});

test('ends a halted export as failed once its deadline has passed, so that another can start', async () => {
  const world = new World({
    ...rejecting(() => false),
    settings: { maxDurationSeconds: 3_600 },
  });
  await runUntilHalted(world);
  await world.runUntil(() => isOver(world), true);
  expect(stateOf(world)).toMatchObject({ status: 'failed', reason: { code: 'deadline' } });
  expect(world.events.map((event) => event.kind)).toEqual(['halted', 'failed']);
});

test('tells of a halt before the end of the time for it, also when the bus took nothing until then', async () => {
  let deadlineAtMs = 0;
  const faults: FaultPlan = (_call, name) => {
    deadlineAtMs ||= stateOf(world)?.deadlineAtMs ?? 0;
    return name === 'publish' && world.clock.now() < deadlineAtMs ? 'throw-before' : undefined;
  };
  const world: World = new World({ settings: { maxDurationSeconds: 3_600 }, faults });
  world.keyVersion = undefined;
  await startIn(world);
  await world.runUntil(() => isOver(world), true);

  expect(world.events.map(({ kind, reasonCode }) => [kind, reasonCode])).toEqual([
    ['halted', 'key-missing'],
    ['failed', 'deadline'],
  ]);
  for (const event of world.events) checkEvent(event);
});
