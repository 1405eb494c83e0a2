import { expect, test } from '@jest/globals';
import { OPERATIONS, writeOf } from './operations.ts';
import { CONNECTION, WriteWorld } from './write-world.ts';

const WRITES = ['w1', 'w2', 'w3'];
const WAIT_MS = 80_000_000;

/** Writes in a wait that a person ends after two hours. */
async function openedWorld() {
  const world = new WriteWorld({ settings: { operations: OPERATIONS } });
  world.gates.blockUntil(CONNECTION, world.clock.now() + WAIT_MS);
  void (async () => {
    for (const id of WRITES) await world.insist(() => world.accept(writeOf('create-keyed', id)));
  })();
  const atMs = world.clock.now() + 7_200_000;
  await world.runUntil(() => world.clock.now() >= atMs, false);
  expect(world.api.requests).toEqual([]);
  const opening = { id: 'o', atMs: world.clock.now(), by: 'ada', reason: 'Wrong.', untilMs: 0 };
  world.gates.open(CONNECTION, () => opening);
  return world;
}

test('writes that waited go on at once after a person opened the gate, each is sent once', async () => {
  const world = await openedWorld();
  const openedAtMs = world.clock.now();
  void world.wakeOpened();
  await world.runUntil(() => world.api.effects.length === WRITES.length, false);
  expect(world.clock.now() - openedAtMs).toBeLessThan(5_000);

  // The messages that were on their way come too, and so does a second call.
  void world.wakeOpened();
  await world.runUntil(() => false, false);
  expect(world.api.requests).toHaveLength(WRITES.length);
  for (const id of WRITES) expect(world.stateOf(id)).toMatchObject({ status: 'done' });
});

test('they go on within 15 minutes if nobody wakes them, a sweep at that moment or not', async () => {
  for (const isSwept of [false, true]) {
    const world = await openedWorld();
    const openedAtMs = world.clock.now();
    if (isSwept) void world.sweep();
    await world.runUntil(() => world.api.effects.length === WRITES.length, false);
    expect(world.clock.now() - openedAtMs).toBeLessThanOrEqual(905_000);
  }
});
