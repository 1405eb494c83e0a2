import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { DEPTH_TIMEOUT_MS, expectMet, seedsOf, tried, trySeed } from '../../deep/depth.ts';
import { checkOrganizationEvent } from '../check-event.ts';
import { type Fault, randomFaults } from '../fault-plan.ts';
import { organizationOf } from '../model-api.ts';
import { OPERATIONS, writeOf } from './operations.ts';
import { runWrites, someWrites } from './run-writes.ts';
import { checkOrder, checkTimes, checkWrites } from './write-checks.ts';
import { WriteWorld } from './write-world.ts';

/** Between reading the key and taking the time of acceptance. */
const ACCEPTING_MS = 200;
/** A process keeps a key so long. */
const KEY_MAX_AGE_MS = 60_000;

const SEEDS = seedsOf({ short: 20, deep: 2_000 });

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
    expectMet(met, { short: 2, deep: 100 });
  },
  DEPTH_TIMEOUT_MS,
);

interface KeyInUse {
  readonly fromMs: number;
  readonly organization: string;
}

async function checkSeed(seed: number): Promise<WriteWorld> {
  const random = randomOf(seed + 4_000_000);
  const asked = someWrites(random);
  const keys: KeyInUse[] = [{ fromMs: 0, organization: 'A' }];
  const shown = random();
  const keyCaches = Math.floor(random() * 4);
  const world = await runWrites(
    {
      seed,
      settings: { operations: OPERATIONS },
      api: { requestsPerSecond: 0.5 + random() * 5, burst: 1 + Math.floor(random() * 5) },
      faults: randomFaults(random, 0.06, 500),
      duplicates: random() * 0.3,
      losses: random() * 0.3,
      keyCaches,
    },
    asked,
    (running) => {
      running.hasLabels = shown < 0.9;
      if (shown < 0.8) running.exported(shown < 0.4 ? 'label' : 'sample');
      changeKeys(running, random, keys);
    },
  );
  checkWrites(world, asked);
  checkTimes(world);
  checkOrder(world, asked);
  const acceptingMs = ACCEPTING_MS + (keyCaches > 0 ? KEY_MAX_AGE_MS : 0);
  for (const request of asked) checkOrganization(world, request, keys, acceptingMs);
  // Of three keys nobody may have used the second one before the third came.
  const isPlain = keys.length === 2 && keys.every(({ organization }) => organization === 'A');
  if (shown < 0.8 && isPlain) checkRotation(world);
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
      if (isOldRevoked && world.keyVersion !== undefined) world.api.revoked.add(world.keyVersion);
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
  acceptingMs: number,
): void {
  const requests = world.api.requests.filter((request) => request.writeId === writeId);
  const asked = new Set(requests.map(({ keyVersion }) => organizationOf(keyVersion)));
  expect([writeId, asked.size <= 1]).toEqual([writeId, true]);
  const { acceptedAtMs = 0 } = world.stateOf(writeId) ?? {};
  // A frozen process stores it later, and the key that it reads then is the one that is meant.
  const storedAtMs = world.storedAtMs.get(writeId) ?? 0;
  const inUse = keys.filter(
    ({ fromMs }, index) =>
      fromMs <= storedAtMs &&
      (keys[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY) >= acceptedAtMs - acceptingMs,
  );
  const meant = inUse.map(({ organization }) => organization);
  expect(meant).toEqual(expect.arrayContaining([...asked]));
}

/** Keys of the same organization stop no write, whichever process knows which of them. */
function checkRotation({ changes, ledger }: WriteWorld): void {
  expect(changes).toEqual([]);
  const parked = [...ledger.writes.values()].filter(({ settlements }) =>
    settlements.some(({ before }) => before.reason?.code === 'organization-changed'),
  );
  expect(parked).toEqual([]);
}

/** Accepts a write while there is no key; then each call of a port may change the world. */
async function acceptedWithoutKey(
  meanwhile: (world: WriteWorld, calls: readonly string[]) => Fault | undefined,
): Promise<WriteWorld> {
  const calls: string[] = [];
  const world: WriteWorld = new WriteWorld({
    settings: { operations: OPERATIONS },
    faults: (_, name) => {
      calls.push(name);
      return meanwhile(world, calls);
    },
  });
  world.keyVersion = undefined;
  void world.accept(writeOf('create-keyed', 'w'));
  await world.runUntil(() => world.stateOf('w')?.closed === true);
  return world;
}

test('a write that found no key at its claim goes to no organization before it is bound to it', async () => {
  const world = await acceptedWithoutKey((running, calls) => {
    const last = calls.at(-1);
    const opened = calls.filter((name) => name === 'open').length;
    // The third look is the client's, after those of the caller and of the claim.
    if (last === 'open' && opened === 3) running.keyVersion = 'v1';
    if (last !== 'api' || running.api.requests.length > 0) return undefined;
    running.clock.at(running.clock.now() + 200, () => {
      running.keyVersion = 'b1';
    });
    return 'throw-after';
  });

  const keys = new Set(world.api.requests.map(({ keyVersion }) => organizationOf(keyVersion)));
  expect([...keys]).toEqual(['A']);
  // Its key was sent with another credential, and it has no check.
  expect(world.stateOf('w')?.reason?.code).toBe('no-clear-answer');
});

test('a write without a key is bound by its first claim, also when nothing is sent then', async () => {
  const world = await acceptedWithoutKey((running, calls) => {
    const opened = calls.filter((name) => name === 'open').length;
    if (calls.at(-1) === 'open' && opened === 2) running.keyVersion = 'v1';
    const isFirstTry = running.keyVersion === 'v1' && running.stateOf('w')?.status === 'sent';
    if (calls.at(-1) !== 'readGate' || !isFirstTry) return undefined;
    // The gate is closed after the claim, and the key is changed while the write waits.
    running.gates.blockUntil('acme', running.clock.now() + 60_000);
    running.keyVersion = 'b1';
    return undefined;
  });

  expect(world.stateOf('w')).toMatchObject({
    credential: 'v1/',
    reason: { code: 'organization-changed' },
  });
  expect(world.api.requests).toEqual([]);
});

test('"retry" of a write of another organization takes the key of now, not the one of a minute ago', async () => {
  // The caller and the person meet one process, the worker another one.
  const world = new WriteWorld({ settings: { operations: OPERATIONS }, keyCaches: 2 });
  world.exported('label');
  void world.accept(writeOf('create-bare', 'w')).then(() => {
    world.keyVersion = 'b1';
  });
  await world.runUntil(() => world.stateOf('w')?.closed === true, false);
  const { attempt = 0, reason } = world.stateOf('w') ?? {};
  expect(reason?.code).toBe('organization-changed');

  void world.settle({ writeId: 'w', attempt, decision: 'retry', by: 'arn:person' });
  await world.runUntil(() => (world.stateOf('w')?.attempt ?? 0) > attempt, false);
  await world.runUntil(() => world.stateOf('w')?.closed === true, false);
  expect(world.stateOf('w')).toMatchObject({ status: 'done', credential: 'b1/' });
});
