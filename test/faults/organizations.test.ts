import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import { successorOf } from '../../lib/exports/close-export.ts';
import { type OrganizationSample, showsSame } from '../../lib/gate/organization-sample.ts';
import {
  DEPTH_TIMEOUT_MS,
  expectMet,
  isDeep,
  seedsAmong,
  seedsOf,
  tried,
  trySeed,
} from '../deep/depth.ts';
import { checkEvent, checkOrganizationEvent } from './check-event.ts';
import { checkCopy, checkReports, checkRequests, storedRecords } from './checks.ts';
import { ALL_FAULTS, type FaultPlan, faultAt, notingCalls, randomFaults } from './fault-plan.ts';
import { organizationOf, pageWith, recordOf, tokenBucket } from './model-api.ts';
import { EXPORT_ID, isOver, runExport, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

/** From when on the secret has another version, and whether the API still accepts the one before. */
interface KeyChange {
  readonly after: { readonly ms: number } | { readonly requests: number };
  readonly to: string;
  readonly isOldRevoked: boolean;
}

/** 13 pages in parts of 4, throttled after 5 requests. */
const SCENARIO: WorldOptions = { customers: 125, settings: { partMaxPages: 4 } };
/** Slow enough that each wait ends a step: the key is read at the beginning of one. */
const slowLimit = () => tokenBucket(0.08, 5);

async function runWith(options: WorldOptions, changes: readonly KeyChange[]): Promise<World> {
  const revoked = new Set<string>();
  const limit = options.behaviour ?? slowLimit();
  const world: World = new World({
    ...SCENARIO,
    ...options,
    behaviour: (request) => {
      for (const change of changes) {
        if ('requests' in change.after && change.after.requests === request.before) make(change);
      }
      return revoked.has(request.keyVersion)
        ? { kind: 'authentication-failure', status: 401 }
        : limit(request);
    },
  });
  const make = ({ to, isOldRevoked }: KeyChange) => {
    if (isOldRevoked && world.keyVersion !== undefined) revoked.add(world.keyVersion);
    world.keyVersion = to;
  };
  for (const change of changes) {
    if ('ms' in change.after)
      world.clock.at(world.clock.now() + change.after.ms, () => make(change));
  }
  await startIn(world);
  await world.runUntil(() => isOver(world), true);
  return world;
}

test('begins afresh with a new key when the API refuses the remembered page, and does not fail for good', async () => {
  let refusals = 0;
  const limit = slowLimit();
  const world = await runWith(
    {
      behaviour: (request) => {
        if (request.keyVersion !== 'v2' || refusals++ > 0) return limit(request);
        return { kind: 'refused', reason: 'client-error', status: 405, message: 'No.' };
      },
    },
    [{ after: { ms: 40_000 }, to: 'v2', isOldRevoked: false }],
  );

  expect(checkOrganizations(world)).toBe(1);
});

/** No copy mixes organizations, none is lost, and nobody is told anything else. @returns Exports that began afresh. */
function checkOrganizations(world: World): number {
  let exportId = EXPORT_ID;
  let afresh = 0;
  for (;;) {
    const state = world.ledger.readExport(CONNECTION, exportId);
    expect(state).toMatchObject({ unannounced: [] });
    if (state === undefined || state.status === 'completed') break;
    expect(state).toMatchObject({ status: 'failed', reason: { code: 'organization-changed' } });
    expect(new Set(state.keyVersions.map(organizationOf)).size).toBe(1);
    exportId = successorOf(state)?.exportId ?? '';
    afresh += 1;
  }
  const last = world.ledger.readExport(CONNECTION, exportId);
  const [organization = ''] = new Set(last?.keyVersions.map(organizationOf));
  checkCopy(world, exportId, organization);
  checkRequests(world);
  checkReports(world);
  for (const event of world.events) checkEvent(event);
  for (const change of world.changes) checkOrganizationEvent(change);
  return afresh;
}

/** Records 0 to 19 are those that the API made for each organization. */
const rowOf = (id: number, organization: string, updated_at?: string) =>
  JSON.stringify({ id, name: id < 20 ? 'made' : organization, updated_at });
const idsUpTo = (count: number) => Array.from({ length: count }, (_, id) => id);
const timeOf = (minute: number) => new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString();

test('remembers no page of records that the API makes for all, though edited ones come again in front of them', async () => {
  const made = idsUpTo(20).map((id) => rowOf(19 - id, 'A', timeOf(19 - id)));
  const own = idsUpTo(20).map((id) => rowOf(39 - id, 'A', timeOf(39 - id)));
  const edited = idsUpTo(15).map((id) => rowOf(34 - id, 'edited', timeOf(100 - id)));
  let rows = [...own, ...made];
  const world = new World({
    customers: rows.length,
    walk: 'verified',
    behaviour: ({ page, perPage }) => {
      const total = rows.length;
      const meta = { total, total_pages: Math.ceil(total / perPage) };
      const answer = pageWith(rows.slice((page - 1) * perPage, page * perPage), page, meta);
      if (page * perPage >= total - 10) rows = [...edited, ...own.slice(0, 5), ...made];
      return answer;
    },
  });
  const kept: OrganizationSample[] = [];
  const store = world.gates.storeSample.bind(world.gates);
  world.gates.storeSample = (connection, organizationId, sample) => {
    kept.push(sample);
    return store(connection, organizationId, sample);
  };
  await startIn(world);
  await world.runUntil(() => isOver(world), true);

  expect(rows.length).toBe(40);
  expect(rows[0]).toBe(edited[0]);
  expect(kept.filter((sample) => showsSame(sample, pageWith(made, 1)))).toEqual([]);
});

test('waits while another caller compares the organization of the new key, and then goes on with it', async () => {
  const world = new World({ ...SCENARIO, behaviour: slowLimit() });
  let untilMs = Number.POSITIVE_INFINITY;
  world.clock.at(world.clock.now() + 30_000, () => {
    const { organization, ...gate } = world.gates.read(CONNECTION);
    if (organization === undefined) throw new Error('No page came before.');
    world.keyVersion = 'v2';
    untilMs = world.clock.now() + 45_000;
    const check = { credential: 'v2', untilMs };
    world.gates.gates.set(CONNECTION, { ...gate, organization: { ...organization, check } });
  });
  await startIn(world);
  await world.runUntil(() => isOver(world), true);

  expect(checkOrganizations(world)).toBe(0);
  const byNewKey = world.requests.filter(({ keyVersion }) => keyVersion === 'v2');
  // Not before, and not as late as after a step that failed, whose message comes back.
  expect((byNewKey[0]?.atMs ?? 0) - untilMs).toBeGreaterThanOrEqual(0);
  expect((byNewKey[0]?.atMs ?? 0) - untilMs).toBeLessThan(10_000);
});

const MOMENTS = [0, 10_000, 30_000, 50_000].flatMap((ms) =>
  [false, true].map((isOldRevoked) => ({ after: { ms }, isOldRevoked })),
);

test.each(MOMENTS)(
  'goes on by itself with a new key of the same organization, for one request more: %j',
  async (moment) => {
    const plain = await runWith({}, []);
    const world = await runWith({}, [{ ...moment, to: 'v2' }]);

    expect(checkOrganizations(world)).toBe(0);
    expect(world.changes).toEqual([]);
    expect(world.ledger.readExport(CONNECTION, EXPORT_ID)?.keyVersions).toContain('v2');
    const answered = ({ requests }: World) =>
      requests.filter(({ outcome }) => outcome?.kind === 'page').length;
    expect(answered(world) - answered(plain)).toBeLessThanOrEqual(1);
  },
);

test.each([...Array(10).keys()])(
  'goes on with a new key of the same organization though a worker stood still since before the first page (%i)',
  async (seed) => {
    const counts = { list: 0, listPage: 0 };
    const world = await runWith(
      {
        seed,
        // Each step waits long for the next one.
        behaviour: tokenBucket(0.005, 5),
        faults: (_, name) => {
          // One has told whose the first key is, and dies. The next one has looked at the gate then, and not yet at the key.
          if (name === 'listPage' && counts.listPage++ === 0) return 'crash-before';
          return name === 'list' && counts.list++ === 1 ? 'freeze-after' : undefined;
        },
      },
      [{ after: { ms: 245_000 }, to: 'v2', isOldRevoked: false }],
    );

    expect(checkOrganizations(world)).toBe(0);
    expect(world.changes).toEqual([]);
  },
);

test.each(MOMENTS)(
  'ends with the key of another organization, says so, and begins afresh: %j',
  async (moment) => {
    const world = await runWith({}, [{ ...moment, to: 'b1' }]);

    // At the very beginning nothing has been copied yet.
    expect(checkOrganizations(world)).toBe(moment.after.ms === 0 ? 0 : 1);
    expect(world.changes).toHaveLength(moment.after.ms === 0 ? 0 : 1);
  },
);

test.each([1, 2])('ends with the key of another organization after page %d too', async (pages) => {
  const world = await runWith({ behaviour: tokenBucket(0.1, pages) }, [
    { after: { requests: pages }, to: 'b1', isOldRevoked: false },
  ]);

  expect(checkOrganizations(world)).toBe(1);
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)?.counters).toMatchObject({ pages });
});

