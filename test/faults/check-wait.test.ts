import { expect, test } from '@jest/globals';
import { checkCopy, checkOver } from './checks.ts';
import { pageOf, tokenBucket } from './model-api.ts';
import { EXPORT_ID, isOver, startIn } from './run-export.ts';
import { World } from './world.ts';

test('asks for nothing before the end of a wait that came with the page of the organization check', async () => {
  const waitMs = 5_000;
  const limit = tokenBucket(0.1, 5);
  let isAsked = false;
  const world: World = new World({
    customers: 125,
    settings: { partMaxPages: 4 },
    behaviour: (request) => {
      if (request.keyVersion === 'v2' && !isAsked) {
        isAsked = true;
        return { ...pageOf(125, request.page, request.perPage), retryAfterSeconds: waitMs / 1000 };
      }
      return limit(request);
    },
  });
  await startIn(world);
  world.clock.at(world.clock.now() + 3_000, () => {
    world.keyVersion = 'v2';
  });
  await world.runUntil(() => isOver(world), false);

  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  const check = world.requests.find(({ keyVersion }) => keyVersion === 'v2');
  const { answeredAtMs = Number.NaN } = check ?? {};
  const next = world.requests.find(({ atMs }) => atMs > answeredAtMs);
  expect((next?.atMs ?? 0) - answeredAtMs).toBeGreaterThanOrEqual(waitMs);
});
