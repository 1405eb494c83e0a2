import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import {
  DEPTH_TIMEOUT_MS,
  expectMet,
  isDeep,
  seedsAmong,
  seedsOf,
  tried,
  trySeed,
} from '../../deep/depth.ts';
import { ALL_FAULTS, type FaultPlan, faultAt, noFaults, randomFaults } from '../fault-plan.ts';
import { acceptedIn, checkChanges } from './change-checks.ts';
import { ChangeWorld, type Records } from './change-world.ts';

const HOUR_MS = 3600 * 1000;
/** In `npm test` one call of so many, in turn for each fault, so that every call meets one of the faults. */
const EVERY_CALL = ALL_FAULTS.length;

function recordsFrom(ids: readonly number[], version: (id: number) => number): Records {
  return new Map(ids.map((id) => [String(id), `{"id":${id},"v":${version(id)}}`]));
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

/** Three exports: the third one loses half of its records, and a person releases that. */
async function threeExports(faults: FaultPlan): Promise<ChangeWorld> {
  const world = new ChangeWorld({ faults });
  const lists = [
    recordsFrom(range(0, 40), () => 0),
    recordsFrom(range(2, 45), (id) => (id % 5 === 0 ? 1 : 0)),
    recordsFrom(range(24, 45), (id) => (id % 5 === 0 ? 1 : 0)),
  ];
  for (const [index, records] of lists.entries()) {
    world.clock.at(world.clock.now() + index * HOUR_MS, () =>
      world.completed(`e${index}`, records),
    );
  }
  const decidedAtMs = world.clock.now() + 5 * HOUR_MS;
  world.clock.at(decidedAtMs, () => void insist(world, 'e2', 'release'));
  await world.runOut(decidedAtMs);
  return world;
}

async function insist(world: ChangeWorld, exportId: string, decision: 'release' | 'discard') {
  for (let tries = 0; tries < 30; tries++) {
    try {
      return await world.decide({ exportId, decision, by: 'arn:person' });
    } catch {
      await world.clock.delay(1_000);
    }
  }
  throw new Error('Never answered.');
}

test.each(ALL_FAULTS)(
  'tells every change, and no other, with %s at any call',
  async (fault) => {
    const calm = await threeExports(noFaults);
    checkChanges(calm);
    expect(acceptedIn(calm).map(({ exportId }) => exportId)).toEqual(['e0', 'e1', 'e2']);
    expect(calm.told.length).toBe(14 + 22);
    const all = Array.from({ length: calm.calls }, (_, call) => call);
    const turn = ALL_FAULTS.indexOf(fault);
    const calls = seedsAmong(isDeep ? all : all.filter((call) => call % EVERY_CALL === turn));
    tried('crash points of changes', calls.length);
    for (const call of calls) {
      await trySeed(call, async () => {
        const world = await threeExports(faultAt(call, fault));
        checkChanges(world);
        expect(acceptedIn(world)).toHaveLength(3);
      });
    }
  },
  DEPTH_TIMEOUT_MS,
);

const SEEDS = seedsOf({ short: 10, deep: 2_000 });

test(
  `tells every change, and no other, with random faults, duplicates, losses, refusals and people, for ${SEEDS.length} seeds`,
  async () => {
    const met = { repeats: 0, released: 0, discarded: 0, superseded: 0, published: 0 };
    for (const seed of SEEDS) {
      const world = await trySeed(seed, () => checkSeed(seed));
      const states = [...world.ledger.changes.values()];
      const ids = new Set(world.told.map(({ detail }) => detail));
      met.repeats += world.told.length - ids.size;
      met.published += states.filter(({ status }) => status === 'published').length;
      met.released += states.filter(({ decided }) => decided?.decision === 'release').length;
      met.discarded += states.filter(({ status }) => status === 'discarded').length;
      met.superseded += states.filter(({ status }) => status === 'superseded').length;
    }
    tried('seeds of changes', SEEDS.length);
    expectMet(met, { short: 3, deep: 20 });
  },
  DEPTH_TIMEOUT_MS,
);

async function checkSeed(seed: number): Promise<ChangeWorld> {
  const random = randomOf(seed + 3_000_000);
  const world = new ChangeWorld({
    seed,
    settings: { withRecord: random() < 0.5 },
    faults: randomFaults(random, 0.05, 600),
    duplicates: random() * 0.3,
    losses: random() * 0.3,
    refusals: random() * 0.3,
    blockLines: 1 + Math.floor(random() * 30),
    fileBlocks: 1 + Math.floor(random() * 4),
  });
  let records = recordsFrom(range(0, 20 + Math.floor(random() * 60)), () => 0);
  let atMs = world.clock.now();
  for (let number = 0; number < 6; number++) {
    const now = records;
    const exportId = `e${number}`;
    world.clock.at(atMs, () => world.completed(exportId, now));
    const nextAtMs = atMs + random() * 2 * HOUR_MS;
    if (random() < 0.8) {
      const decision = random() < 0.6 ? 'release' : 'discard';
      // Often while the next one is compared.
      const decidedAtMs =
        random() < 0.5 ? nextAtMs + random() * 8_000 : atMs + random() * 3 * HOUR_MS;
      world.clock.at(decidedAtMs, () => void insist(world, exportId, decision));
    }
    records = changed(records, random);
    atMs = nextAtMs;
  }
  await world.runOut(atMs + 3 * HOUR_MS);
  checkChanges(world);
  return world;
}

function changed(records: Records, random: () => number): Records {
  const removals = random() < 0.4 ? 0.5 : 0.03;
  const next = new Map<string, string>();
  for (const [id, text] of records) {
    if (random() < removals) continue;
    next.set(id, random() < 0.2 ? `{"id":${id},"v":${random()}}` : text);
  }
  const additions = Math.floor(random() * 15);
  for (let added = 0; added < additions; added++) {
    const id = String(1_000 + Math.floor(random() * 100_000));
    next.set(id, `{"id":${id},"v":0}`);
  }
  return next;
}
