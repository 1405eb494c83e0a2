import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import { PagePlaces, type PlacePorts } from '../../../lib/exports/page-places.ts';
import type { GateLook } from '../../../lib/gate/ports.ts';
import { changedPlaces, decidePlaces, type Places } from '../../../lib/pace/places.ts';
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
    clock: { now: () => nowMs, sleep: async () => {} },
    random: { fraction: random, token: () => 'token' },
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
