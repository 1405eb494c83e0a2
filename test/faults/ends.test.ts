import { expect, test } from '@jest/globals';
import type { MetricValues } from '../../functions/log/metrics.ts';
import { stepMetrics } from '../../functions/services/metric-values.ts';
import { randomOf } from '../../infra/simulator/random.ts';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import type { PartRecord } from '../../lib/exports/part-record.ts';
import { exportPrefix, latestKey, manifestKey } from '../../lib/exports/store-objects.ts';
import { UnreadableItemError } from '../../lib/steps/unreadable-item.ts';
import { NOT_FOUND } from '../not-found.ts';
import { checkCopy, checkOver, checkRequests, placeIn } from './checks.ts';
import { type FaultPlan, randomFaults } from './fault-plan.ts';
import { pageOf, tokenBucket } from './model-api.ts';
import { EXPORT_ID, isOver, runExport, startIn } from './run-export.ts';
import { CONNECTION, World } from './world.ts';

const BROKEN: ListOutcome = { kind: 'unavailable', reason: 'network', message: 'No connection.' };

const UNREACHABLE: ListOutcome = {
  kind: 'unavailable',
  reason: 'unreachable',
  message: 'The host in baseUrl was not found.',
};

function latestOf(world: World): unknown {
  return JSON.parse(world.store.read(latestKey(CONNECTION, 'customers'))?.text ?? 'null');
}

test('fails after more failures in a row than allowed, and repeats no faster than it backs off', async () => {
  const world = await runExport({ behaviour: () => BROKEN, settings: { maxFailuresInRow: 4 } });
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'unavailable' },
  });
  expect(world.requests).toHaveLength(5);
  expect(world.store.objects.size).toBe(0);
  checkRequests(world);
});

test.each<[string, ListOutcome | undefined, keyof MetricValues]>([
  ['completed', undefined, 'ExportsCompleted'],
  ['failed', { kind: 'refused', reason: 'not-json', message: 'No JSON.' }, 'ExportsFailed'],
  ['halted', { kind: 'authentication-failure', status: 401 }, 'ExportsHalted'],
])(
  'that an export is %s is counted once, whichever call after that throws',
  async (status, atLast, metric) => {
    for (const name of ['publish', 'writeExport', 'readLine', 'writeLine']) {
      for (const fault of ['throw-before', 'throw-after'] as const) {
        let isThrown = false;
        const world: World = new World({
          customers: 20,
          behaviour: ({ page }) => (page === 2 ? atLast : undefined),
          faults: (_, called) => {
            const isNow =
              !isThrown &&
              called === name &&
              world.ledger.readExport(CONNECTION, EXPORT_ID)?.status === status;
            isThrown ||= isNow;
            return isNow ? fault : undefined;
          },
        });
        await startIn(world);
        const endMs = world.clock.now() + 3_600_000;
        await world.runUntil(() => world.clock.now() > endMs, true);

        expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
          status,
          unannounced: [],
        });
        const counted = world.reports.flatMap((report) => stepMetrics(report)[metric] ?? []);
        expect({ name, fault, counted }).toEqual({ name, fault, counted: [1] });
      }
    }
  },
);

test.each<[string, ListOutcome | undefined]>([
  ['status 502', { ...BROKEN, reason: 'server-error', status: 502 }],
  ['a broken connection', BROKEN],
  ['status 403', undefined],
])('is complete where page 0, which nobody asked for, is answered by %s', async (_, answer) => {
  const forbidden = (isProbe = false): ListOutcome =>
    isProbe
      ? { kind: 'refused', reason: 'client-error', status: 403, message: 'Refused.' }
      : { kind: 'authentication-failure', status: 403 };
  const world = await runExport({
    walk: 'verified',
    behaviour: ({ page, perPage, isProbe }) => {
      if (page === 0) return answer ?? forbidden(isProbe);
      const { evidence, ...shown } = pageOf(47, page, perPage, false);
      const { previousPage: _untold, ...told } = evidence;
      return { ...shown, evidence: told };
    },
  });
  expect(world.requests.filter(({ page }) => page === 0).length).toBeGreaterThan(0);
  expect(world.gates.read(CONNECTION).haltedKeyVersions).toEqual([]);
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    status: 'completed',
    completeness: { verdict: 'complete' },
    counters: { customers: 47 },
  });
  checkRequests(world);
});

test('fails within ten seconds when the address was never reached', async () => {
  const world = await runExport({ behaviour: () => UNREACHABLE });
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);

  expect(state).toMatchObject({ status: 'failed', reason: { code: 'unreachable' } });
  expect(world.requests).toHaveLength(3);
  expect((world.requests.at(-1)?.atMs ?? 0) - (state?.startedAtMs ?? 0)).toBeLessThan(10_000);
  expect(world.events.map(({ kind, reasonCode }) => [kind, reasonCode])).toEqual([
    ['failed', 'unreachable'],
  ]);
});

