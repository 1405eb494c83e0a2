import { expect, test } from '@jest/globals';
import { MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { onSharedClock } from '../../../lib/gate/gates-on-shared-clock.ts';
import type { Gate } from '../../../lib/gate/ports.ts';
import { SharedClock } from '../../../lib/gate/shared-clock.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const CALL_MS = 10;

/** The gates of a process whose own clock can be set; each call hears the ledger's clock, which is right. */
function processWith(aheadMs: number) {
  let trueMs = NOW_MS;
  let offMs = aheadMs;
  const machineNow = () => trueMs + offMs;
  const shared = new SharedClock(machineNow);
  const { now } = shared;
  const memory = new MemoryGates();
  let callMs = CALL_MS;
  const heard = <T>(result: T): Promise<T> => {
    const sentAtMs = machineNow();
    const dateMs = Math.floor(trueMs / 1000) * 1000;
    trueMs += callMs;
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
      ...{ stopExport: unused, haltKeyVersion: unused, storePace: unused },
      ...{ changePlaces: unused, storeSample: unused, replaceOrganization: unused },
    },
    shared,
  );
  return {
    gates,
    now,
    trueNow: () => trueMs,
    /** As another process tells it. */
    toldByOthers: (restMs: number) => memory.blockUntil('acme', trueMs + restMs),
    callsTake: (ms: number) => {
      callMs = ms;
    },
    pass: (ms: number) => {
      trueMs += ms;
    },
    setBy: (ms: number) => {
      offMs += ms;
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
  const narrow = async () => {
    for (let reads = 0; reads < 20; reads++) {
      process.pass(89);
      await process.gates.read('acme');
    }
  };
  await narrow();
  const untilMs = process.trueNow() + 60_000;
  await process.gates.blockUntil('acme', process.now() + 60_000);
  process.setBy(900);
  await narrow();
  const restMs = await process.restMs();
  expect(restMs).toBeGreaterThanOrEqual(untilMs - process.trueNow());
});
