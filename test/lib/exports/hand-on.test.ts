import { expect, test } from '@jest/globals';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { exportSteps, wakeUpOf } from '../../../lib/exports/export-steps.ts';
import { handOn } from '../../../lib/exports/hand-on.ts';
import { CONNECTION, World } from '../../faults/world.ts';
import { inWorld } from './in-world.ts';
import { END, stateOf } from './state-of.ts';

interface Stored {
  /** How long the wait is that the gate did not take. */
  readonly untoldMs?: number;
  readonly leaseMs?: number;
  readonly owner?: string;
  readonly own?: (nowMs: number) => Partial<ExportState>;
  /** The worker had a wake-up for the step before. */
  readonly isPast?: boolean;
}

async function after({ untoldMs = 0, leaseMs, owner = 'own', own, isPast = false }: Stored) {
  const world = new World();
  const nowMs = world.clock.now();
  const before = stateOf({
    ...(leaseMs !== undefined && { lease: { owner, untilMs: nowMs + leaseMs } }),
    ...{ step: 3, lastRequestAtMs: 0, ...own?.(nowMs) },
  });
  world.ledger.writeExport(before, undefined);
  await inWorld(world, (ports) => {
    const { rules } = world;
    const wakeUp = { ...wakeUpOf(before), step: isPast ? 2 : 3 };
    const of = { ports, rules, owner: 'own', wakeUp, isAttended: false };
    return handOn({ ...of, kind: exportSteps(ports) }, { untilMs: nowMs + untoldMs });
  });
  const stored = world.ledger.readExport(CONNECTION, before.exportId);
  return { before, stored, world, nowMs };
}

test('hands the step on within seconds, without its lease, and counts it as broken', async () => {
  const { stored, world, nowMs } = await after({ leaseMs: 60_000 });

  expect(stored).toMatchObject({
    ...{ step: 4, waitsFor: 'failed-call', wakeUpSent: true },
    inRow: { stepsWithoutPage: 0, brokenSteps: 1 },
  });
  expect(stored).not.toHaveProperty('lease');
  expect(stored).not.toHaveProperty('leavesLine');
  expect(stored?.lastRequestAtMs).toBeGreaterThanOrEqual(nowMs);
  expect(world.delays).toHaveLength(1);
  expect(world.delays[0]).toBeLessThanOrEqual(2);
});

test.each([
  ['tries that are seconds apart', 7, 0],
  ['those that are minutes apart', 8, 1],
])('counts %s against the bound of steps without a page: %i', async (_, brokenSteps, counted) => {
  const inRow = { ...stateOf().inRow, stepsWithoutPage: 0, brokenSteps };
  const { stored } = await after({ leaseMs: 60_000, own: () => ({ inRow }) });
  expect(stored?.inRow.stepsWithoutPage).toBe(counted);
});

test('a wait that an earlier worker could not tell is not told again once it is over', async () => {
  const { stored } = await after({ own: () => ({ notBeforeMs: 1, isWaitUntold: true }) });
  expect(stored).toMatchObject({ step: 4, waitsFor: 'failed-call' });
  expect(stored).not.toHaveProperty('isWaitUntold');
});

test('waits longer each time in a row, and never longer than the queue can', async () => {
  const delays: (number | undefined)[] = [];
  for (const brokenSteps of [2, 5, 9_999]) {
    const inRow = { ...stateOf().inRow, brokenSteps };
    const { world } = await after({ leaseMs: 60_000, own: () => ({ inRow }) });
    delays.push(world.delays[0]);
  }

  expect(delays).toEqual([expect.closeTo(6, -0.7), expect.closeTo(48, -1.5), expect.any(Number)]);
  expect(delays.at(-1)).toBeGreaterThanOrEqual(450);
  expect(delays.at(-1)).toBeLessThanOrEqual(900);
});

test('keeps a wait that the gate did not take in the item of the export', async () => {
  const { stored, world, nowMs } = await after({ leaseMs: 60_000, untoldMs: 90_000 });

  const notBeforeMs = nowMs + 90_000;
  expect(stored).toMatchObject({ notBeforeMs, waitsFor: 'throttled', isWaitUntold: true });
  expect(world.delays).toEqual([90]);
});

test('after the end of a list no other one waits for what failed', async () => {
  const { stored } = await after({ leaseMs: 60_000, own: () => ({ end: END }) });
  expect(stored).toMatchObject({ leavesLine: true });
});

test('keeps the wait of an export that nobody had claimed', async () => {
  const wait = (nowMs: number) => ({
    ...{ notBeforeMs: nowMs + 600_000, waitsSinceMs: nowMs - 60_000 },
    ...({ waitsFor: 'throttled', isWaitUntold: true, isWoken: true } as const),
  });
  const { stored, nowMs } = await after({ own: wait });

  const { isWoken: _, ...kept } = wait(nowMs);
  expect(stored).toMatchObject({ ...kept, step: 4 });
  expect(stored).not.toHaveProperty('isWoken');
});

test('sends the wake-up of the next step, where that is all that failed', async () => {
  const { before, stored, world } = await after({
    isPast: true,
    own: () => ({ wakeUpSent: false }),
  });
  expect(stored).toMatchObject({ step: before.step, wakeUpSent: true });
  expect(world.delays).toHaveLength(1);
});

test('hands on a step that was marked as woken meanwhile', async () => {
  const world = new World();
  const before = stateOf({ step: 3, wakeUpSent: false });
  world.ledger.writeExport(before, undefined);
  await inWorld(world, async (ports) => {
    let isMarked = false;
    const readExport: typeof ports.ledger.readExport = async (connection, exportId) => {
      const state = await ports.ledger.readExport(connection, exportId);
      if (!isMarked) world.ledger.writeExport({ ...before, writeToken: 'marked' }, 'token-0');
      isMarked = true;
      return state;
    };
    const own = { ...ports, ledger: { ...ports.ledger, readExport } };
    const { rules } = world;
    const of = { ports: own, rules, owner: 'own', wakeUp: wakeUpOf(before), isAttended: false };
    return handOn({ ...of, kind: exportSteps(own) }, { untilMs: 0 });
  });
  expect(world.ledger.readExport(CONNECTION, before.exportId)).toMatchObject({ step: 4 });
});

test.each<[string, Stored]>([
  ['another worker has it', { owner: 'other', leaseMs: 60_000 }],
  ['another worker has continued', { isPast: true }],
  ['the export was cancelled', { leaseMs: 60_000, own: () => ({ status: 'cancelled' }) }],
])('changes nothing when %s', async (_, of) => {
  const { before, stored, world } = await after(of);
  expect(stored).toEqual(before);
  expect(world.delays).toEqual([]);
});

test('leaves all to the sweep where the ledger takes nothing', async () => {
  const world = new World({ faults: () => 'throw-before' });
  const before = stateOf({ lease: { owner: 'own', untilMs: world.clock.now() + 60_000 } });
  world.ledger.writeExport(before, undefined);
  await inWorld(world, (ports) => {
    const { rules } = world;
    const of = { ports, rules, owner: 'own', wakeUp: wakeUpOf(before), isAttended: false };
    return handOn({ ...of, kind: exportSteps(ports) }, { untilMs: 0 });
  });
  expect(world.ledger.readExport(CONNECTION, before.exportId)).toEqual(before);
});
