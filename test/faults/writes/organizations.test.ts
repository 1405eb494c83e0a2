import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { expectMet, isDeep, seedsOf, tried, trySeed } from '../../deep/depth.ts';
import { checkOrganizationEvent } from '../check-event.ts';
import { randomFaults } from '../fault-plan.ts';
import { organizationOf } from '../model-api.ts';
import { OPERATIONS } from './operations.ts';
import { runWrites, someWrites } from './run-writes.ts';
import { checkOrder, checkTimes, checkWrites } from './write-checks.ts';
import type { WriteWorld } from './write-world.ts';

const TIMEOUT_MS = isDeep ? 1_800_000 : 120_000;
/** Between reading the key and storing the write in the ledger; a frozen process takes longer. */
const ACCEPTING_MS = 200;

const SEEDS = seedsOf({ short: 60, deep: 2_000 });

test(
  `carries out no write with a key of another organization, with rotations, switches and random faults, for ${SEEDS.length} seeds`,
  async () => {
    const met = { parked: 0, changes: 0, rotated: 0 };
    for (const seed of SEEDS) {
      const world = await trySeed(seed, () => checkSeed(seed));
      const writes = [...world.ledger.writes.values()];
      met.parked += writes.flatMap(({ settlements }) =>
        settlements.filter(({ before }) => before.reason?.code === 'organization-changed'),
      ).length;
      met.changes += world.changes.length;
      met.rotated += world.api.requests.some(({ keyVersion }) => keyVersion === 'v2') ? 1 : 0;
    }
    tried('seeds of writes with changes of the key', SEEDS.length);
    expectMet(met, { short: 3, deep: 100 });
  },
  TIMEOUT_MS,
);

interface KeyInUse {
  readonly fromMs: number;
  readonly organization: string;
}

async function checkSeed(seed: number): Promise<WriteWorld> {
  const random = randomOf(seed + 4_000_000);
  const asked = someWrites(random);
  const keys: KeyInUse[] = [{ fromMs: 0, organization: 'A' }];
  const hasLabels = random() < 0.7;
  const world = await runWrites(
    {
      seed,
      settings: { operations: OPERATIONS },
      api: { requestsPerSecond: 0.5 + random() * 5, burst: 1 + Math.floor(random() * 5) },
      faults: randomFaults(random, 0.06, 500),
      duplicates: random() * 0.3,
      losses: random() * 0.3,
    },
    asked,
    (running) => {
      running.hasLabels = hasLabels;
      changeKeys(running, random, keys);
    },
  );
  checkWrites(world, asked);
  checkTimes(world);
  checkOrder(world, asked);
  for (const request of asked) checkOrganization(world, request, keys);
  for (const change of world.changes) checkOrganizationEvent(change);
  return world;
}

/** While they run the secret gets one to three other versions; the API may reject those before. */
function changeKeys(world: WriteWorld, random: () => number, keys: KeyInUse[]): void {
  const versions = ['v2', 'b1', 'v3'];
  const count = 1 + Math.floor(random() * 3);
  for (let changes = 0; changes < count; changes++) {
    const to = versions.splice(Math.floor(random() * versions.length), 1)[0] ?? 'v9';
    const isOldRevoked = random() < 0.5;
    const atMs = world.clock.now() + Math.floor(random() * 10_000);
    world.clock.at(atMs, () => {
      if (isOldRevoked) world.api.revoked.add(world.keyVersion);
      world.keyVersion = to;
      keys.push({ fromMs: atMs, organization: organizationOf(to) });
    });
  }
}

/** All requests for a write, checks too, are of one organization: that of the key when it was accepted. */
function checkOrganization(
  world: WriteWorld,
  { writeId }: RequestedWrite,
  keys: readonly KeyInUse[],
): void {
  const requests = world.api.requests.filter((request) => request.writeId === writeId);
  const asked = new Set(requests.map(({ keyVersion }) => organizationOf(keyVersion)));
  expect([writeId, asked.size <= 1]).toEqual([writeId, true]);
  const { acceptedAtMs = 0 } = world.stateOf(writeId) ?? {};
  const inUse = keys.filter(
    ({ fromMs }, index) =>
      fromMs <= acceptedAtMs + ACCEPTING_MS &&
      (keys[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY) >= acceptedAtMs - ACCEPTING_MS,
  );
  const meant = inUse.map(({ organization }) => organization);
  expect(meant).toEqual(expect.arrayContaining([...asked]));
}
