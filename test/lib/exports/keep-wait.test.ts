import { expect, test } from '@jest/globals';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { exportSteps, wakeUpOf } from '../../../lib/exports/export-steps.ts';
import { keepWait, notingWaits, recordKeptWait } from '../../../lib/exports/keep-wait.ts';
import type { ExportPorts } from '../../../lib/exports/ports.ts';
import { Worker } from '../../faults/worker.ts';
import { CONNECTION, World } from '../../faults/world.ts';
import { stateOf } from './state-of.ts';

/** Does it as a worker of an own world does, and lets time pass meanwhile. */
async function inWorld(world: World, work: (ports: ExportPorts) => Promise<void>): Promise<void> {
  const worker = new Worker(world, 'w', 60_000);
  let isOver = false;
  void work(world.portsOf(worker)).then(() => {
    isOver = true;
  });
  await world.runUntil(() => isOver, false);
  worker.end();
}

const TAKEN = true;
const LOST = false;

test.each([
  ['a wait that is taken', [[5_000, TAKEN]], 0],
  ['a wait that is not', [[5_000, LOST]], 5_000],
  [
    'a wait that is taken when it is told again',
    [
      [5_000, LOST],
      [5_000, TAKEN],
    ],
    0,
  ],
  [
    'the longer one of two that are not',
    [
      [9_000, LOST],
      [5_000, LOST],
    ],
    9_000,
  ],
  [
    'a longer one that is not, before a shorter one that is',
    [
      [9_000, LOST],
      [5_000, TAKEN],
    ],
    9_000,
  ],
  [
    'a shorter one that is not, before a longer one that is',
    [
      [5_000, LOST],
      [9_000, TAKEN],
    ],
    0,
  ],
] as const)('knows which wait the gate has not: %s', async (_, told, expected) => {
  const given = new World().portsOf(new Worker(new World(), 'w', 60_000));
  let isTaken: boolean = TAKEN;
  const blockUntil = async () => {
    if (!isTaken) throw new Error('DynamoDB is out of order');
    return true;
  };
  const { ports, unrecorded } = notingWaits({ ...given, gates: { ...given.gates, blockUntil } });
  for (const [untilMs, taken] of told) {
    isTaken = taken;
    await ports.gates.blockUntil(CONNECTION, untilMs).catch(() => undefined);
  }
  expect(unrecorded).toEqual({ untilMs: expected });
});

interface Kept {
  readonly restMs?: number;
  readonly leaseMs?: number;
  readonly owner?: string;
  readonly status?: ExportState['status'];
}

async function keep({ restMs = 90_000, leaseMs = 60_000, owner = 'own', status }: Kept) {
  const world = new World();
  const nowMs = world.clock.now();
  const lease = { owner, untilMs: nowMs + leaseMs };
  const before = stateOf({ lease, ...(status && { status }) });
  world.ledger.writeExport(before, undefined);
  const untilMs = nowMs + restMs;
  await inWorld(world, (ports) => {
    const { rules } = world;
    const of = { ports, rules, owner: 'own', wakeUp: wakeUpOf(before), isAttended: false };
    return keepWait({ ...of, kind: exportSteps(ports) }, { untilMs });
  });
  return { before, untilMs, stored: world.ledger.readExport(CONNECTION, before.exportId), world };
}

test('keeps the wait in the item of the export, and wakes the next step for its end', async () => {
  const { before, untilMs, stored, world } = await keep({});
  expect(stored).toMatchObject({
    ...{ step: before.step + 1, notBeforeMs: untilMs, waitsFor: 'throttled', isWaitUntold: true },
    ...{ wakeUpSent: true, inRow: { stepsWithoutPage: 1 } },
  });
  expect(stored).not.toHaveProperty('lease');
  expect(world.delays).toEqual([90]);
});

test.each<[string, Kept]>([
  ['another worker has continued', { owner: 'other' }],
  ['its lease is over', { leaseMs: 0 }],
  ['the export was cancelled', { status: 'cancelled' }],
  ['the wait is over', { restMs: 0 }],
])('changes nothing when %s', async (_, kept) => {
  const { before, stored, world } = await keep(kept);
  expect(stored).toEqual(before);
  expect(world.delays).toEqual([]);
});

test.each([
  ['a wait that it did not take', { isWaitUntold: true }, 0, 5_000],
  ['no wait that it has longer', { isWaitUntold: true }, 9_000, 9_000],
  ['no wait that the API did not ask for, such as that of a pace', {}, 0, 0],
] as const)('tells the gate %s', async (_, own, blockedUntilMs, expected) => {
  const world = new World();
  if (blockedUntilMs > 0) world.gates.blockUntil(CONNECTION, blockedUntilMs);
  await inWorld(world, (ports) => recordKeptWait(ports, stateOf(own), 5_000, { blockedUntilMs }));
  expect(world.gates.read(CONNECTION).blockedUntilMs).toBe(expected);
});
