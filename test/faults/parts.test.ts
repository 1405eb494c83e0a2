import { expect, test } from '@jest/globals';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import { compressionOf } from '../../lib/exports/compression.ts';
import { exportPrefix, storeJson } from '../../lib/exports/store-objects.ts';
import { checkCopy, checkOver, checkRequests, storedRecords } from './checks.ts';
import type { Fault } from './fault-plan.ts';
import { type Behaviour, pageOf, throttled } from './model-api.ts';
import { EXPORT_ID, isOver, runExport, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

/** 600 pages in three parts; some pages come while a part is stored. */
const SEVERAL_PARTS: WorldOptions = {
  customers: 6_000,
  settings: { partMaxPages: 200, pagesInFlight: 4 },
  latencyMs: 2,
};

interface Run {
  readonly world: World;
  /** The names of all calls, in their order. */
  readonly calls: readonly string[];
}

async function runWith(
  options: WorldOptions,
  faultOf: (name: string, callsBefore: readonly string[]) => Fault | undefined = () => undefined,
): Promise<Run> {
  const calls: string[] = [];
  const faults = (_: number, name: string) => {
    const fault = faultOf(name, calls);
    calls.push(name);
    return fault;
  };
  const world = await runExport({ ...SEVERAL_PARTS, ...options, faults });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  return { world, calls };
}

test.each([
  ['gzip', 'zstd'],
  ['zstd', 'gzip'],
] as const)(
  'stays %s when %s is set while it runs, in its parts that are stored again too',
  async (before, after) => {
    const world: World = new World({
      customers: 600,
      settings: { partMaxPages: 20, compression: before },
      behaviour: ({ page }) => {
        if (page === 30 && world.rules.export === world.settings) {
          // Another step goes on, with other settings.
          world.rules = { ...world.rules, export: { ...world.settings, compression: after } };
          return throttled(60);
        }
        return page === 50 ? pageOf(600, 3, 10) : undefined;
      },
    });
    await startIn(world);
    await world.runUntil(() => isOver(world), false);

    expect(world.ledger.readExport(CONNECTION, EXPORT_ID)?.plan.compression).toBe(before);
    const parts = world.store.list('exports/').filter(({ key }) => key.includes('/part-'));
    expect(parts.length).toBeGreaterThan(3);
    expect(new Set(parts.map(({ key }) => compressionOf(key)))).toEqual(new Set([before]));
    expect(parts.filter(({ key }) => key.includes('-compact'))).toHaveLength(1);
    expect(storedRecords(world, EXPORT_ID)).toHaveLength(590);
  },
);

test('fetches the next pages while a part is being stored and committed', async () => {
  const { calls } = await runWith({});

  const storing = calls.indexOf('put');
  const committed = calls.indexOf('writeExport', storing);
  expect(calls.slice(storing, committed)).toContain('listPage');
});

test.each([2, 5_000])(
  'commits one part after the other, in their order, when each takes %i ms',
  async (putMs) => {
    const { calls } = await runWith({ putMs });

    const steps = calls.filter((name) => ['put', 'putPart', 'writeExport'].includes(name));
    const first = steps.indexOf('put');
    expect(steps.slice(first, first + 12)).toEqual(
      Array.from({ length: 3 }, () => ['put', 'put', 'putPart', 'writeExport']).flat(),
    );
  },
);

test.each([
  ['put', 'throw-before'],
  ['putPart', 'throw-after'],
  ['writeExport', 'throw-before'],
] as const)(
  'asks for few pages more once a part could not be committed: %s',
  async (failing, fault) => {
    let failedAt: number | undefined;
    const { calls } = await runWith({}, (name, before) => {
      const isOfPart = name === 'put' || before.includes('put');
      if (failedAt !== undefined || name !== failing || !isOfPart) return undefined;
      failedAt = before.length;
      return fault;
    });

    const nextWorker = calls.indexOf('readExport', failedAt);
    const asked = calls.slice(failedAt, nextWorker).filter((name) => name === 'listPage');
    // A call takes up to 11 ms; four pages of 2 ms each are under way meanwhile.
    expect(asked.length).toBeLessThan(40);
    expect(calls.filter((name) => name === 'put').length).toBeGreaterThan(4);
  },
);

test('commits the part that is being stored before a failure of the gate ends the step', async () => {
  let failedAt: number | undefined;
  // Slow enough that the gate is looked at while the part is stored.
  const { calls } = await runWith({ latencyMs: 40, putMs: 5_000 }, (name, before) => {
    if (failedAt !== undefined || name !== 'readGate') return undefined;
    if (!before.includes('put')) return undefined;
    failedAt = before.length;
    return 'throw-before';
  });

  const nextWorker = calls.indexOf('readExport', failedAt);
  expect(calls.slice(failedAt, nextWorker)).toEqual(
    expect.arrayContaining(['putPart', 'writeExport']),
  );
});

const REJECTED: ListOutcome = { kind: 'authentication-failure', status: 401 };
const BROKEN: ListOutcome = { kind: 'unavailable', reason: 'network', message: 'No connection.' };

/** Answers one request, some pages after the first part, otherwise than with its page. */
function once(outcome: ListOutcome): Behaviour {
  let isOver = false;
  return ({ page }) => {
    if (isOver || page < 220) return undefined;
    isOver = true;
    return outcome;
  };
}

test.each([
  ['a throttle', once(throttled(30)), undefined],
  ['a throttle', once(throttled(30)), 'throw-after'],
  ['a throttle', once(throttled(30)), 'freeze-after'],
  ['no answer', once(BROKEN), undefined],
  ['no answer', once(BROKEN), 'throw-before'],
  ['no answer', once(BROKEN), 'crash-after'],
] as const)(
  'loses and doubles nothing when a step stops with %s while a part is stored: %#',
  async (_, behaviour, fault) => {
    let isFirst = true;
    const { world } = await runWith({ behaviour, putMs: 5_000 }, (name) => {
      if (name !== 'put' || !isFirst) return undefined;
      isFirst = false;
      return fault;
    });
    expect(world.ledger.readExport('acme', EXPORT_ID)?.status).toBe('completed');
  },
);

test('keeps the part that was being stored when the key is rejected', async () => {
  const world = await runHalted();
  expect(world.ledger.readExport('acme', EXPORT_ID)).toMatchObject({
    status: 'halted',
    parts: { count: 2 },
    counters: { pages: 219 },
  });
  expect(world.requests.filter(({ wasHalted }) => wasHalted)).toEqual([]);
});

async function runHalted(): Promise<World> {
  const world = new World({ ...SEVERAL_PARTS, behaviour: once(REJECTED), putMs: 5_000 });
  await startIn(world);
  await world.runUntil(
    () => world.ledger.readExport('acme', EXPORT_ID)?.status === 'halted',
    false,
  );
  return world;
}

test('what others wrote beside the parts is left alone, and what a crashed attempt left goes', async () => {
  const { body, about } = storeJson({});
  const folderIn = ({ ledger }: World) => {
    const state = ledger.readExport(CONNECTION, EXPORT_ID);
    return state === undefined ? '' : exportPrefix(state);
  };
  const world: World = new World({
    customers: 600,
    settings: { partMaxPages: 20 },
    behaviour: ({ page }) => {
      if (page !== 30) return undefined;
      for (const name of ['schema.json', 'part-00001-crashed.ndjson.gz']) {
        world.store.put(`${folderIn(world)}${name}`, body, about);
      }
      return undefined;
    },
  });
  await startIn(world);
  await world.runUntil(() => isOver(world), false);

  const folder = folderIn(world);
  const keys = world.store.list(folder).map(({ key }) => key.slice(folder.length));
  expect(keys).toContain('manifest.json');
  expect(keys).toContain('schema.json');
  expect(keys).not.toContain('part-00001-crashed.ndjson.gz');
});
