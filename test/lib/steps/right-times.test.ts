import { expect, test } from '@jest/globals';
import { withRightTimes } from '../../../lib/steps/right-times.ts';
import type { StepItem } from '../../../lib/steps/step-item.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const FAR_MS = NOW_MS + HOUR_MS + 1;
const ITEM: StepItem = {
  writeToken: 'own',
  wakeUpSent: true,
  updatedAtMs: NOW_MS + HOUR_MS,
  waitsSinceMs: NOW_MS + HOUR_MS,
  notBeforeMs: NOW_MS + 100 * HOUR_MS,
  lease: { owner: 'worker', untilMs: NOW_MS + HOUR_MS },
};
const LEASE = { owner: 'worker', untilMs: FAR_MS };

test('an item that a clock of an hour ahead may have written is left as it is', () => {
  expect(withRightTimes(ITEM, NOW_MS)).toBeUndefined();
});

test.each<[string, Partial<StepItem>, Partial<StepItem>]>([
  [
    'a lease lasts as long as an invocation may',
    { lease: LEASE },
    { lease: { owner: 'worker', untilMs: NOW_MS + 900_000 } },
  ],
  [
    'a wait lasts as long as it was to last',
    { waitsSinceMs: FAR_MS, notBeforeMs: FAR_MS + 7 },
    { waitsSinceMs: NOW_MS, notBeforeMs: NOW_MS + 7 },
  ],
  [
    'a wait that is over is over now',
    { waitsSinceMs: FAR_MS, notBeforeMs: 5 },
    { waitsSinceMs: NOW_MS, notBeforeMs: NOW_MS },
  ],
  ['the time of the write is now, and a wait from before it stays', { updatedAtMs: FAR_MS }, {}],
])('%s', (_, own, right) => {
  expect(withRightTimes({ ...ITEM, ...own }, NOW_MS)).toEqual({
    ...ITEM,
    ...own,
    updatedAtMs: NOW_MS,
    ...right,
  });
});

test('an item that never waited waits no longer', () => {
  const { waitsSinceMs: _never, lease: _none, ...item } = ITEM;
  const begun = { ...item, updatedAtMs: FAR_MS, notBeforeMs: 0 };

  expect(withRightTimes(begun, NOW_MS)).toMatchObject({ notBeforeMs: NOW_MS });
});