test.each(
  (['fast', 'verified'] as const).flatMap((walk) =>
    [55_000, 75_000, 105_000].map((ms) => ({ walk, ms })),
  ),
)('goes on with a new key though each step reads one page of ten: %j', async (scenario) => {
  const { walk, ms } = scenario;
  for (const to of ['v2', 'b1']) {
    const world = await runWith({ walk, behaviour: tokenBucket(0.1, 1) }, [
      { after: { ms }, to, isOldRevoked: false },
    ]);

    expect(world.reports.filter(({ result }) => result === 'goes-on').length).toBeGreaterThan(10);
    expect(checkOrganizations(world)).toBe(to === 'v2' ? 0 : 1);
  }
});

test.each(ALL_FAULTS)(
  'remembers the same page in however many steps it is read, twice delivered, with %s at any call',
  async (fault) => {
    const remembered = async (options: WorldOptions) => {
      const world = await runExport({ customers: 155, duplicates: 0.3, ...options });
      const { atMs: _, ...sample } = world.gates.read(CONNECTION).sample ?? {};
      expect([options.seed, world.statusOf(EXPORT_ID)]).toEqual([options.seed, 'completed']);
      return sample;
    };
    const inSteps = { settings: { partMaxPages: 4 }, behaviour: () => undefined };
    const expected = await remembered(inSteps);
    expect(expected).toMatchObject({ page: 7, least: 4 });
    const { names, faults } = notingCalls();
    const steps = (burst: number) => ({ ...inSteps, behaviour: tokenBucket(1, burst) });
    expect(await remembered({ ...steps(1), faults })).toEqual(expected);
    const calls = [...names.keys()].filter((call) => isDeep || call % 23 === 0);
    for (const call of seedsAmong(calls)) {
      await trySeed(call, async () => {
        const at = faultAt(call, fault);
        // What the ledger takes late, or not at all, is tried again with the next part, if there is one.
        const faults: FaultPlan = (each, name) =>
          name === 'storeSample' ? undefined : at(each, name);
        const options = { ...steps(1 + (call % 3)), seed: call, faults };
        // No fence reaches a sample that was on its way while its process stood still; it lies deep in the list too.
        const isLate = fault.startsWith('freeze');
        expect(await remembered(options)).toMatchObject(isLate ? { least: 4 } : expected);
      });
    }
    tried('crash points of the sample of an organization', calls.length);
  },
  DEPTH_TIMEOUT_MS,
);

