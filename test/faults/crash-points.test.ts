import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import { checkCopy, checkOver, checkRequests } from './checks.ts';
import { ALL_FAULTS, faultAt, noFaults, randomFaults } from './fault-plan.ts';
import { tokenBucket } from './model-api.ts';
import { EXPORT_ID, runExport } from './run-export.ts';
import type { WorldOptions } from './world.ts';

/** On a machine that does other work too; alone each takes some seconds. */
const TIMEOUT_MS = 300_000;

// 13 pages in parts of 4, throttled after 5 requests: steps, checkpoints and waits in one short run.
function scenario(seed: number): WorldOptions {
  return {
    seed,
    customers: 125,
    settings: { partMaxPages: 4 },
    behaviour: tokenBucket(1, 5),
  };
}

async function callsWithoutFaults(): Promise<number> {
  const world = await runExport({ ...scenario(1), faults: noFaults });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  return world.calls;
}

test.each(ALL_FAULTS)(
  'ends without a sweep, nothing lost or doubled, with %s at any call',
  async (fault) => {
    const calls = await callsWithoutFaults();
    expect(calls).toBeGreaterThan(60);
    for (let call = 0; call < calls; call++) {
      // The messages alone must do: the sweep is for messages that are lost.
      const world = await runExport({ ...scenario(1), faults: faultAt(call, fault) }, false);
      checkOver(world, EXPORT_ID);
      checkCopy(world, EXPORT_ID);
      checkRequests(world);
    }
  },
  TIMEOUT_MS,
);

const SEEDS = Array.from({ length: 240 }, (_, seed) => seed);

test(
  'loses and doubles nothing with random faults, duplicates and losses, for 240 seeds',
  async () => {
    for (const seed of SEEDS) {
      await checkSeed(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  },
  TIMEOUT_MS,
);

async function checkSeed(seed: number): Promise<void> {
  const random = randomOf(seed + 1_000_000);
  const world = await runExport({
    ...scenario(seed),
    customers: Math.floor(random() * 200),
    hasMeta: random() < 0.5,
    behaviour: tokenBucket(0.5 + random() * 5, 1 + Math.floor(random() * 8)),
    faults: randomFaults(random, 0.05, 400),
    // In half of the runs long enough for other parts to be filled meanwhile.
    ...(random() < 0.5 ? { putMs: Math.floor(random() * 1_000), latencyMs: 20 } : {}),
    duplicates: random() * 0.3,
    losses: random() * 0.3,
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
}