test.each([
  ['customers', 'whose records the gate knows'],
  ['invoices', 'that was exported once'],
])(
  'loses no export of %s, %s, that a schedule starts in a minute without the API',
  async (list) => {
    let downUntilMs = 0;
    const world = new World({
      lists: { invoices: 50 },
      behaviour: ({ atMs }) => (atMs < downUntilMs ? UNREACHABLE : undefined),
    });
    await startIn(world, EXPORT_ID, list);
    await world.runUntil(() => isOver(world), false);
    downUntilMs = world.clock.now() + 60_000;
    await startIn(world, 'schedule-0000000001', list);
    await world.runUntil(() => isOver(world, 'schedule-0000000001'), false);

    expect(world.ledger.readExport(CONNECTION, 'schedule-0000000001')).toMatchObject({
      status: 'completed',
    });
  },
);

test('forgets failures with every page', async () => {
  const world = await runExport({
    behaviour: ({ before }) => (before % 3 === 0 ? undefined : BROKEN),
    settings: { maxFailuresInRow: 2, pagesInFlight: 1 },
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
});

test('fails at once on a refusal, keeps its parts, and moves no latest.json', async () => {
  const refusal: ListOutcome = {
    kind: 'refused',
    reason: 'redirect',
    status: 302,
    message: 'Redirected. Set baseUrl to where the API is.',
  };
  const world = await runExport({
    settings: { pagesInFlight: 1 },
    behaviour: ({ before }) => (before === 5 ? refusal : undefined),
  });
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'refused', status: 302, message: refusal.message },
    parts: { count: 1 },
  });
  expect(world.requests).toHaveLength(6);
  expect(latestOf(world)).toBeNull();
  expect(world.store.read(manifestKey(placeIn(world, EXPORT_ID)))).toBeUndefined();
});

test('removes what crashed attempts stored, and leaves alone what others wrote beside the manifest', async () => {
  const folder = exportPrefix({ connection: CONNECTION, list: 'customers', exportId: EXPORT_ID });
  const world = new World({});
  for (const name of ['part-00001-dead.ndjson.gz', 'part-00001-dead.index', 'schema.json']) {
    world.store.objects.set(folder + name, new Uint8Array(1));
  }
  await startIn(world);
  await world.runUntil(() => isOver(world), true);
  const left = [...world.store.objects.keys()].map((key) => key.slice(folder.length));

  expect(left).toContain('schema.json');
  expect(left.filter((name) => name.includes('dead'))).toEqual([]);
});

test('names an API that gives the same page again and again', async () => {
  const world = await runExport({
    behaviour: ({ page }) => ({ ...pageOf(10, 1, 10, false), page }),
  });
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'not-advancing' },
  });
});

test.each([
  ['part was deleted', '.ndjson.gz is missing', (objects, key) => void objects.delete(key)],
  [
    'part was cut',
    '.ndjson.gz has 1 bytes, expected',
    (objects, key) => void objects.set(key, Buffer.from('1')),
  ],
  [
    'part was written again',
    '.ndjson.gz was written again',
    (objects, key) => void objects.set(key, Buffer.alloc(objects.get(key)?.length ?? 0)),
  ],
  [
    'index was deleted',
    '.index is missing',
    (objects, key) => void objects.delete(key.replace('ndjson.gz', 'index')),
  ],
] satisfies [string, string, (objects: Map<string, Uint8Array>, key: string) => void][])(
  'writes no manifest when a %s before the end',
  async (_, problem, harm) => {
    const world: World = new World({
      // Few at the same time, so that a part is stored when the last page is asked for.
      settings: { partMaxPages: 4, pagesInFlight: 2 },
      behaviour: ({ page }) => {
        const keys = [...world.store.objects.keys()];
        const part = keys.find((key) => key.endsWith('.ndjson.gz'));
        if (page === 20 && part !== undefined) harm(world.store.objects, part);
        return undefined;
      },
    });
    await startIn(world);
    await world.runUntil(() => isOver(world), false);

    const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
    expect(state).toMatchObject({ status: 'failed', reason: { code: 'part-lost' } });
    expect(state?.reason?.message).toMatch(/1 of 5 parts .*part-00001-\w+\./);
    expect(state?.reason?.message).toContain(problem);
    expect(world.store.read(manifestKey(placeIn(world, EXPORT_ID)))).toBeUndefined();
    expect(latestOf(world)).toBeNull();
  },
);

