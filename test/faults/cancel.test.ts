import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import { stateOf } from '../../lib/exports/begin-export.ts';
import type { Cancelled } from '../../lib/exports/cancel-export.ts';
import { cancelled, leftBehind } from '../../lib/exports/cancelled.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { wakeUpOf } from '../../lib/exports/export-steps.ts';
import { exportPrefix, latestKey, manifestKey } from '../../lib/exports/store-objects.ts';
import { MAX_GATE_AGE_MS } from '../../lib/gate/gate-look.ts';
import { DEPTH_TIMEOUT_MS, isDeep, seedsAmong, seedsOf, tried, trySeed } from '../deep/depth.ts';
import { checkEvent } from './check-event.ts';
import { checkCopy, checkReports, checkRequests } from './checks.ts';
import { ALL_FAULTS, type FaultPlan, randomFaults } from './fault-plan.ts';
import { throttled, tokenBucket } from './model-api.ts';
import { EXPORT_ID, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

const NEXT_ID = 'request-next';
/** The oldest look at the gate that allows a request, and the longest time that its answer takes. */
const BOUND_MS = MAX_GATE_AGE_MS + 12;

type Parts = 'keep' | 'remove';

// 13 pages in parts of 4, throttled after 5 requests: steps, checkpoints and waits in one short run.
function scenario(seed: number): WorldOptions {
  return {
    seed,
    customers: 125,
    lists: { invoices: 30 },
    settings: { partMaxPages: 4 },
    behaviour: tokenBucket(1, 5),
  };
}

interface Run {
  readonly world: World;
  /** Of the first call that was answered. */
  readonly answer: Cancelled;
  readonly answeredAtMs: number;
  /** The name of the port of each call, in order. */
  readonly names: readonly string[];
}

/**
 * Runs an export, with one of another list behind it, and cancels it when the call of this number begins, again until
 * that is answered.
 */
async function runCancelled(
  atCall: number,
  parts: Parts,
  more: WorldOptions = {},
  sweeps = true,
): Promise<Run> {
  const names: string[] = [];
  let answered: { readonly answer: Cancelled; readonly atMs: number } | undefined;
  const cancelIn = async (world: World) => {
    while (answered === undefined) {
      const answer = await world.cancel(EXPORT_ID, parts).catch(() => undefined);
      // At the first calls it is not in the ledger yet.
      const isAnswered = answer !== undefined && answer.kind !== 'missing';
      if (isAnswered) answered = { answer, atMs: world.clock.now() };
      else await world.clock.delay(1_000);
    }
  };
  const { faults: others } = more;
  let isBegun = false;
  let cancelling: Promise<void> | undefined;
  const begin = () => {
    if (isBegun) return;
    isBegun = true;
    cancelling = cancelIn(world);
  };
  const faults: FaultPlan = (call, name) => {
    names.push(name);
    if (call >= atCall) begin();
    return others?.(call, name);
  };
  const world: World = new World({ ...scenario(1), ...more, faults });
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  const isOver = () =>
    isBegun === (answered !== undefined) &&
    world.statusOf(NEXT_ID) === 'completed' &&
    world.isIdle();
  await world.runUntil(isOver, sweeps);
  begin();
  await world.runUntil(isOver, sweeps);
  await cancelling;
  if (answered === undefined) throw new Error('The cancel was never answered.');
  return { world, names, answer: answered.answer, answeredAtMs: answered.atMs };
}

/** However it ended, it is one thing in every sense, and what comes after it is whole. */
function check({ world, answer, answeredAtMs }: Run, parts: Parts): 'cancelled' | 'completed' {
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  if (state === undefined) throw new Error('There is no such export.');
  expect(state).toMatchObject({ unannounced: [] });
  expect(world.ledger.lines.size).toBe(0);
  checkRequests(world);
  checkReports(world);
  checkCopy(world, NEXT_ID);
  for (const event of world.events) checkEvent(event);
  const told = world.events.filter(({ exportId }) => exportId === EXPORT_ID);
  expect(new Set(told.map(({ id }) => id)).size).toBe(1);
  if (answer.kind === 'too-late') {
    expect(state.status).toBe('completed');
    expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(['completed']));
    checkCopy(world, EXPORT_ID);
    return 'completed';
  }
  expect(state).toMatchObject({ status: 'cancelled', cancellation: { by: 'ada', parts } });
  expect(state.lease?.untilMs ?? 0).toBeLessThanOrEqual(world.clock.now());
  expect(told[0]).toMatchObject({ kind: 'cancelled', by: 'ada', reason: 'Wanted.', parts });
  // Nothing says that it is complete.
  expect(world.store.read(manifestKey(state))).toBeUndefined();
  expect(world.store.read(latestKey(CONNECTION, 'customers'))).toBeUndefined();
  const late = world.requests.filter(
    ({ list, atMs }) => list === 'customers' && atMs > answeredAtMs + BOUND_MS,
  );
  expect(late).toEqual([]);
  checkParts(world, parts);
  return 'cancelled';
}

