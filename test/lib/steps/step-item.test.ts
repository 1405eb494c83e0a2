import { expect, test } from '@jest/globals';
import {
  atRest,
  isHeld,
  released,
  type StepItem,
  underLease,
} from '../../../lib/steps/step-item.ts';

const ITEM: StepItem = { writeToken: 'own', notBeforeMs: 5, updatedAtMs: 5, wakeUpSent: false };
const LEASE = { owner: 'worker', untilMs: 1_000 };

test('a worker has an item until its lease ends, and not at that time itself', () => {
  const held = underLease(ITEM, LEASE, 10);

  expect([isHeld(held, 999), isHeld(held, 1_000), isHeld(ITEM, 0)]).toEqual([true, false, false]);
});

test('an item without work keeps no lease, and says since when it waits', () => {
  const held = underLease(ITEM, LEASE, 10);

  expect(released(held, 70, 20)).toEqual({
    ...ITEM,
    notBeforeMs: 70,
    waitsSinceMs: 20,
    updatedAtMs: 20,
  });
  expect(atRest(held, 20)).toEqual({ ...ITEM, updatedAtMs: 20, wakeUpSent: true });
});
