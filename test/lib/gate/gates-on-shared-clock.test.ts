import { expect, test } from '@jest/globals';
import { MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { onSharedClock } from '../../../lib/gate/gates-on-shared-clock.ts';
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
  const heard = <T>(result: T): Promise<T> => {
    const sentAtMs = machineNow();
    const dateMs = Math.floor(trueMs / 1000) * 1000;
    trueMs += CALL_MS;
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
      ...{ open: unused, stopExport: unused, haltKeyVersion: unused, storePace: unused },
      ...{ changePlaces: unused, storeSample: unused, replaceOrganization: unused },
    },
    shared,
  );
  return {
    gates,
    now,
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
