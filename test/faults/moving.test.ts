import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { randomOf } from '../../infra/simulator/random.ts';
import { latestCompleteKey, manifestKey } from '../../lib/exports/store-objects.ts';
import {
  DEPTH_TIMEOUT_MS,
  expectMet,
  isDeep,
  seedsAmong,
  seedsOf,
  tried,
  trySeed,
} from '../deep/depth.ts';
import { NOT_FOUND } from '../not-found.ts';
import { checkOver, checkRequests, placeIn, storedRecords } from './checks.ts';
import { ALL_FAULTS, faultAt, notingCalls, randomFaults } from './fault-plan.ts';
import { type Behaviour, tokenBucket } from './model-api.ts';
import { MovingList, ORDERS } from './moving-list.ts';
import { EXPORT_ID, runExport } from './run-export.ts';
import { CONNECTION, type World, type WorldOptions } from './world.ts';

const ManifestSchema = v.object({
  completeness: v.object({ verdict: v.string(), reasons: v.array(v.string()) }),
  totals: v.object({ customers: v.number() }),
  ids: v.object({ repeated: v.number(), leftOut: v.number() }),
});

function manifestOf(world: World) {
  const text = world.store.read(manifestKey(placeIn(world, EXPORT_ID)))?.text ?? 'null';
  return v.parse(ManifestSchema, JSON.parse(text));
}

interface Run {
  readonly world: World;
  readonly list: MovingList;
}

async function run(
  list: MovingList,
  options: Pick<WorldOptions, 'seed' | 'faults' | 'duplicates' | 'losses' | 'order'>,
  { takesPerPage = true, refusesPastEnd = false } = {},
): Promise<Run> {
  const limit = tokenBucket(2, 12);
  const answer: Behaviour = (request) => {
    const outcome = list.behaviour(takesPerPage ? request : { ...request, perPage: 10 });
    const isPastEnd = outcome?.kind === 'page' && outcome.recordCount === 0;
    return isPastEnd && refusesPastEnd ? NOT_FOUND : outcome;
  };
  const world = await runExport({
    walk: 'verified',
    settings: { partMaxPages: 6 },
    behaviour: (request) => limit(request) ?? answer(request),
    ...options,
  });
  return { world, list };
}

/** What must hold however the list moved and whatever went wrong. */
function check({ world, list }: Run) {
  checkOver(world, EXPORT_ID);
  checkRequests(world);
  const manifest = manifestOf(world);
  const records = storedRecords(world, EXPORT_ID);
  const ids = new Set(records.map((record) => Number(/"id":(\d+)/.exec(record)?.[1])));
  // None twice, none that never was, and not one text more than there are records.
  expect(records).toHaveLength(ids.size);
  expect(manifest.totals.customers).toBe(records.length);
  expect(records.filter((record) => !list.texts.has(record))).toEqual([]);
  const isComplete = manifest.completeness.verdict === 'complete';
  if (isComplete) expect(list.throughout.filter((id) => !ids.has(id))).toEqual([]);
  const named = world.store.read(latestCompleteKey(CONNECTION, 'customers'));
  expect(named !== undefined).toBe(isComplete);
  const { reasons } = manifest.completeness;
  const isBackward = reasons.some((reason) => reason.includes('from the last to the first'));
  return { isComplete, isBackward, leftOut: manifest.ids.leftOut };
}

const SEEDS = seedsOf({ short: 6, deep: 200 });

test(
  'of a list that moves nothing is missing under complete, and nothing is there twice',
  async () => {
    tried('seeds of moving lists', SEEDS.length);
    let complete = 0;
    let leftOut = 0;
    for (const seed of SEEDS) {
      await trySeed(seed, async () => {
        const random = randomOf(seed + 5_000_000);
        const order = ORDERS[seed % ORDERS.length] ?? 'rising';
        const list = new MovingList(order, 60 + Math.floor(random() * 120), random(), random);
        const faults = random() < 0.5 ? randomFaults(random, 0.04, 400) : () => undefined;
        const chances = { duplicates: random() * 0.3, losses: random() * 0.3 };
        const seen = check(await run(list, { seed, faults, ...chances }));
        complete += seen.isComplete ? 1 : 0;
        leftOut += seen.leftOut;
      });
    }
    expectMet({ complete, leftOut }, { short: 2, deep: 40 });
  },
  DEPTH_TIMEOUT_MS,
);

test.each([[false], [true]])(
  'of a list that is read from its last page to its first nothing is missing under complete, whatever goes wrong; pages past the end are refused: %p',
  async (refusesPastEnd) => {
    const seeds = seedsOf({ short: 4, deep: 200 });
    tried('seeds of lists that are read from their last page', seeds.length);
    let backward = 0;
    for (const seed of seeds) {
      await trySeed(seed, async () => {
        const random = randomOf(seed + 7_000_000);
        const list = new MovingList('rising', 60 + Math.floor(random() * 120), random(), random);
        const faults = random() < 0.5 ? randomFaults(random, 0.04, 400) : () => undefined;
        const options = { seed, faults, duplicates: 0.2, losses: 0.2, order: 'appended' } as const;
        const seen = check(await run(list, options, { takesPerPage: false, refusesPastEnd }));
        backward += seen.isComplete && seen.isBackward ? 1 : 0;
      });
    }
    expectMet({ backward }, { short: 3, deep: 150 });
  },
  DEPTH_TIMEOUT_MS,
);

function scenario(): MovingList {
  return new MovingList('by-last-edit', 90, 0.4, randomOf(7));
}

test.each(ALL_FAULTS)(
  'of a list that moves nothing is lost or doubled with %s at any call',
  async (fault) => {
    const { names, faults } = notingCalls();
    // Rows that moved are stored twice at first.
    expect(check(await run(scenario(), { seed: 1, faults })).leftOut).toBeGreaterThan(0);
    const turn = ALL_FAULTS.indexOf(fault);
    const some = [...names.keys()].filter((call) => isDeep || call % 24 === turn * 4);
    const calls = seedsAmong(some);
    tried('crash points of moving lists', calls.length);
    for (const call of calls) {
      await trySeed(call, async () => {
        check(await run(scenario(), { seed: 1, faults: faultAt(call, fault) }));
      });
    }
  },
  DEPTH_TIMEOUT_MS,
);