/** Customers of which an API made the oldest for both organizations. */
function customersOf(organization: string, made: number): readonly string[] {
  return Array.from({ length: 100 }, (_, id) => recordOf(id, id < made ? 'both' : organization));
}

test('goes on with no key by a list that was all of what the API had made, once it has more', async () => {
  const rowsOf = (keyVersion: string, count: number) =>
    customersOf(organizationOf(keyVersion), 8).slice(0, count);
  let count = 8;
  const limit = tokenBucket(0.1, 1);
  const answer = (rows: readonly string[], page: number) =>
    pageWith(rows.slice((page - 1) * 10, page * 10), page, {
      total: rows.length,
      total_pages: Math.ceil(rows.length / 10),
    });
  const world = new World({
    behaviour: (request) => {
      const { keyVersion, page } = request;
      const rows = rowsOf(keyVersion, organizationOf(keyVersion) === 'A' ? count : 8);
      return limit(request) ?? answer(rows, page);
    },
  });
  await startIn(world, 'request-of-made-ones');
  await world.runUntil(() => isOver(world, 'request-of-made-ones'), true);
  const { sample } = world.gates.read(CONNECTION);
  expect(sample && showsSame(sample, answer(rowsOf('b1', 8), 1))).toBe(true);

  count = 100;
  await startIn(world);
  await world.runUntil(() => world.requests.filter(({ page }) => page === 3).length > 1, true);
  world.keyVersion = 'b1';
  await world.runUntil(() => isOver(world), true);
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)?.reason?.code).toBe('organization-changed');
});