/** None is left of those that were to be removed; of the others those that count. */
function checkParts(world: World, parts: Parts): void {
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  if (state === undefined) throw new Error('There is no such export.');
  const stored = world.store.list(exportPrefix(state)).map(({ key }) => key);
  if (parts === 'remove') {
    expect(state).toMatchObject({
      parts: { count: 0 },
      cancellation: { removedAtMs: expect.any(Number) },
    });
    // No fence reaches a body that was on its way while its process stood still.
    if (!world.hasFrozenPut) expect(stored).toEqual([]);
    return;
  }
  const counted = [...world.ledger.parts.values()].filter(
    ({ exportId, number }) => exportId === EXPORT_ID && number <= state.parts.count,
  );
  expect(stored).toEqual(expect.arrayContaining([...new Set(counted.map(({ key }) => key))]));
  expect(counted.length).toBeGreaterThanOrEqual(state.parts.count);
}

/** How many calls a run makes that nobody disturbs. */
async function undisturbedCalls(): Promise<number> {
  const { names, world } = await runCancelled(Number.POSITIVE_INFINITY, 'keep');
  checkCopy(world, EXPORT_ID);
  return names.length;
}

test(
  'cancelled at any call of an export it is cancelled or completed, never both, and the next one follows',
  async () => {
    const calls = await undisturbedCalls();
    expect(calls).toBeGreaterThan(100);
    const ends = { cancelled: 0, completed: 0 };
    const all = Array.from({ length: calls }, (_, call) => call);
    // In `npm test` one call of eleven, which is prime to the rounds of calls that a step makes.
    const points = seedsAmong(isDeep ? all : all.filter((call) => call % 11 === 0));
    tried('calls at which an export is cancelled', points.length);
    for (const call of points) {
      await trySeed(call, async () => {
        const parts = call % 2 === 0 ? 'keep' : 'remove';
        // The messages alone must do: the sweep is for messages that are lost.
        ends[check(await runCancelled(call, parts, {}, false), parts)] += 1;
      });
    }
    expect(ends.cancelled).toBeGreaterThan(points.length / 4);
    expect(ends.completed).toBeGreaterThan(0);
  },
  DEPTH_TIMEOUT_MS,
);

/** Cancels in the first step, in a wait, in a later step and near the end. */
const MOMENTS = [0.1, 0.2, 0.35, 0.5, 0.62, 0.7] as const;

test.each(ALL_FAULTS)(
  'cancelled with %s at any call after that, it ends as if nothing had happened',
  async (fault) => {
    const calls = await undisturbedCalls();
    const turn = ALL_FAULTS.indexOf(fault);
    for (const [index, moment] of MOMENTS.entries()) {
      const atCall = Math.round(calls * moment);
      const parts = (index + turn) % 2 === 0 ? 'keep' : 'remove';
      const { names } = await runCancelled(atCall, parts);
      const points = Array.from({ length: names.length - atCall }, (_, at) => atCall + at);
      // In turn, so that every call meets some of the faults.
      const rounds = isDeep ? 3 : 96;
      const own = points.filter((call) => (call + index) % rounds === (turn * 16) % rounds);
      for (const call of seedsAmong(own)) {
        await trySeed(call, async () => {
          const faults: FaultPlan = (each) => (each === call ? fault : undefined);
          check(await runCancelled(atCall, parts, { faults }), parts);
        });
      }
    }
  },
  DEPTH_TIMEOUT_MS,
);

