import { expect, test } from '@jest/globals';
import { exportSweepMetrics } from '../../functions/services/metric-values.ts';
import { checkCopy, checkOver, checkReports, checkRequests } from './checks.ts';
import { type Fault, type FaultPlan, faultAt, notingCalls } from './fault-plan.ts';
import { throttled } from './model-api.ts';
import { EXPORT_ID, isOver, runExport, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

/** An invocation as long as a deployed one, whose lease would hold the connection for minutes. */
const DEPLOYED: WorldOptions = {
  ...{ customers: 150, latencyMs: 100, timeoutMs: 300_000 },
  settings: { partMaxPages: 4, requestsPerSecond: 10 },
};
/** What is fetched again, and the longest first wait. */
const MOST_MS = 10_000;

/** The first, the last and one of the calls between them of each port, the API's left out. */
async function someCalls(): Promise<readonly (readonly [string, number])[]> {
  const { names, faults } = notingCalls();
  await runExport({ ...DEPLOYED, faults });
  const ofPorts = Map.groupBy(names.keys(), (call) => names[call] ?? '');
  ofPorts.delete('listPage');
  expect(ofPorts.size).toBeGreaterThan(15);
  return [...ofPorts].flatMap(([name, calls]) =>
    [...new Set([0, calls.length >> 1, calls.length - 1])].map(
      (index) => [name, calls[index] ?? 0] as const,
    ),
  );
}

test.each<Fault>(['throw-before', 'throw-after'])(
  'one call that fails (%s) delays an export by seconds, whichever call it is',
  async (fault) => {
    const calm = tookMs(await runExport(DEPLOYED));
    for (const [name, call] of await someCalls()) {
      const world = await runExport({ ...DEPLOYED, faults: faultAt(call, fault) });
      checkOver(world, EXPORT_ID);
      checkCopy(world, EXPORT_ID);
      checkRequests(world);
      checkReports(world);
      const isSoon = tookMs(world) < calm + MOST_MS;
      expect({ name, call, isSoon, took: tookMs(world) }).toMatchObject({ isSoon: true });
    }
  },
);

function tookMs({ ledger }: World): number {
  const state = ledger.readExport(CONNECTION, EXPORT_ID);
  return state === undefined ? Number.POSITIVE_INFINITY : state.updatedAtMs - state.startedAtMs;
}

/** Each call of a port fails for so long from the first of them on. */
function outageOf(port: string, hours: number, world: () => World): FaultPlan {
  let fromMs: number | undefined;
  return (_, name) => {
    if (name !== port) return undefined;
    const nowMs = world().clock.now();
    fromMs ??= nowMs;
    return nowMs < fromMs + hours * 3_600_000 ? 'throw-before' : undefined;
  };
}

test.each(['put', 'readGate', 'open'])(
  'an outage of %s for a day fails no export, is asked for ever less often, and is told',
  async (port) => {
    const world: World = new World({ ...DEPLOYED, faults: outageOf(port, 24, () => world) });
    await startIn(world);
    const stalled: unknown[] = [];
    const stopAtMs = world.clock.now() + 12 * 3_600_000;
    const sweepLater = () =>
      world.clock.at(world.clock.now() + 300_000, () => {
        void world.sweep().then((swept) => stalled.push(exportSweepMetrics(swept).StalledExports));
        if (world.clock.now() < stopAtMs) sweepLater();
      });
    sweepLater();
    await world.runUntil(() => world.clock.now() >= stopAtMs, false);

    const { brokenSteps = 0 } = world.ledger.readExport(CONNECTION, EXPORT_ID)?.inRow ?? {};
    expect(brokenSteps).toBeGreaterThan(40);
    expect(brokenSteps).toBeLessThan(120);
    // The alarm waits for three in a row.
    expect(stalled.slice(3).every((each) => each === 1)).toBe(true);
    await world.runUntil(() => isOver(world), true);

    checkOver(world, EXPORT_ID);
    checkCopy(world, EXPORT_ID);
    checkRequests(world);
  },
);

test('answers that are under way when a call fails are read, and the wait that one asks for is kept', async () => {
  let isThrown = false;
  const world: World = new World({
    ...DEPLOYED,
    settings: { requestsPerSecond: 2 },
    behaviour: ({ before }) => (before === 9 ? throttled(120) : undefined),
    faults: (_, name) => {
      const isNow = !isThrown && name === 'readGate' && world.requests.length > 9;
      isThrown ||= isNow;
      return isNow ? 'throw-before' : undefined;
    },
    latencyMs: 2_000,
  });
  await startIn(world);
  await world.runUntil(() => isOver(world), false);

  expect(isThrown).toBe(true);
  const told = world.requests.find(({ outcome }) => outcome?.kind === 'throttled');
  const untilMs = (told?.answeredAtMs ?? 0) + 120_000;
  const early = world.requests.filter(
    ({ atMs }) => atMs > (told?.answeredAtMs ?? 0) && atMs < untilMs,
  );
  expect(early).toEqual([]);
  expect(told).toBeDefined();
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
});
