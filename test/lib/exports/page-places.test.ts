import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import { PagePlaces } from '../../../lib/exports/page-places.ts';
import type { GateLook } from '../../../lib/gate/ports.ts';
import type { PlacePorts } from '../../../lib/gate/take-places.ts';
import { decidePlaces } from '../../../lib/pace/decide-places.ts';
import type { Pacer } from '../../../lib/pace/pacer.ts';
import { changedPlaces, type Places } from '../../../lib/pace/places.ts';
import { SetPace } from '../../../lib/pace/set-pace.ts';

/** As long as a step waits for a place, and how old its look at the gate may be. */
const MAX_WAIT_MS = 60_000;
const LOOK_AGAIN_MS = 1_000;
const CALL_MS = 5;

test.each([
  { perSecond: 10, hours: 0.2 },
  { perSecond: 1, hours: 0.5 },
  { perSecond: 0.5, hours: 1 },
  { perSecond: 0.1, hours: 3 },
])(
  'an export goes on beside writes that take every place of a set rate of $perSecond/s',
  async ({ perSecond, hours }) => {
    const endMs = hours * 3_600_000;

    const pages = await pagesBesideWrites(perSecond, endMs);

    // A page after each five seconds of yielding, or after two requests of a slower rate.
    const mostMs = Math.max(5_000, 2_000 / perSecond) + 3_000 / perSecond + LOOK_AGAIN_MS;
    expect(pages).toBeGreaterThanOrEqual(Math.floor(endMs / mostMs));
  },
);

/** An export in one step, in virtual time, and writers that take each place as soon as it is near. */
async function pagesBesideWrites(perSecond: number, endMs: number): Promise<number> {
  let nowMs = 1_000_000;
  const fromMs = nowMs;
  const random = randomOf(1);
  const intervalMs = 1000 / perSecond;
  const limit = { kind: 'bucket', requestsPerSecond: perSecond, burst: 1 } as const;
  let places: Places | undefined;
  let writesAtMs = 0;
  const write = () => {
    while (nowMs >= writesAtMs) {
      const latestAtMs = nowMs + intervalMs;
      const request = { limit, caller: 'write', count: 1, earliestAtMs: nowMs } as const;
      const decision = decidePlaces(places, { ...request, openAtMs: 0, latestAtMs, nowMs });
      if (decision.kind === 'granted') places = changedPlaces(places, decision.change) ?? places;
      else writesAtMs = decision.againAtMs - intervalMs * random();
    }
  };
  const look = (): GateLook => ({
    atMs: nowMs,
    blockedUntilMs: 0,
    haltedKeyVersions: [],
    ...(places && { places }),
  });
  const ports: PlacePorts = {
    clock: { now: () => nowMs },
    gates: {
      read: async () => look(),
      changePlaces: async (_, change) => {
        const after = changedPlaces(places, change);
        if (after === undefined) return undefined;
        places = after;
        return look();
      },
    },
  };
  write();
  const pace = new SetPace(perSecond, nowMs);
  let gate = look();
  const paged = new PagePlaces(ports, { connectionName: 'acme', pace, gate });
  let pages = 0;
  let longestMs = 0;
  while (nowMs < fromMs + endMs) {
    write();
    if (nowMs - gate.atMs > LOOK_AGAIN_MS) gate = look();
    paged.look(gate);
    const paceAtMs = pace.nextAtMs(nowMs);
    const dueAtMs = paged.dueAtMs(paceAtMs, nowMs);
    longestMs = Math.max(longestMs, dueAtMs - nowMs);
    const takeAtMs = paged.takeAtMs(dueAtMs, nowMs);
    if (takeAtMs !== undefined && takeAtMs <= nowMs) {
      await paged.take(paceAtMs, nowMs);
      nowMs += CALL_MS;
    } else if ((takeAtMs ?? dueAtMs) <= nowMs) {
      paged.use();
      pace.sent(nowMs);
      pages++;
      nowMs += 1;
    } else {
      nowMs = Math.ceil(
        Math.max(nowMs + 1, Math.min(takeAtMs ?? dueAtMs, nowMs + LOOK_AGAIN_MS, writesAtMs)),
      );
    }
  }
  expect(longestMs).toBeLessThanOrEqual(MAX_WAIT_MS);
  return pages;
}