const SEEDS = seedsOf({ short: 10, deep: 1_000 });

test(
  `ends in order with random faults, duplicates and losses, for ${SEEDS.length} seeds`,
  async () => {
    tried('seeds of cancelled exports', SEEDS.length);
    for (const seed of SEEDS) {
      await trySeed(seed, async () => {
        const random = randomOf(seed + 2_000_000);
        const parts = random() < 0.5 ? 'keep' : 'remove';
        const run = await runCancelled(Math.floor(random() * 120), parts, {
          seed,
          behaviour: tokenBucket(0.5 + random() * 5, 1 + Math.floor(random() * 8)),
          faults: randomFaults(random, 0.05, 300),
          duplicates: random() * 0.3,
          losses: random() * 0.3,
        });
        check(run, parts);
      });
    }
  },
  DEPTH_TIMEOUT_MS,
);

test('a worker that waits for slow answers sends nothing after a second, reads them, and leaves', async () => {
  const slow = { latencyMs: 3_000, customers: 2_000, settings: { pagesInFlight: 4 } };
  const run = await runCancelled(40, 'keep', { ...slow, behaviour: () => undefined }, false);

  expect(check(run, 'keep')).toBe('cancelled');
  const { world, answeredAtMs } = run;
  const own = world.requests.filter(({ list }) => list === 'customers');
  expect(own.every(({ outcome }) => outcome?.kind === 'page')).toBe(true);
  const [first] = world.requests.filter(({ list }) => list === 'invoices');
  // As soon as the answers have come, not when the lease ends.
  expect((first?.atMs ?? 0) - answeredAtMs).toBeLessThan(6_000);
});

test('a wait that came with the last answers holds the next list too', async () => {
  const behaviour: WorldOptions['behaviour'] = ({ before }) =>
    before === 6 ? throttled(600) : undefined;
  for (const atCall of [14, 18, 22, 26, 30, 34]) {
    const run = await runCancelled(atCall, 'keep', { behaviour, latencyMs: 1_500 }, false);
    check(run, 'keep');
  }
});

test('one that waits for its turn leaves the line, and those behind it move up', async () => {
  const world = new World({ ...scenario(1), lists: { invoices: 30, subscriptions: 20 } });
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  await startIn(world, 'request-third', 'subscriptions');
  const cancelling = world.cancel(NEXT_ID, 'remove');
  await world.runUntil(() => world.isIdle(), false);

  expect(await cancelling).toMatchObject({
    kind: 'cancelled',
    state: {
      status: 'cancelled',
      list: 'invoices',
      cancellation: { removedAtMs: expect.any(Number) },
    },
  });
  expect(world.statusOf(NEXT_ID)).toBe('cancelled');
  expect(world.requests.some(({ list }) => list === 'invoices')).toBe(false);
  checkCopy(world, EXPORT_ID);
  checkCopy(world, 'request-third');
});

test('a halted one ends, and the others still wait for the key', async () => {
  const world = new World({ ...scenario(1), settings: {} });
  world.keyVersion = undefined;
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  await world.runUntil(() => world.statusOf(EXPORT_ID) === 'halted', false);
  const cancelling = world.cancel(EXPORT_ID, 'keep');
  await world.runUntil(() => world.statusOf(NEXT_ID) === 'halted', false);

  expect(await cancelling).toMatchObject({ kind: 'cancelled' });
  expect(world.statusOf(EXPORT_ID)).toBe('cancelled');
  expect(world.requests).toEqual([]);
});

