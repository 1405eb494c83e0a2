import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import {
  DEPTH_TIMEOUT_MS,
  expectMet,
  isDeep,
  seedsAmong,
  seedsOf,
  tried,
  trySeed,
} from '../deep/depth.ts';
import { checkCopy, checkOver, checkReports, checkRequests } from './checks.ts';
import { ALL_FAULTS, type Fault, faultAt, notingCalls, randomFaults } from './fault-plan.ts';
import { tokenBucket } from './model-api.ts';
import { EXPORT_ID, isOver, runExport } from './run-export.ts';
import type { World, WorldOptions } from './world.ts';

/**
 * In `npm test` each fault meets one call of so many of a port, in turn, so that every second call meets one of the
 * faults. Those of a port with few calls meet each fault.
 */
const EVERY_CALL = 2 * ALL_FAULTS.length;
const FEW_CALLS = 2;

// 13 pages in parts of 4, throttled after 5 requests: steps, checkpoints and waits in one short run.
function scenario(seed: number): WorldOptions {
  return {
    seed,
    customers: 125,
    settings: { partMaxPages: 4, compression: seed % 2 === 0 ? 'zstd' : 'gzip' },
    behaviour: tokenBucket(1, 5),
  };
}

/** The name of the port of each call, in order. */
async function callsWithoutFaults(): Promise<readonly string[]> {
  const { names, faults } = notingCalls();
  check(await runExport({ ...scenario(1), faults }));
  return names;
}

function check(world: World): void {
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  checkReports(world);
}

/** All calls, or some of each port, others for each fault. */
function crashPoints(names: readonly string[], fault: Fault): readonly number[] {
  const calls = [...names.keys()];
  if (isDeep) return calls;
  const turn = ALL_FAULTS.indexOf(fault);
  const ofPorts = Map.groupBy(calls, (call) => names[call]);
  return [...ofPorts.values()].flatMap((own) =>
    own.filter((_, index) => own.length <= FEW_CALLS || (index + 2 * turn) % EVERY_CALL === 0),
  );
}

test.each(ALL_FAULTS)(
  'ends without a sweep, nothing lost or doubled, with %s at any call',
  async (fault) => {
    const names = await callsWithoutFaults();
    expect(names.length).toBeGreaterThan(60);
    const calls = seedsAmong(crashPoints(names, fault));
    tried('crash points of exports', calls.length);
    for (const call of calls) {
      await trySeed(call, async () => {
        // The messages alone must do: the sweep is for messages that are lost.
        const world = await runExport({ ...scenario(1), faults: faultAt(call, fault) }, false);
        expect(world.statusOf(EXPORT_ID)).toBe('completed');
        expect(world.ledger.lines.size).toBe(0);
        // And for an event that the bus did not take.
        await world.runUntil(() => isOver(world), true);
        check(world);
      });
    }
  },
  DEPTH_TIMEOUT_MS,
);

const SEEDS = seedsOf({ short: 8, deep: 2_000 });

test(
  `loses and doubles nothing with random faults, duplicates and losses, for ${SEEDS.length} seeds`,
  async () => {
    tried('seeds of exports', SEEDS.length);
    let held = 0;
    for (const seed of SEEDS) held += await trySeed(seed, () => checkSeed(seed));
    expectMet({ held }, { short: 2, deep: 20 });
  },
  DEPTH_TIMEOUT_MS,
);

/** How many wake-ups met a step that another worker held. */
async function checkSeed(seed: number): Promise<number> {
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
  check(world);
  return world.reports.filter(({ result }) => result === 'held').length;
}
