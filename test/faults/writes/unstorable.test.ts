import { expect, test } from '@jest/globals';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { OPERATIONS, writeOf } from './operations.ts';
import { WriteWorld } from './write-world.ts';

async function worldWith(
  isUnstorable: (state: WriteState) => boolean,
  body: Readonly<Record<string, unknown>>,
): Promise<WriteWorld> {
  const world = new WriteWorld({ settings: { operations: OPERATIONS } });
  const asked = writeOf('create-bare', 'w');
  world.ledger.isUnstorable = isUnstorable;
  const bodyText = JSON.stringify({ reference: 'w', ...body });
  void world.insist(() => world.accept({ ...asked, bodyText }));
  await world.runUntil(() => false, false);
  void world.sweep();
  await world.runUntil(() => false, false);
  return world;
}

test('a refused write whose reason the ledger never takes ends refused, not unclear', async () => {
  const world = await worldWith(
    ({ reason }) => reason !== undefined && reason.message !== 'Too large.',
    { bad: true },
  );

  expect(world.stateOf('w')).toMatchObject({
    status: 'refused',
    closed: true,
    reason: { code: 'refused', message: 'Too large.', status: 422 },
  });
  expect(world.events).toMatchObject([{ kind: 'refused', reasonCode: 'refused' }]);
  expect(world.api.requests).toHaveLength(1);
});

test('a write that took effect ends done, without the answer that the ledger never takes', async () => {
  const world = await worldWith(({ answer }) => answer?.bodyText !== undefined, {});

  const state = world.stateOf('w');
  expect(state).toMatchObject({ status: 'done', closed: true, settledBy: 'answer' });
  expect(state?.answer).not.toHaveProperty('bodyText');
  expect(world.events).toMatchObject([{ kind: 'done' }]);
  expect(world.api.effects).toHaveLength(1);
});