test('one whose worker is gone is left when its lease ends, and the next list follows then', async () => {
  let isGone = false;
  const faults: FaultPlan = (_call, name) => {
    if (name !== 'listPage' || isGone) return undefined;
    isGone = true;
    return 'crash-before';
  };
  const world = new World({ ...scenario(1), behaviour: () => undefined, faults });
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  await world.runUntil(() => isGone, false);
  const { lease } = world.ledger.readExport(CONNECTION, EXPORT_ID) ?? {};
  const { kind } = await answerIn(world, world.cancel(EXPORT_ID, 'keep'));
  await world.runUntil(() => world.isIdle(), false);

  expect(kind).toBe('cancelled');
  checkRequests(world);
  checkCopy(world, NEXT_ID);
  const [first] = world.requests.filter(({ list }) => list === 'invoices');
  const afterLeaseMs = (first?.atMs ?? 0) - (lease?.untilMs ?? 0);
  // Not when the message of the worker that is gone comes back, a minute later.
  expect(Math.round(afterLeaseMs / 2_000)).toBe(0);
});

test('another message of one that its worker has not left yet comes back', async () => {
  const world = new World({ ...scenario(1), latencyMs: 3_000, behaviour: () => undefined });
  await startIn(world);
  await world.runUntil(() => world.requests.length > 0, false);
  await answerIn(world, world.cancel(EXPORT_ID, 'remove'));
  world.deliver(wakeUpOf(stateIn(world)));
  await world.runUntil(() => world.isIdle(), false);

  expect(world.reports[0]).toMatchObject({ result: 'held', answer: 'retry' });
  expect(world.reports[1]).toMatchObject({ result: 'cancelled', answer: 'acknowledge' });
  expect(world.store.list(exportPrefix(stateIn(world)))).toEqual([]);
});

test('the parts of a halted one are removed at once, though no worker and no message is there', async () => {
  const world = new World({
    ...scenario(1),
    behaviour: ({ before }) =>
      before < 10 ? undefined : { kind: 'authentication-failure', status: 401 },
  });
  await startIn(world);
  await world.runUntil(() => world.reports.at(-1)?.result === 'halted', false);
  const partsOf = () => world.store.list(exportPrefix(stateIn(world))).length;
  expect(partsOf()).toBeGreaterThan(0);
  await answerIn(world, world.cancel(EXPORT_ID, 'remove'));
  await world.runUntil(() => world.isIdle(), false);

  expect(partsOf()).toBe(0);
  expect(stateIn(world)).toMatchObject({ cancellation: { removedAtMs: expect.any(Number) } });
  expect(world.ledger.lines.size).toBe(0);
});

function stateIn(world: World): ExportState {
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  if (state === undefined) throw new Error('There is no such export.');
  return state;
}

test('a halt that was not told is told after the cancel, as it was', async () => {
  const faults: FaultPlan = (_call, name) => {
    const isHalted = world.statusOf(EXPORT_ID) === 'halted';
    return isHalted && name === 'publish' ? 'throw-before' : undefined;
  };
  const world: World = new World({ ...scenario(1), faults });
  world.keyVersion = undefined;
  await startIn(world);
  await world.runUntil(() => world.statusOf(EXPORT_ID) === 'halted', false);
  const cancelling = world.cancel(EXPORT_ID, 'keep');
  await world.runUntil(() => world.isIdle(), false);

  expect(await cancelling).toMatchObject({ kind: 'cancelled' });
  expect(world.events.map(({ kind, reasonCode }) => [kind, reasonCode])).toEqual([
    ['halted', 'key-missing'],
    ['cancelled', undefined],
  ]);
  for (const event of world.events) checkEvent(event);
});

test('another start of the same list waits until the worker has left, and is a new export', async () => {
  const world = new World({ ...scenario(1), latencyMs: 3_000, behaviour: () => undefined });
  await startIn(world);
  await world.runUntil(() => world.requests.length > 0, false);
  const cancelling = world.cancel(EXPORT_ID, 'keep');
  const settled = cancelling.then(() => world.start('request-again'));
  await world.runUntil(() => world.isIdle(), false);

  expect(await cancelling).toMatchObject({ kind: 'cancelled' });
  expect(await settled).toMatchObject({
    kind: 'queued',
    queued: { exportId: 'request-again', place: 1 },
  });
  checkRequests(world);
  checkCopy(world, 'request-again');
});

