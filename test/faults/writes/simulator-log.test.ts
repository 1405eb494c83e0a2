import { afterAll, beforeAll, test } from '@jest/globals';
import type { Fault } from '../../../infra/simulator/faults.ts';
import { randomOf } from '../../../infra/simulator/random.ts';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { DEPTH_TIMEOUT_MS, expectMet, seedsOf, tried, trySeed } from '../../deep/depth.ts';
import { startTrustedSimulator } from '../../trusted-simulator.ts';
import { randomFaults } from '../fault-plan.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { OPERATIONS } from './operations.ts';
import { rotateKey, runWrites, someWrites } from './run-writes.ts';
import { SimulatedWriteApi } from './simulated-write-api.ts';
import { checkOrder, checkTimes, checkWrites } from './write-checks.ts';
import type { WriteWorld } from './write-world.ts';

const SEEDS = seedsOf({ short: 12, deep: 1_500 });
/** More than a run has writes, so that each has a record of its own to replace or remove. */
const CUSTOMERS = 12;

/** What the API, or the way to it, does to a request. */
const TROUBLES: readonly Fault['fault'][] = [
  { kind: 'lose-answer' },
  { kind: 'lose-request' },
  { kind: 'error-after-effect' },
  { kind: 'error-after-effect', status: 503 },
  { kind: 'cut-body' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429, headers: { 'Retry-After': '2' } },
  { kind: 'reset-before-headers' },
];
const SHARE_OF_TROUBLES = 0.4;
/** Then there is no more trouble, so that every run can end. */
const TROUBLED_REQUESTS = 60;

let simulator: Simulator;
/** Of the run under way. Each has its own organization, so that its limits begin with it. */
let clock = new VirtualClock();

beforeAll(async () => {
  simulator = await startTrustedSimulator({
    customers: CUSTOMERS,
    now: () => clock.now(),
    limit: { kind: 'token-bucket', ratePerSecond: 5, burst: 4 },
    organizations: SEEDS.flatMap((seed) =>
      [...keysOf(seed).values()].map((key) => ({ name: `organization-${seed}`, key })),
    ),
  });
});
afterAll(() => simulator.close());

test(
  `the log of the API shows at most one effect of every write, and one of each that is done, for ${SEEDS.length} seeds`,
  async () => {
    const met = { repeats: 0, checks: 0, throttles: 0, halts: 0, parked: 0 };
    for (const seed of SEEDS) {
      const world = await trySeed(seed, () => checkSeed(seed));
      for (const { counters, settlements } of world.ledger.writes.values()) {
        met.repeats += Math.max(0, counters.requests - 1);
        met.checks += counters.checks;
        met.throttles += counters.throttles;
        met.parked += settlements.length;
      }
      met.halts += world.halts.length;
    }
    tried("seeds of writes against the simulator's log", SEEDS.length);
    tried('requests in that log', simulator.log.entries.length);
    expectMet(met, { short: 5, deep: 20 });
  },
  DEPTH_TIMEOUT_MS,
);

async function checkSeed(seed: number): Promise<WriteWorld> {
  const random = randomOf(seed + 4_000_000);
  const { asked, writeIdOfRecord } = onRecordsOf(seed, someWrites(random));
  simulator.setFaults(troubles(random));
  const world = await runWrites(
    {
      seed,
      settings: { operations: OPERATIONS },
      makeApi: (own) => {
        clock = own;
        return new SimulatedWriteApi({ simulator, clock, keys: keysOf(seed), writeIdOfRecord });
      },
      faults: randomFaults(random, 0.05, 300),
      duplicates: random() * 0.3,
      losses: random() * 0.3,
    },
    asked,
    random() < 0.4 ? (each) => rotateKey(each, random) : undefined,
  );
  checkWrites(world, asked);
  checkTimes(world);
  checkOrder(world, asked);
  return world;
}

function keysOf(seed: number): ReadonlyMap<string, string> {
  return new Map(['v1', 'v2'].map((version) => [version, `key-of-${seed}-${version}`]));
}

/** The writes with the ids of records that are there; and whose record each is. */
function onRecordsOf(seed: number, writes: readonly RequestedWrite[]) {
  const customers = simulator.customersOf(keysOf(seed).get('v1') ?? '');
  const writeIdOfRecord = new Map<string, string>();
  const asked = writes.map((write, index) => {
    if (write.params === undefined) return write;
    // As text: JSON.parse would lose digits.
    const id = /"id":\s*"?(\w+)/.exec(customers[index] ?? '')?.[1] ?? '';
    writeIdOfRecord.set(id, write.writeId);
    return { ...write, params: { id } };
  });
  return { asked, writeIdOfRecord };
}

function troubles(random: () => number): readonly Fault[] {
  const next = (simulator.log.entries.at(-1)?.n ?? 0) + 1;
  return Array.from({ length: TROUBLED_REQUESTS }, (_, index) => next + index).flatMap(
    (request) => {
      const fault = TROUBLES[Math.floor((random() / SHARE_OF_TROUBLES) * TROUBLES.length)];
      return fault === undefined ? [] : [{ when: { request }, fault }];
    },
  );
}
