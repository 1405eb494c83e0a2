import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import { fail } from '../../lib/exports/export-transitions.ts';
import { manifestKey } from '../../lib/exports/store-objects.ts';
import { UnstorableItemError } from '../../lib/steps/unreadable-item.ts';
import { expectMet, seedsOf, trySeed } from '../deep/depth.ts';
import { checkCopy, checkOver, checkReports, checkRequests } from './checks.ts';
import { throttled } from './model-api.ts';
import { EXPORT_ID, isOver, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

const HOUR_MS = 3_600_000;
/** Longer than a message comes back. */
const OUT_MS = 12 * HOUR_MS;
const NEXT_ID = 'request-invoices';

interface Outage {
  /** The call that the bucket refuses. */
  readonly call: 'list' | 'replace' | 'readBytes';
  readonly isIn: (world: World) => boolean;
}

/** Two lists of a connection whose bucket refuses one kind of call for half a day. */
async function startBoth({ call, isIn }: Outage, options: WorldOptions = {}) {
  let isBack = false;
  const world: World = new World({
    ...{ customers: 125, lists: { invoices: 30 }, ...options },
    settings: { maxDurationSeconds: 3_600, ...options.settings },
    faults: (_call, name) => (name === call && !isBack && isIn(world) ? 'throw-before' : undefined),
  });
  const backAtMs = world.clock.now() + OUT_MS;
  world.clock.at(backAtMs, () => {
    isBack = true;
  });
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  return { world, passAll: () => world.runUntil(() => isBack && world.isIdle(), true) };
}

async function passIn(world: World, ms: number): Promise<void> {
  const endMs = world.clock.now() + ms;
  await world.runUntil(() => world.clock.now() >= endMs, true);
}

function stateIn(world: World, exportId: string) {
  return world.ledger.readExport(CONNECTION, exportId);
}

function lineOf({ ledger }: World) {
  return ledger.readLine(CONNECTION)?.entries.map(({ list }) => list);
}

function toldOf(world: World, exportId: string): readonly string[] {
  const own = world.events.filter((event) => event.exportId === exportId);
  return [...new Map(own.map(({ id, kind }) => [id, kind])).values()];
}

const hasEndedIn = (world: World) => stateIn(world, EXPORT_ID)?.end !== undefined;

test('an export fails at its deadline before the end of its list, though the bucket cannot be asked', async () => {
  const { world, passAll } = await startBoth(
    { call: 'list', isIn: ({ requests }) => requests.length > 3 },
    {
      behaviour: ({ list, page }) =>
        list === 'customers' && page > 3 ? throttled(600) : undefined,
    },
  );
  await passIn(world, 1.5 * HOUR_MS);

  expect(stateIn(world, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'deadline' },
  });
  // The other one has its turn, though the bucket cannot be asked whether it may begin.
  expect(lineOf(world)).toEqual(['invoices']);
  await passAll();
  expect(toldOf(world, EXPORT_ID)).toEqual(['failed']);
  checkRequests(world);
});

test('behind the end of a list no other one waits for a bucket that cannot be asked whether it is complete', async () => {
  const { world, passAll } = await startBoth(
    { call: 'list', isIn: hasEndedIn },
    { settings: { maxDurationSeconds: 7 * 3_600 } },
  );
  await passIn(world, 5 * world.timeoutMs);
  expect(stateIn(world, EXPORT_ID)).toMatchObject({ status: 'running', leavesLine: true });
  expect(lineOf(world)).toEqual(['invoices']);
  // Both are past their deadlines then.
  await passIn(world, OUT_MS - HOUR_MS);
  expect(stateIn(world, EXPORT_ID)).toMatchObject({ status: 'running', leavesLine: true });
  await startIn(world, 'request-later', 'invoices');

  await passAll();
  expect(stateIn(world, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'deadline', message: expect.stringContaining('was read to its end') },
  });
  expect(toldOf(world, EXPORT_ID)).toEqual(['failed']);
  expect(toldOf(world, 'request-later')).toEqual(['completed']);
  checkCopy(world, 'request-later');
  checkRequests(world);
  checkReports(world);
});

test('an export whose manifest is stored is completed once latest.json can be moved, and none waits for it', async () => {
  const { world, passAll } = await startBoth({ call: 'replace', isIn: () => true });
  await passIn(world, OUT_MS - HOUR_MS);

  for (const exportId of [EXPORT_ID, NEXT_ID]) {
    const state = stateIn(world, exportId);
    expect(state).toMatchObject({ status: 'running', leavesLine: true });
    expect(state && world.store.read(manifestKey(state))).toBeDefined();
  }
  expect(lineOf(world)).toBeUndefined();
  // Its own trigger comes again.
  let isAnswered = false;
  const again = world.start(EXPORT_ID).finally(() => {
    isAnswered = true;
  });
  await world.runUntil(() => isAnswered, false);
  expect(await again).toMatchObject({ kind: 'started', state: { exportId: EXPORT_ID } });
  expect(lineOf(world)).toBeUndefined();

  await passAll();
  for (const exportId of [EXPORT_ID, NEXT_ID]) {
    expect(toldOf(world, exportId)).toEqual(['completed']);
    checkOver(world, exportId);
    checkCopy(world, exportId);
  }
  checkRequests(world);
  checkReports(world);
});

