import { expect, test } from '@jest/globals';
import { cancelled, isLeaving, leftBehind } from '../../../lib/exports/cancelled.ts';
import type { Cancellation } from '../../../lib/exports/export-state.ts';
import { START_MS, stateOf } from './state-of.ts';

const NOW_MS = START_MS + 1_000;
const AT_WORK = { lease: { owner: 'a', untilMs: NOW_MS + 1 } };
const GONE = { lease: { owner: 'a', untilMs: NOW_MS } };
const by = (parts: Cancellation['parts']) =>
  ({ by: 'ada', reason: 'Wanted.', parts, atMs: NOW_MS }) as const;

test.each([
  ['keeps the lease of the worker that is at it', AT_WORK, AT_WORK.lease],
  ['has no lease of a worker that is gone', GONE, undefined],
  ['has no lease where nobody is at it', {}, undefined],
])('an export that is cancelled %s, and needs no wake-up', (_, own, lease) => {
  const ended = cancelled(stateOf({ ...own, step: 4, wakeUpSent: false }), by('keep'));

  expect(ended.lease).toEqual(lease);
  expect(ended).toMatchObject({ status: 'cancelled', step: 5, wakeUpSent: true });
});

test.each([
  ['while its worker is at it', AT_WORK, 'keep', true],
  ['until its parts are removed', {}, 'remove', true],
  ['no longer where its parts are kept', {}, 'keep', false],
  ['no longer than the lease of a worker that is gone', GONE, 'keep', false],
] as const)('a cancelled export stays at the head of the line %s', (_, own, parts, isThere) => {
  const ended = { ...cancelled(stateOf(), by(parts)), ...own };

  expect(isLeaving(ended, NOW_MS)).toBe(isThere);
  expect(isLeaving(leftBehind(ended, NOW_MS), NOW_MS)).toBe(false);
});

test('one that is left has no lease, and none of the parts that were to be removed', () => {
  const parts = { count: 3, lastToken: 'c', storedBytes: 9 };
  const leftWith = (fate: Cancellation['parts']) =>
    leftBehind(cancelled(stateOf({ ...AT_WORK, parts }), by(fate)), NOW_MS + 5);

  expect(leftWith('keep')).toMatchObject({ parts, cancellation: by('keep') });
  expect(leftWith('keep').lease).toBeUndefined();
  expect(leftWith('remove')).toMatchObject({
    parts: { count: 0, storedBytes: 0 },
    cancellation: { removedAtMs: NOW_MS + 5 },
  });
});