test('cancelling twice is the same, and with another fate of the parts too late', async () => {
  const { world, answer } = await runCancelled(40, 'keep');
  expect(answer.kind).toBe('cancelled');
  const events = world.events.length;
  const again = world.cancel(EXPORT_ID, 'keep', 'Once more.');
  const other = world.cancel(EXPORT_ID, 'remove');
  const unknown = world.cancel('request-unknown', 'keep');
  const done = world.cancel(NEXT_ID, 'keep');
  await world.runUntil(() => world.isIdle(), false);

  expect(await again).toMatchObject({
    kind: 'already-cancelled',
    state: { cancellation: { reason: 'Wanted.', parts: 'keep' } },
  });
  expect(await other).toMatchObject({ kind: 'too-late', state: { status: 'cancelled' } });
  expect(await unknown).toEqual({ kind: 'missing' });
  expect(await done).toMatchObject({ kind: 'too-late', state: { status: 'completed' } });
  expect(world.events).toHaveLength(events);
});

test('parts that cannot be removed can be kept instead, and the next list has its turn', async () => {
  const world = new World({
    ...scenario(1),
    customers: 400,
    settings: { partMaxPages: 4, requestsPerSecond: 1 },
    faults: (_call, name) => (name === 'delete' && isRefused ? 'throw-before' : undefined),
  });
  let isRefused = true;
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  await world.runUntil(() => stateIn(world).parts.count > 1, false);
  await answerIn(world, world.cancel(EXPORT_ID, 'remove'));
  const hourMs = world.clock.now() + 3_600_000;
  await world.runUntil(() => world.clock.now() > hourMs, true);
  const again = await answerIn(world, world.cancel(EXPORT_ID, 'remove'));
  expect(again).toMatchObject({ kind: 'already-cancelled' });
  expect(world.statusOf(NEXT_ID)).toBeUndefined();

  const kept = await answerIn(world, world.cancel(EXPORT_ID, 'keep', 'Another reason.'));
  // The next list deletes its indexes.
  isRefused = false;
  await world.runUntil(() => world.isIdle(), false);

  expect(kept).toMatchObject({
    kind: 'already-cancelled',
    state: {
      reason: { message: expect.stringContaining('parts are kept') },
      cancellation: { reason: 'Wanted.', parts: 'keep' },
    },
  });
  expect(world.store.list(exportPrefix(stateIn(world)))).not.toEqual([]);
  checkCopy(world, NEXT_ID);
  const back = await answerIn(world, world.cancel(EXPORT_ID, 'remove'));
  expect(back).toMatchObject({ kind: 'too-late' });
});

test('parts that are removed cannot be kept any more', async () => {
  const { world } = await runCancelled(40, 'remove');
  const kept = await answerIn(world, world.cancel(EXPORT_ID, 'keep'));

  expect(kept).toMatchObject({ kind: 'too-late' });
  expect(stateIn(world)).toMatchObject({ cancellation: { parts: 'remove' } });
});

test('requests under way are read to their end, also when a commit shows that it was cancelled', async () => {
  for (const atCall of [24, 30, 36, 42, 48, 54, 60, 66]) {
    const { world } = await runCancelled(atCall, 'keep', {
      customers: 400,
      latencyMs: 400,
      settings: { partMaxPages: 2, pagesInFlight: 4 },
      behaviour: () => undefined,
    });
    const aborted = world.requests.filter(({ outcome }) => outcome?.kind !== 'page');
    expect([atCall, aborted]).toEqual([atCall, []]);
  }
});

test('nobody joins one that was cancelled while it waited, also when that was cut short', async () => {
  let isArmed = false;
  const faults: FaultPlan = (_call, name) => {
    if (!isArmed || name !== 'writeExport') return undefined;
    isArmed = false;
    return 'crash-after';
  };
  // The one before it waits for the API meanwhile.
  const behaviour: WorldOptions['behaviour'] = ({ before }) =>
    before === 0 ? throttled(600) : undefined;
  const world = new World({ ...scenario(1), behaviour, faults });
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  const isAsleep = () =>
    world.delays.includes(600) &&
    world.ledger.readExport(CONNECTION, EXPORT_ID)?.wakeUpSent === true;
  await world.runUntil(isAsleep, false);
  isArmed = true;
  const cutShort = world.cancel(NEXT_ID, 'keep').catch(() => 'crashed');
  await world.runUntil(() => world.statusOf(NEXT_ID) === 'cancelled', false);
  const started = world.start('request-other', 'invoices');
  await world.runUntil(() => world.isIdle(), false);

  expect(await cutShort).toBe('crashed');
  expect(await started).toMatchObject({ kind: 'queued', queued: { exportId: 'request-other' } });
  checkCopy(world, 'request-other');
});