const DEMOS = [10, 20, 25].flatMap((mostPerPage) =>
  [6, 12, 20].flatMap((made) =>
    [3, 5, 8].map((requests) => ({ mostPerPage, made, requests, hasTotal: made !== 12 })),
  ),
);

test.each(DEMOS)(
  'mixes no two organizations for which the API made the same customers: %j',
  async ({ mostPerPage, made, requests, hasTotal }) => {
    for (const walk of ['verified', 'fast'] as const) {
      const limit = tokenBucket(0.1, 2);
      const world = await runWith(
        {
          walk,
          behaviour: (request) => {
            const { page, perPage, keyVersion } = request;
            const all = customersOf(organizationOf(keyVersion), made);
            const size = Math.min(perPage, mostPerPage);
            const meta = { total: all.length, total_pages: Math.ceil(all.length / size) };
            const rows = all.slice((page - 1) * size, page * size);
            return limit(request) ?? pageWith(rows, page, hasTotal ? meta : undefined);
          },
        },
        [{ after: { requests }, to: 'b1', isOldRevoked: false }],
      );

      const completed = [...world.ledger.exports.values()].filter(
        ({ status }) => status === 'completed',
      );
      expect(completed).toHaveLength(1);
      for (const { exportId } of completed) {
        const own = storedRecords(world, exportId).filter((record) => !record.includes('of both'));
        expect(new Set(own.map((record) => record.includes('of B'))).size).toBe(1);
      }
    }
  },
);

const SEEDS = seedsOf({ short: 9, deep: 1_000 });

test(
  `mixes no two organizations with rotations, switches, random faults, duplicates and losses, for ${SEEDS.length} seeds`,
  async () => {
    const met = { afresh: 0, rotated: 0 };
    for (const seed of SEEDS) {
      const world = await trySeed(seed, () => checkSeed(seed));
      met.afresh += world.changes.length;
      met.rotated += [...world.ledger.exports.values()].filter(
        ({ keyVersions }) => keyVersions.length > 1,
      ).length;
    }
    tried('seeds of exports with changes of the key', SEEDS.length);
    expectMet(met, { short: 1, deep: 150 });
  },
  DEPTH_TIMEOUT_MS,
);

async function checkSeed(seed: number): Promise<World> {
  const random = randomOf(seed + 3_000_000);
  const versions = ['v2', 'b1', 'v3', 'b2'];
  const count = 1 + Math.floor(random() * 3);
  const changes = Array.from({ length: count }, () => ({
    after: { requests: Math.floor(random() * 50) },
    to:
      versions.splice(Math.floor(random() * (random() < 0.5 ? 1 : versions.length)), 1)[0] ?? 'v9',
    isOldRevoked: random() < 0.5,
  }));
  const world = await runWith(
    {
      seed,
      customers: 100 + Math.floor(random() * 200),
      hasMeta: random() < 0.5,
      behaviour: tokenBucket(0.5 + random() * 3, 1 + Math.floor(random() * 8)),
      faults: randomFaults(random, 0.05, 400),
      duplicates: random() * 0.3,
      losses: random() * 0.3,
      keyCaches: Math.floor(random() * 4),
    },
    changes,
  );
  checkOrganizations(world);
  // Pages that an API may have made for each organization, such as the first one, show nothing.
  const isShown = world.changes.some(({ shownBy }) => shownBy === 'sample');
  if (changes.every(({ to }) => organizationOf(to) === 'A')) expect(isShown).toBe(false);
  return world;
}