test.each<[string, (records: readonly PartRecord[]) => readonly PartRecord[], RegExp]>([
  [
    'is gone',
    (records) => records.filter(({ number }) => number !== 2),
    /no record of part 2 of 5\./,
  ],
  [
    'cannot be read',
    () => {
      throw new UnreadableItemError({ connection: CONNECTION, sort: 'part#a#2#b' }, ['records']);
    },
    /part#a#2#b .*cannot be read/,
  ],
])(
  'writes no manifest when the record of a part %s, and the next list has its turn',
  async (_, change, problem) => {
    const world = new World({ settings: { partMaxPages: 4 }, lists: { invoices: 20 } });
    const listParts = world.ledger.listParts.bind(world.ledger);
    world.ledger.listParts = (connection, exportId) => {
      const records = listParts(connection, exportId);
      return exportId === EXPORT_ID ? change(records) : records;
    };
    await startIn(world);
    await startIn(world, 'request-invoices', 'invoices');
    const endMs = world.clock.now() + 3_600_000;
    await world.runUntil(
      () => isOver(world, 'request-invoices') || world.clock.now() > endMs,
      true,
    );

    const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
    expect(state).toMatchObject({ status: 'failed', reason: { code: 'part-lost' } });
    expect(state?.reason?.message).toMatch(problem);
    expect(latestOf(world)).toBeNull();
    checkCopy(world, 'request-invoices');
  },
);

test.each([
  [{ maxStepsWithoutPage: 20 }, 'no-progress'],
  [{ maxDurationSeconds: 3_600 }, 'deadline'],
])('a list that has ended and cannot be completed ends by %j', async (settings, code) => {
  const world = new World({
    settings: { partMaxPages: 4, ...settings },
    lists: { invoices: 20 },
    faults: (_, name) => (name === 'readBytes' ? 'crash-before' : undefined),
  });
  await startIn(world);
  await startIn(world, 'request-invoices', 'invoices');
  const endMs = world.clock.now() + 10 * 3_600_000;
  await world.runUntil(() => isOver(world, 'request-invoices') || world.clock.now() > endMs, true);

  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  expect(state).toMatchObject({ status: 'failed', reason: { code } });
  expect(state?.reason?.message).toContain('was read to its end');
  expect(latestOf(world)).toBeNull();
  checkCopy(world, 'request-invoices');
});

test('an export whose manifest is stored is completed, however long nothing could be noted', async () => {
  const manifestAt = manifestKey({
    connection: CONNECTION,
    list: 'customers',
    exportId: EXPORT_ID,
  });
  const world: World = new World({
    settings: { maxDurationSeconds: 3_600 },
    faults: () => {
      const isOut = world.clock.now() < startedAtMs + 2 * 3_600_000;
      return isOut && world.store.read(manifestAt) !== undefined ? 'crash-before' : undefined;
    },
  });
  const startedAtMs = world.clock.now();
  await startIn(world);
  await world.runUntil(() => isOver(world, EXPORT_ID), true);

  expect(world.clock.now()).toBeGreaterThan(startedAtMs + 2 * 3_600_000);
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
});

test.each([1, 2, 3])(
  'names an API that begins again after 40 pages, over steps and crashes: seed %i',
  async (seed) => {
    const limit = tokenBucket(5, 7);
    const world = await runExport({
      seed,
      settings: { partMaxPages: 20 },
      faults: randomFaults(randomOf(seed), 0.03, 300),
      behaviour: (request) => {
        const { page } = request;
        return limit(request) ?? { ...pageOf(400, ((page - 1) % 40) + 1, 10, false), page };
      },
    });
    const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
    expect(state).toMatchObject({ status: 'failed', reason: { code: 'not-advancing' } });
    expect(state?.step).toBeGreaterThan(2);
    expect(state?.counters.pages).toBeLessThan(130);
  },
);

test('takes the refusal of a page past the end for the end', async () => {
  const world = await runExport({
    customers: 45,
    hasMeta: false,
    behaviour: ({ page }) => (page > 5 ? NOT_FOUND : undefined),
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    end: { rules: ['refused-past-end'] },
    completeness: { verdict: 'unproven' },
  });
});

