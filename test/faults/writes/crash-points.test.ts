import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { ALL_FAULTS, faultAt, noFaults, randomFaults } from '../fault-plan.ts';
import { OPERATIONS, SETTLE_SECONDS } from './operations.ts';
import { oneOfEach, rotateKey, runWrites, someWrites } from './run-writes.ts';
import { checkOrder, checkTimes, checkWrites } from './write-checks.ts';
import type { WriteWorld } from './write-world.ts';

const settings = { operations: OPERATIONS };

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
    const calls = await callsWithoutFaults();
    expect(calls).toBeGreaterThan(100);
    for (let call = 0; call < calls; call++) {
      const world = await runWrites({ settings, faults: faultAt(call, fault) }, oneOfEach());
      check(world, oneOfEach(), `${fault} at call ${call}`);
    }
  },
  300_000,
);

const SEEDS = Array.from({ length: 500 }, (_, seed) => seed);

test('carries out every write once with random faults, duplicates, losses, throttles and a new key, for 500 seeds', async () => {
  const met = { repeats: 0, checks: 0, throttles: 0, halts: 0, parked: 0, expired: 0 };
  for (const seed of SEEDS) {
    const world = await checkSeed(seed);
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
  // What nothing meets, nothing proves.
  for (const [what, count] of Object.entries(met)) {
    expect(`${what} ${count >= 20 ? 'often' : count}`).toBe(`${what} often`);
  }
}, 300_000);

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
  check(world, asked, `seed ${seed}`);
  return world;
}

function check(world: WriteWorld, asked: Parameters<typeof checkWrites>[1], what: string): void {
  try {
    checkWrites(world, asked);
    checkTimes(world);
    checkOrder(world, asked);
  } catch (error) {
    throw new Error(what, { cause: error });
  }
}
