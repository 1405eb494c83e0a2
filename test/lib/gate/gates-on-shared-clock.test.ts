import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { onSharedClock } from '../../../lib/gate/gates-on-shared-clock.ts';
import type { Gate } from '../../../lib/gate/ports.ts';
import { SharedClock } from '../../../lib/gate/shared-clock.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const CALL_MS = 10;

/** The gates of a process whose own clock can be set; each call hears the ledger's clock, which is right. */
function processWith(aheadMs: number, world = { trueMs: NOW_MS, memory: new MemoryGates() }) {
  const { memory } = world;
  let offMs = aheadMs;
  const machineNow = () => world.trueMs + offMs;
  const shared = new SharedClock(machineNow);
  const { now } = shared;
  let callMs = CALL_MS;
  const heard = <T>(result: T): Promise<T> => {
    const sentAtMs = machineNow();
    const dateMs = Math.floor(world.trueMs / 1000) * 1000;
    world.trueMs += callMs;
    shared.heard(dateMs, sentAtMs, machineNow());
    return Promise.resolve(result);
  };
  const ledger = {
    read: (name: string) => heard(memory.read(name)),
    blockUntil: (name: string, untilMs: number) => heard(memory.blockUntil(name, untilMs)),
  };
  const unused = () => Promise.reject(new Error('not used'));
  const gates = onSharedClock(
    {
      ...ledger,
      open: (...opening) => heard(memory.open(...opening)),
      changePlaces: (...change) => heard(memory.changePlaces(...change)),
      ...{ stopExport: unused, haltKeyVersion: unused, storePace: unused },
      ...{ storeSample: unused, replaceOrganization: unused },
    },
    shared,
  );
  return {
    gates,
    now,
    trueNow: () => world.trueMs,
    stored: () => memory.read('acme'),
    /** As another process tells it. */
    toldByOthers: (restMs: number) => memory.blockUntil('acme', world.trueMs + restMs),
    callsTake: (ms: number) => {
      callMs = ms;
    },
    pass: (ms: number) => {
      world.trueMs += ms;
    },
    setBy: (ms: number) => {
      offMs += ms;
    },
    /** Hears the clock often enough to know it within a tenth of a second. */
    narrow: async () => {
      for (let reads = 0; reads < 20; reads++) {
        world.trueMs += 89;
        await gates.read('acme');
      }
    },
    /** How long the gate still asks to wait. */
    restMs: async () => (await gates.read('acme')).blockedUntilMs - now(),
  };
}

test.each([0, 90_000, -90_000])(
  'keeps a wait that this process told by its own clock to the millisecond, %i ms ahead',
  async (aheadMs) => {
    const process = processWith(aheadMs);
    await process.gates.read('acme');
    await process.gates.blockUntil('acme', process.now() + 60_000);
    process.pass(40_000);
    expect(await process.restMs()).toBe(60_000 - 40_000 - 2 * CALL_MS);
  },
);

test.each([3_000, 59_000, 3_600_000, -3_000, -3_600_000])(
  'keeps to a wait that this process told although its own clock was set by %i ms meanwhile',
  async (byMs) => {
    const process = processWith(0);
    await process.gates.read('acme');
    await process.gates.blockUntil('acme', process.now() + 60_000);
    process.setBy(byMs);
    process.pass(40_000);
    const restMs = await process.restMs();
    // Later by what two looks at a clock of whole seconds leave open.
    expect(restMs).toBeGreaterThanOrEqual(20_000 - 2 * CALL_MS);
    expect(restMs).toBeLessThan(20_000 + 2_100);
  },
);

test('keeps to the longer wait to the millisecond when it is told a shorter one after it', async () => {
  const process = processWith(0);
  await process.gates.read('acme');
  await process.gates.blockUntil('acme', process.now() + 60_000);
  await process.gates.blockUntil('acme', process.now() + 30_000);
  expect(await process.restMs()).toBe(60_000 - 3 * CALL_MS);
});

