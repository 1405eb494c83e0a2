import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import {
  DEPTH_TIMEOUT_MS,
  expectMet,
  isDeep,
  seedsAmong,
  seedsOf,
  tried,
  trySeed,
} from '../../deep/depth.ts';
import { ALL_FAULTS, faultAt, noFaults, randomFaults } from '../fault-plan.ts';
import { OPERATIONS, SETTLE_SECONDS } from './operations.ts';
import { oneOfEach, rotateKey, runWrites, someWrites } from './run-writes.ts';
import { checkOrder, checkTimes, checkWrites } from './write-checks.ts';
import type { WriteWorld } from './write-world.ts';

const settings = { operations: OPERATIONS };

/** In `npm test` one call of so many, in turn for each fault, so that every call meets one of the faults. */
const EVERY_CALL = ALL_FAULTS.length;

async function callsWithoutFaults(): Promise<number> {
  const world = await runWrites({ settings, faults: noFaults }, oneOfEach());
  checkWrites(world, oneOfEach());
  checkOrder(world, oneOfEach());
  expect(world.events.map(({ kind }) => kind).sort()).toEqual([
    ...Array.from({ length: 9 }, () => 'done'),
    'refused',
  ]);
  return world.calls;
}

test.each(ALL_FAULTS)(
  'carries out every write once with %s at any call',
  async (fault) => {
    const count = await callsWithoutFaults();
    expect(count).toBeGreaterThan(100);
    const all = Array.from({ length: count }, (_, call) => call);
    const turn = ALL_FAULTS.indexOf(fault);
    const calls = seedsAmong(isDeep ? all : all.filter((call) => call % EVERY_CALL === turn));
    tried('crash points of writes', calls.length);
    for (const call of calls) {
      await trySeed(call, async () => {
        check(
          await runWrites({ settings, faults: faultAt(call, fault) }, oneOfEach()),
          oneOfEach(),
        );
      });
    }
  },
  DEPTH_TIMEOUT_MS,
);

const SEEDS = seedsOf({ short: 100, deep: 5_000 });

test(
  `carries out every write once with random faults, duplicates, losses, throttles and a new key, for ${SEEDS.length} seeds`,
  async () => {
    const met = { repeats: 0, checks: 0, throttles: 0, halts: 0, parked: 0, expired: 0 };
    for (const seed of SEEDS) {
      const world = await trySeed(seed, () => checkSeed(seed));
      const writes = [...world.ledger.writes.values()];
      const sum = (of: (state: WriteState) => number) =>
        writes.reduce((total, state) => total + of(state), 0);
      met.repeats += sum(({ counters }) => Math.max(0, counters.requests - 1));
      met.checks += sum(({ counters }) => counters.checks);
      met.throttles += sum(({ counters }) => counters.throttles);
      met.parked += sum(({ settlements }) => settlements.length);
      met.halts += world.halts.length;
      met.expired += world.api.requests.filter(
        ({ kind, writeId, idempotencyKey }) =>
          kind === 'write' && idempotencyKey === undefined && hasKey(writes, writeId),
      ).length;
    }
    tried('seeds of writes', SEEDS.length);
    expectMet(met, { short: 5, deep: 20 });
  },
  DEPTH_TIMEOUT_MS,
);

function hasKey(writes: readonly WriteState[], writeId: string): boolean {
  return writes.some((each) => each.writeId === writeId && each.idempotencyKey !== undefined);
}

async function checkSeed(seed: number): Promise<WriteWorld> {
  const random = randomOf(seed + 2_000_000);
  const asked = someWrites(random);
  const hasPace = random() < 0.5;
  const rate = 0.5 + random() * 20;
  const keyMinutes = random() < 0.3 ? 10 : 24 * 60;
  const world = await runWrites(
    {
      seed,
      settings: {
        operations: OPERATIONS,
        idempotencyKeySeconds: keyMinutes * 60,
        ...(hasPace ? { requestsPerSecond: rate } : {}),
      },
      api: {
        requestsPerSecond: rate,
        burst: 1 + Math.floor(random() * 5),
        idempotencyKeyMs: keyMinutes * 60_000,
        troubles: {
          errorAfterEffect: random() * 0.3,
          errorBeforeEffect: random() * 0.3,
          lateEffect: random() * 0.3,
          lateMs: (SETTLE_SECONDS - 1) * 1000,
          untilMs: Date.UTC(2026, 0, 1) + 40 * 60_000,
        },
      },
      faults: randomFaults(random, 0.06, 500),
      duplicates: random() * 0.3,
      losses: random() * 0.3,
    },
    asked,
    random() < 0.3 ? (each) => rotateKey(each, random) : undefined,
  );
  check(world, asked);
  return world;
}

function check(world: WriteWorld, asked: Parameters<typeof checkWrites>[1]): void {
  checkWrites(world, asked);
  checkTimes(world);
  checkOrder(world, asked);
}