test('nobody joins one that was cancelled while it waited for one that is being left', async () => {
  let isArmed = false;
  const faults: FaultPlan = (_call, name) =>
    isArmed && name === 'writeExport' ? 'crash-after' : undefined;
  const slow = { latencyMs: 3_000, behaviour: () => undefined };
  const world = new World({ ...scenario(1), ...slow, faults });
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  await world.runUntil(() => world.requests.length > 0, false);
  await answerIn(world, world.cancel(EXPORT_ID, 'keep'));
  isArmed = true;
  await answerIn(
    world,
    world.cancel(NEXT_ID, 'keep').catch(() => 'crashed'),
  );
  isArmed = false;
  expect(world.ledger.readLine(CONNECTION)?.entries).toHaveLength(2);
  const started = await answerIn(world, world.start('request-other', 'invoices'));
  await world.runUntil(() => world.isIdle(), false);

  expect(started).toMatchObject({ kind: 'queued', queued: { exportId: 'request-other' } });
  checkRequests(world);
  checkCopy(world, 'request-other');
});

test('a start that meets its own cancel in the line is over', async () => {
  const world: World = new World({
    ...scenario(1),
    faults: (_call, name) => {
      const line = world.ledger.readLine(CONNECTION);
      const [, waiting] = line?.entries ?? [];
      if (name !== 'readExport' || waiting === undefined) return undefined;
      const token = world.random().toString();
      const state = stateOf(world.rules, CONNECTION, waiting, token);
      const about = {
        by: 'ada',
        reason: 'Wanted.',
        parts: 'keep',
        atMs: world.clock.now(),
      } as const;
      world.ledger.writeExport(leftBehind(cancelled(state, about), about.atMs), undefined);
      return undefined;
    },
  });
  await startIn(world);
  const met = await answerIn(world, world.start(NEXT_ID, 'invoices'));

  expect(met).toMatchObject({ kind: 'over', state: { status: 'cancelled', exportId: NEXT_ID } });
  expect(world.ledger.readLine(CONNECTION)?.entries).toHaveLength(1);
});

/** The answer of a call, as soon as it is there. */
async function answerIn<T>(world: World, call: Promise<T>): Promise<T> {
  let isAnswered = false;
  const answered = call.finally(() => {
    isAnswered = true;
  });
  await world.runUntil(() => isAnswered, false);
  return answered;
}

test('a cancel that comes too late leaves the worker alone that is completing the export', async () => {
  const undisturbed = await runCancelled(Number.POSITIVE_INFINITY, 'keep');
  const own = (world: World) => world.reports.filter(({ facts }) => facts.exportId === EXPORT_ID);
  let late = 0;
  // Nothing ends in the first half.
  const from = isDeep ? 0 : Math.floor(undisturbed.names.length / 2);
  for (let atCall = from; atCall < undisturbed.names.length; atCall += isDeep ? 1 : 2) {
    const { world, answer, answeredAtMs } = await runCancelled(atCall, 'keep', {}, false);
    const { status, end } = answer.kind === 'missing' ? {} : answer.state;
    if (status !== 'running' || end === undefined) continue;
    late += 1;
    const completedAtMs = world.ledger.readExport(CONNECTION, EXPORT_ID)?.updatedAtMs ?? 0;
    expect(completedAtMs - answeredAtMs).toBeLessThan(10_000);
    expect(own(world).map(({ result }) => result)).not.toContain('overtaken');
  }
  expect(late).toBeGreaterThan(isDeep ? 5 : 2);
});