test('after the end of a list no other one waits for more than one failed try, also where a cancel comes too late', async () => {
  const { world, passAll } = await startBoth(
    { call: 'readBytes', isIn: (each) => !isOver(each, NEXT_ID) },
    { settings: { partMaxPages: 4, maxDurationSeconds: 20 * 3_600 } },
  );
  await world.runUntil(() => hasEndedIn(world), false);
  expect(lineOf(world)).toEqual(['customers', 'invoices']);
  const late = world.cancel(EXPORT_ID, 'keep');
  await passIn(world, 5 * world.timeoutMs);

  expect(await late).toMatchObject({ kind: 'too-late', state: { status: 'running' } });
  expect(stateIn(world, EXPORT_ID)).toMatchObject({ status: 'running', leavesLine: true });
  expect(lineOf(world)).toBeUndefined();
  expect(toldOf(world, NEXT_ID)).toEqual(['completed']);
  await passAll();
  expect(toldOf(world, EXPORT_ID)).toEqual(['completed']);
  checkCopy(world, EXPORT_ID);
  checkCopy(world, NEXT_ID);
  checkRequests(world);
  checkReports(world);
});

test('a worker that stood still leaves no manifest of an export that was failed meanwhile, at whatever call', async () => {
  let ends = { failed: 0, completed: 0 };
  for (let at = 0; ends.completed === 0; at++) {
    let calls = 0;
    const world: World = new World({
      customers: 20,
      faults: () => {
        if (!hasEndedIn(world) || calls++ !== at) return undefined;
        // As a worker past a bound does: it fails what has no manifest.
        const state = stateIn(world, EXPORT_ID);
        if (state === undefined || world.store.list(manifestKey(state)).length > 0)
          return undefined;
        const reason = { code: 'no-progress', message: 'Too many steps.' } as const;
        const failed = { ...fail(state, reason, world.clock.now()), writeToken: 'other' };
        world.ledger.writeExport(failed, state.writeToken);
        return undefined;
      },
    });
    await startIn(world);
    await world.runUntil(() => isOver(world), true);

    const state = stateIn(world, EXPORT_ID);
    const stored = [...world.store.objects.keys()].filter((key) => key.endsWith('.json'));
    if (state?.status === 'failed') {
      expect([at, stored]).toEqual([at, []]);
      expect(toldOf(world, EXPORT_ID)).toEqual(['failed']);
    } else checkOver(world, EXPORT_ID);
    const { failed, completed } = ends;
    ends =
      state?.status === 'failed' ? { failed: failed + 1, completed } : { failed, completed: 1 };
  }
  expect(ends.failed).toBeGreaterThan(4);
});

test('an export fails behind the end of its list in a bucket that refuses deletes, and each of its messages is done', async () => {
  let deletesOfFailed = 0;
  const world: World = new World({
    ...{ customers: 60, settings: { maxDurationSeconds: 3_600 } },
    faults: (_call, name) => {
      if (name !== 'delete' || !hasEndedIn(world)) return undefined;
      if (stateIn(world, EXPORT_ID)?.status === 'failed') deletesOfFailed++;
      return 'throw-before';
    },
  });
  await startIn(world);
  const untilMs = world.clock.now() + 13 * HOUR_MS;
  await world.runUntil(() => world.clock.now() >= untilMs, true);

  expect(stateIn(world, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'deadline' },
  });
  expect(deletesOfFailed).toBe(0);
  expect(world.reports.at(-1)).toMatchObject({ answer: 'acknowledge' });
});

test('an export that the ledger does not take as completed keeps the manifest that latest.json names', async () => {
  const world = new World({ customers: 20 });
  const { writeExport } = world.ledger;
  world.ledger.writeExport = (next, ...rest) => {
    if (next.status === 'completed') throw new UnstorableItemError('It is too large.');
    return writeExport.call(world.ledger, next, ...rest);
  };
  await startIn(world);
  await world.runUntil(() => isOver(world), true);

  expect(stateIn(world, EXPORT_ID)).toMatchObject({ reason: { code: 'unstorable' } });
  expect(
    [...world.store.objects.keys()].filter((key) => key.endsWith('manifest.json')),
  ).toHaveLength(1);
});

test('a manifest that was on its way when its export was failed is taken back, though whoever wrote it dies', async () => {
  const met = { failed: 0, late: 0 };
  for (const seed of seedsOf({ short: 24, deep: 400 })) {
    await trySeed(seed, async () => {
      const random = randomOf(seed);
      let puts = 0;
      let hasDied = false;
      const manifests = () =>
        [...world.store.objects.keys()].filter((key) => key.endsWith('.json'));
      const world: World = new World({
        ...{ seed, customers: 20, latencyMs: 10 + Math.floor(random() * 5_000), duplicates: 0.3 },
        // Past it when the next worker claims the step.
        settings: { maxDurationSeconds: 30 },
        faults: (_call, name) => {
          if (!hasEndedIn(world)) return undefined;
          if (name === 'put' && puts++ === 0) return 'freeze-before';
          if (name !== 'readExport' || hasDied || manifests().length === 0) return undefined;
          met.late++;
          hasDied = true;
          return random() < 0.5 ? 'crash-before' : undefined;
        },
      });
      await startIn(world);
      await world.runUntil(() => isOver(world), true);
      const untilMs = world.clock.now() + HOUR_MS;
      await world.runUntil(() => world.clock.now() >= untilMs, true);

      if (stateIn(world, EXPORT_ID)?.status !== 'failed') return checkOver(world, EXPORT_ID);
      met.failed++;
      expect(manifests()).toEqual([]);
    });
  }
  expectMet(met, { short: 2, deep: 20 });
});