test('ends when two counts and an empty page outweigh a link that is on every page', async () => {
  const world = await runExport({
    customers: 45,
    behaviour: ({ page }) => {
      const { evidence, ...rest } = pageOf(45, page, 10);
      return { ...rest, evidence: { ...evidence, nextPage: page + 1 } };
    },
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  expect(world.requests).toHaveLength(6);
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  expect(state).toMatchObject({
    end: { rules: ['empty-page', 'total-pages', 'total'], outweighed: 'no-next-page' },
    completeness: { verdict: 'unproven' },
  });
  expect(state?.completeness?.reasons.join(' ')).toContain('no-next-page');
});

test('completes an empty list with a manifest and no part', async () => {
  const world = await runExport({ customers: 0 });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  expect(world.ledger.parts.size).toBe(0);
});

test('asks for no page behind the one that meta names as the last', async () => {
  const world = await runExport({ customers: 200, settings: { pagesInFlight: 8 } });
  checkOver(world, EXPORT_ID);
  expect(world.requests.map((request) => request.page)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test('ends at the page bound, naming its setting', async () => {
  const world = await runExport({ settings: { maxPages: 7 } });
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  expect(state).toMatchObject({ status: 'failed', reason: { code: 'too-many-pages' } });
  expect(state?.reason?.message).toContain('maxPages');
});

test('ends when every step passes without a page', async () => {
  const world = await runExport({
    behaviour: () => ({
      kind: 'throttled',
      status: 429,
      retryAfterSeconds: 1,
      waitSource: 'retry-after',
    }),
    settings: { maxStepsWithoutPage: 30 },
  });
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'no-progress' },
  });
  expect(world.requests).toHaveLength(31);
});

test('ends when the waits add up to too much', async () => {
  const world = await runExport({
    behaviour: () => ({
      kind: 'throttled',
      status: 429,
      retryAfterSeconds: 600,
      waitSource: 'retry-after',
    }),
    settings: { maxTotalWaitSeconds: 3_000 },
  });
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    status: 'failed',
    reason: { code: 'waited-too-long' },
  });
});

test('goes on in further steps when the time of an invocation is over', async () => {
  const world = await runExport({
    customers: 1_000,
    latencyMs: 3_000,
    settings: { pagesInFlight: 3 },
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)?.step).toBeGreaterThan(2);
});

test('starts one export for a trigger delivered twice, before, while and after it runs', async () => {
  const world = new World();
  await Promise.all([startIn(world), startIn(world)]);
  const meanwhile = world.start(EXPORT_ID);
  const other = world.start('request-other');
  await world.runUntil(() => isOver(world), false);
  expect(await meanwhile).toMatchObject({ kind: 'started' });
  expect(await other).toMatchObject({ kind: 'joined', state: { exportId: EXPORT_ID } });
  const late = world.start(EXPORT_ID);
  await world.runUntil(() => false, false);
  expect(await late).toMatchObject({ kind: 'over', state: { status: 'completed' } });
  expect(world.requests).toHaveLength(20);
  expect(world.events).toHaveLength(1);
});

test('is set going again by the sweep when its message was lost', async () => {
  const world = new World({ losses: 1 });
  await startIn(world);
  await world.runUntil(() => false, false);
  expect(world.requests).toHaveLength(0);
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)?.wakeUpSent).toBe(true);
  world.losses = 0;
  await world.runUntil(() => isOver(world), true);
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
});

test('lets latest.json name the export that started last, however late another one ends', async () => {
  const world = new World();
  await startIn(world, 'request-first');
  await world.runUntil(() => isOver(world, 'request-first'), false);
  await startIn(world, 'request-second');
  await world.runUntil(() => isOver(world, 'request-second'), false);
  expect(latestOf(world)).toMatchObject({ exportId: 'request-second' });
});

test('sweeps on past an export that cannot be helped now', async () => {
  const world = new World({ losses: 1, faults: (_call, name) => faultOfExport(name) });
  let isBroken = false;
  const faultOfExport = (name: string) =>
    isBroken && name === 'readExport' ? ('throw-before' as const) : undefined;
  await startIn(world);
  isBroken = true;
  const swept = world.sweep();
  await world.runUntil(() => false, false);
  expect(await swept).toEqual([
    {
      connection: CONNECTION,
      list: 'customers',
      exportId: EXPORT_ID,
      result: 'error',
      problem: 'Error',
    },
  ]);
});

test('is not put off by the mark of the wake-up that called it', async () => {
  const slow = { customers: 6_000, latencyMs: 3_000, settings: { pagesInFlight: 2 } };
  const world = await runExport(slow, false);
  checkOver(world, EXPORT_ID);
  expect(world.reports.length).toBeGreaterThan(8);
  expect(world.reports.filter((report) => report.answer === 'retry')).toEqual([]);
});

test.each([
  [60, 0],
  [6_000, 0],
  [60, 1],
])(
  'the files of an export of %i records that the ledger has forgotten stay as they are, whoever starts one of its id, after %i looks that failed',
  async (customers, failures) => {
    let left = 0;
    const faults: FaultPlan = (_, name) =>
      name === 'list' && left-- > 0 ? 'throw-before' : undefined;
    const settings = { partMaxPages: 200 };
    const world = await runExport({ customers, settings, latencyMs: 2, faults });
    checkCopy(world, EXPORT_ID);
    const stored = new Map(world.store.objects);
    const requests = world.requests.length;
    // As the time to live does after historyDays.
    world.ledger.exports.clear();
    world.ledger.parts.clear();

    left = failures;
    await startIn(world);
    await world.runUntil(() => isOver(world), false);

    expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
      status: 'failed',
      reason: { code: 'id-used' },
    });
    expect(world.store.objects).toEqual(stored);
    expect(world.requests).toHaveLength(requests);
  },
);