test.each([90_000, -90_000])(
  'ends no wait early that it told when it knew its clock roughly, %i ms ahead',
  async (aheadMs) => {
    const process = processWith(aheadMs);
    process.callsTake(6_000);
    await process.gates.read('acme');
    process.callsTake(CALL_MS);
    const untilMs = process.trueNow() + 60_000;
    // Its own clock is set right by the answer to this call.
    await process.gates.blockUntil('acme', process.now() + 60_000);
    const restMs = await process.restMs();
    expect(restMs).toBeGreaterThanOrEqual(untilMs - process.trueNow());
  },
);

test.each([0, 90_000, -90_000])(
  'has no wait where the gate has none, %i ms ahead: an end of one would be a sign of an answer',
  async (aheadMs) => {
    const process = processWith(aheadMs);
    expect((await process.gates.read('acme')).blockedUntilMs).toBe(0);
    expect((await process.gates.read('acme')).blockedUntilMs).toBe(0);
  },
);

test.each([90_000, -90_000])(
  'shows who opens a gate the end of its wait by the own clock, %i ms ahead, opened or not',
  async (aheadMs) => {
    const process = processWith(aheadMs);
    process.toldByOthers(60_000);
    await process.gates.read('acme');
    const seen: Gate[] = [];
    const left = await process.gates.open('acme', (gate) => {
      seen.push(gate);
      return undefined;
    });
    for (const { blockedUntilMs } of [left, ...seen]) {
      const restMs = blockedUntilMs - process.now();
      expect(restMs).toBeGreaterThanOrEqual(60_000 - 2 * CALL_MS);
      expect(restMs).toBeLessThan(60_000 + 2_100);
    }
  },
);

test('ends no wait early that it told before its own clock was set by less than a second', async () => {
  const process = processWith(0);
  await process.narrow();
  const untilMs = process.trueNow() + 60_000;
  await process.gates.blockUntil('acme', process.now() + 60_000);
  process.setBy(900);
  await process.narrow();
  const restMs = await process.restMs();
  expect(restMs).toBeGreaterThanOrEqual(untilMs - process.trueNow());
});

test('a wait that one process tells is never over earlier for another, whatever they know of the clock', async () => {
  const aheadMs = fc.integer({ min: -3_000, max: 3_000 });
  const cases = fc.record({ of: aheadMs, ofOther: aheadMs, atMs: fc.nat(2_000), knows: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ of, ofOther, atMs, knows }) => {
      const world = { trueMs: NOW_MS + atMs, memory: new MemoryGates() };
      const teller = processWith(of, world);
      const other = processWith(ofOther, world);
      await teller.gates.read('acme');
      await other.gates.read('acme');
      if (knows % 2 === 1) await teller.narrow();
      if (knows > 1) await other.narrow();
      const untilMs = world.trueMs + 60_000;
      await teller.gates.blockUntil('acme', teller.now() + 60_000);
      const restMs = await other.restMs();
      expect(restMs).toBeGreaterThanOrEqual(untilMs - world.trueMs);
      expect(restMs).toBeLessThan(untilMs - world.trueMs + 2_100);
    }),
  );
});

test.each([900, -900])(
  'stores, expects and shows places by the shared clock while the own one is off, by %i ms',
  async (aheadMs) => {
    const process = processWith(aheadMs);
    await process.narrow();
    const ownMs = process.now() + 5_000;
    const places = { fullAtMs: ownMs, windowFromMs: 0, othersAtMs: ownMs };
    const counts = { windowUsed: 0, windowAsked: 0, windowAskedBefore: 0, othersTaken: 1 };
    const set = { ...places, ...counts };
    const first = await process.gates.changePlaces('acme', { expected: 'none', set, add: {} });
    // To the millisecond, as what is stored is moved back.
    expect(first?.places).toEqual(set);
    const stored = process.stored().places;
    expect(Math.abs((stored?.fullAtMs ?? 0) - ownMs + aheadMs)).toBeLessThan(100);
    expect(stored?.windowFromMs).toBe(0);

    const fullAtMs = { atLeast: ownMs - 100, atMost: ownMs + 100 };
    const next = { expected: { fullAtMs }, set: {}, add: { othersTaken: 1 } };
    expect(await process.gates.changePlaces('acme', next)).toMatchObject({
      places: { othersTaken: 2 },
    });
  },
);