/** An export beside others, who took places of a set rate a moment ago. */
function besideOthers(perSecond: number) {
  const limit = { kind: 'bucket', requestsPerSecond: perSecond, burst: 1 } as const;
  const world = { nowMs: 1_000_000, calls: 0 };
  let places: Places | undefined;
  const takeOther = (count = 1) => {
    const { nowMs } = world;
    const wish = { limit, caller: 'write', count, earliestAtMs: nowMs, openAtMs: 0 } as const;
    const decision = decidePlaces(places, { ...wish, latestAtMs: nowMs + 60_000, nowMs });
    places = decision.change && changedPlaces(places, decision.change);
  };
  const look = (): GateLook => ({
    ...{ atMs: world.nowMs, blockedUntilMs: 0, haltedKeyVersions: [] },
    ...(places && { places }),
  });
  const ports: PlacePorts = {
    clock: { now: () => world.nowMs },
    gates: {
      read: async () => look(),
      changePlaces: async (_, change) => {
        world.calls++;
        places = changedPlaces(places, change) ?? places;
        return look();
      },
    },
  };
  const told: number[] = [];
  const throttles: number[] = [];
  const pace: Pacer = {
    ...{ lastAtMs: 0, requestsPerSecond: perSecond, limit },
    nextAtMs: (nowMs) => nowMs,
    burstAtMs: () => undefined,
    sent: () => ({ left: () => undefined, answered: () => undefined }),
    spentElsewhere: (count) => void told.push(count),
    throttledElsewhere: () => void throttles.push(world.nowMs),
  };
  takeOther();
  const pagePlaces = new PagePlaces(ports, { connectionName: 'acme', pace, gate: look() });
  return { world, pagePlaces, takeOther, look, told, throttles };
}

test('tells the pace of each request of others once', () => {
  const { pagePlaces, takeOther, look, told } = besideOthers(10);
  takeOther(3);
  pagePlaces.look(look());
  pagePlaces.look(look());
  takeOther(2);
  pagePlaces.look(look());

  expect(told).toEqual([3, 2]);
});

test('tells the pace of the throttles of others once, and of no wait that the export was told itself', () => {
  const { world, pagePlaces, look, throttles } = besideOthers(10);
  const lookAt = (blockedUntilMs: number) => pagePlaces.look({ ...look(), blockedUntilMs });
  lookAt(world.nowMs + 900);
  lookAt(world.nowMs + 900);
  expect(throttles).toHaveLength(1);
  pagePlaces.told(world.nowMs + 1_800);
  lookAt(world.nowMs + 1_800);
  expect(throttles).toHaveLength(1);
  lookAt(world.nowMs + 2_700);
  expect(throttles).toHaveLength(2);
});

test('a place is good for one page, and not for one that comes after its time', async () => {
  const { world, pagePlaces } = besideOthers(2);
  world.nowMs += 500;
  const dueAtMs = () => pagePlaces.dueAtMs(world.nowMs, world.nowMs);
  const needsOne = () => pagePlaces.takeAtMs(dueAtMs(), world.nowMs) !== undefined;
  expect(needsOne()).toBe(true);
  await pagePlaces.take(world.nowMs, world.nowMs);
  expect([needsOne(), dueAtMs()]).toEqual([false, world.nowMs]);
  pagePlaces.use();
  expect(needsOne()).toBe(true);

  world.nowMs += 500;
  await pagePlaces.take(world.nowMs, world.nowMs);
  expect(needsOne()).toBe(false);
  // A process that stood still: others may have gone on meanwhile.
  world.nowMs += 501;
  expect(needsOne()).toBe(true);
  expect(world.calls).toBe(2);
});

test('waits for the time of a place that lies ahead', async () => {
  const { world, pagePlaces, takeOther, look } = besideOthers(2);
  takeOther(30);
  pagePlaces.look(look());
  const behindAllMs = pagePlaces.dueAtMs(world.nowMs, world.nowMs);
  // After five seconds of yielding it takes a place behind them.
  world.nowMs += 5_000;
  await pagePlaces.take(world.nowMs, world.nowMs);

  expect(behindAllMs).toBe(1_000_000 + 31 * 500);
  expect(pagePlaces.takeAtMs(0, world.nowMs)).toBeUndefined();
  expect(pagePlaces.dueAtMs(world.nowMs, world.nowMs)).toBe(behindAllMs);

  // Then others go first again.
  world.nowMs = behindAllMs;
  pagePlaces.use();
  takeOther(30);
  pagePlaces.look(look());
  expect(pagePlaces.dueAtMs(world.nowMs, world.nowMs)).toBe(behindAllMs + 31 * 500);
});

test('what others spent before they were throttled is not told to the pace: some of it was refused', () => {
  const told: string[] = [];
  class ToldPace extends SetPace {
    override spentElsewhere(count = 0): void {
      told.push(`spent ${count}`);
    }

    override throttledElsewhere(): void {
      told.push('throttled');
    }
  }
  const look = (othersTaken: number, blockedUntilMs: number): GateLook => {
    const places = { ...NOTHING_TAKEN, othersTaken };
    return { atMs: 0, blockedUntilMs, haltedKeyVersions: [], places };
  };
  const gates = { read: async () => look(0, 0), changePlaces: async () => undefined };
  const pace = new ToldPace(10, 0);
  const places = new PagePlaces(
    { clock: { now: () => 0 }, gates },
    { connectionName: 'acme', pace, gate: look(0, 0) },
  );
  places.look(look(3, 0));
  places.look(look(8, 1_000));
  places.look(look(9, 1_000));
  expect(told).toEqual(['spent 3', 'throttled', 'spent 1']);
});

const NOTHING_TAKEN: Places = {
  ...{ fullAtMs: 0, windowFromMs: 0, windowUsed: 0, windowAsked: 0 },
  ...{ windowAskedBefore: 0, othersTaken: 0, othersAtMs: 0 },
};
