import { expect, test } from '@jest/globals';
import { amountOf } from '../../deep/depth.ts';
import { OPERATIONS, writeOf } from './operations.ts';
import { checkTimes } from './write-checks.ts';
import { WriteWorld } from './write-world.ts';

const WRITES = amountOf({ short: 300, deep: 30_000 });
const PER_SECOND = 50;

test(`sends ${WRITES.toLocaleString('en')} writes at 90 % of a limit of 50 a second or more, none early, none lost`, async () => {
  const world = new WriteWorld({
    settings: { operations: OPERATIONS, requestsPerSecond: PER_SECOND },
    // A bucket that forgives what the look at gate and key takes, and no more.
    api: { requestsPerSecond: PER_SECOND, burst: 5 },
    concurrency: 5,
    batchSize: 10,
  });
  const startedAtMs = world.clock.now();
  for (let index = 0; index < WRITES; index++) {
    world.queue.send({ kind: 'request', request: writeOf('create-keyed', `w${index}`) });
  }
  await world.runUntil(() => world.api.effects.length === WRITES, true, 200 * WRITES);
  const seconds = (world.clock.now() - startedAtMs) / 1000;
  expect(WRITES / seconds).toBeGreaterThan(0.9 * PER_SECOND);
  expect(new Set(world.api.effects.map(({ writeId }) => writeId)).size).toBe(WRITES);
  expect(world.api.requests).toHaveLength(WRITES);
  checkTimes(world);
}, 300_000);

test('shares the rate of a slow API without asking again and again', async () => {
  const writes = 60;
  const world = new WriteWorld({
    settings: { operations: OPERATIONS, requestsPerSecond: 0.5 },
    api: { requestsPerSecond: 0.5, burst: 2 },
    concurrency: 5,
    batchSize: 10,
  });
  const startedAtMs = world.clock.now();
  for (let index = 0; index < writes; index++) {
    world.queue.send({ kind: 'request', request: writeOf('create-keyed', `w${index}`) });
  }
  await world.runUntil(() => world.api.effects.length === writes);
  const seconds = (world.clock.now() - startedAtMs) / 1000;
  expect(writes / seconds).toBeGreaterThan(0.6 * 0.5);
  // Each hop is a message that is paid for.
  expect(world.queue.delays.length).toBeLessThan(10 * writes);
  expect(world.api.requests).toHaveLength(writes);
});
