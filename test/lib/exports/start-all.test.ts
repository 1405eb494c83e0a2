import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type FanOut,
  type FanOutReport,
  placeOf,
  startAll,
} from '../../../lib/exports/start-all.ts';
import { delaySecondsUntil } from '../../../lib/steps/delay.ts';

const SCHEDULED_MS = Date.UTC(2026, 0, 1, 3);
const names = (count: number) => Array.from({ length: count }, (_, index) => `c-${index}`);

/** A Lambda in which each start takes a second. */
function worldAt(nowMs: number, isBroken: (connection: string) => boolean = () => false) {
  const world = { nowMs, endsAtMs: nowMs + 180_000, started: new Map<string, number>() };
  const ports = {
    clock: { now: () => world.nowMs },
    remainingMs: () => world.endsAtMs - world.nowMs,
    start: async (connection: string) => {
      world.nowMs += 1_000;
      if (isBroken(connection)) throw Object.assign(new Error('canary'), { name: 'AwsCallError' });
      world.started.set(connection, (world.started.get(connection) ?? 0) + 1);
      return 'started' as const;
    },
  };
  return { world, ports };
}

/** Delivers what is left after its delay until nothing is left. */
async function runAll(
  { world, ports }: ReturnType<typeof worldAt>,
  fanOut: FanOut,
  connections: (round: number) => readonly string[],
): Promise<readonly FanOutReport[]> {
  const reports: FanOutReport[] = [];
  let after: string | undefined;
  do {
    world.endsAtMs = world.nowMs + 180_000;
    const given = { ...fanOut, ...(after === undefined ? {} : { after }) };
    const report = await startAll(ports, given, connections(reports.length));
    reports.push(report);
    after = report.rest?.after;
    world.nowMs += delaySecondsUntil(report.rest?.dueAtMs ?? 0, world.nowMs) * 1000;
  } while (reports.at(-1)?.rest !== undefined && reports.length < 200);
  return reports;
}

test('starts every connection once, also in several invocations, in whatever order they are listed', async () => {
  const world = worldAt(SCHEDULED_MS);
  const all = names(250);

  const reports = await runAll(world, { scheduledAtMs: SCHEDULED_MS, windowMs: 0 }, (round) =>
    round % 2 === 0 ? all : all.toReversed(),
  );

  expect(reports.length).toBeGreaterThan(2);
  expect([...world.world.started.keys()].sort()).toEqual([...all].sort());
  expect(new Set(world.world.started.values())).toEqual(new Set([1]));
  // Time for the starts under way is kept.
  const dues = reports.flatMap(({ rest }) => (rest === undefined ? [] : rest.dueAtMs));
  expect(dues).toEqual(dues.map(() => expect.any(Number)));
  expect(Math.max(...dues.map(Number))).toBeLessThanOrEqual(world.world.nowMs);
});

test('goes on behind a connection that was deleted meanwhile', async () => {
  const world = worldAt(SCHEDULED_MS);
  const all = names(250);
  let first: FanOutReport | undefined;

  const reports = await runAll(world, { scheduledAtMs: SCHEDULED_MS, windowMs: 0 }, (round) =>
    round === 0 ? all : all.filter((name) => name !== first?.rest?.after && name !== 'c-7'),
  );
  [first] = reports;

  expect(world.world.started.size).toBeGreaterThanOrEqual(249);
});

test('a start that fails keeps no other from it, and is told by name', async () => {
  const { ports, world } = worldAt(SCHEDULED_MS, (name) => name === 'c-3' || name === 'c-4');

  const fanOut = { scheduledAtMs: SCHEDULED_MS, windowMs: 0 };
  const { failed, counts } = await startAll(ports, fanOut, names(40));

  expect(world.started.size).toBe(38);
  expect(counts).toEqual({ started: 38, joined: 0, queued: 0, resumed: 0, halted: 0, over: 0 });
  expect(failed.map(({ connection }) => connection).sort()).toEqual(['c-3', 'c-4']);
  expect(JSON.stringify(failed)).not.toContain('canary');
});

test('spreads the starts over the window, each connection at the same place every time', async () => {
  const windowMs = 3_600_000;
  const all = names(600);
  const startedAt = new Map<string, number>();
  const { world, ports } = worldAt(SCHEDULED_MS);
  const noting = {
    ...ports,
    start: async (connection: string) => {
      startedAt.set(connection, world.nowMs);
      return 'started' as const;
    },
  };

  const fanOut = { scheduledAtMs: SCHEDULED_MS, windowMs };
  const reports = await runAll({ world, ports: noting }, fanOut, () => all);

  for (const name of all) {
    const lateMs = (startedAt.get(name) ?? 0) - (SCHEDULED_MS + placeOf(name) * windowMs);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(61_000);
  }
  expect(reports.length).toBeLessThanOrEqual(61);
  const inHalf = [...startedAt.values()].filter((atMs) => atMs < SCHEDULED_MS + windowMs / 2);
  expect(inHalf.length).toBeGreaterThan(240);
  expect(inHalf.length).toBeLessThan(360);
});

test('goes on at the place of the next connection, and after a minute at the earliest', async () => {
  const { ports } = worldAt(SCHEDULED_MS);
  const restOf = async (windowMs: number) =>
    (await startAll(ports, { scheduledAtMs: SCHEDULED_MS, windowMs }, ['c-1'])).rest;

  const dueAtMs = SCHEDULED_MS + placeOf('c-1') * 86_400_000;
  expect(await restOf(86_400_000)).toEqual({ after: undefined, dueAtMs });
  expect(await restOf(60_000)).toEqual({ after: undefined, dueAtMs: SCHEDULED_MS + 60_000 });
});

test('says no time to go on at when the invocation is too short for a single start', async () => {
  const { ports } = worldAt(SCHEDULED_MS);
  const fanOut = { scheduledAtMs: SCHEDULED_MS, windowMs: 0 };
  const { rest } = await startAll({ ...ports, remainingMs: () => 90_000 }, fanOut, ['c-1']);
  expect(rest).toEqual({ after: undefined });
});

test('whatever the names are, each is started once', async () => {
  const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { maxLength: 150 }), async (all) => {
      const world = worldAt(SCHEDULED_MS);
      await runAll(world, { scheduledAtMs: SCHEDULED_MS, windowMs: 600_000 }, () => all);
      expect([...world.world.started]).toHaveLength(all.length);
      expect([...world.world.started.values()].every((times) => times === 1)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
