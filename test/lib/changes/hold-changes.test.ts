import { expect, test } from '@jest/globals';
import { isTooMuchRemoved, removedPercentOf } from '../../../lib/changes/hold-changes.ts';

test.each([
  [0, 0, 0],
  [3, 1, 33.33],
  [3, 2, 66.67],
  [7, 7, 100],
])('of %i records %i are gone: %d percent, as people read it', (before, removed, percent) => {
  expect(removedPercentOf({ before, removed })).toBe(percent);
});

test.each([
  [10, 1, 10, false],
  [10, 2, 10, true],
  [1_000, 100, 10, false],
  [1_000, 101, 10, true],
  [10, 10, 99.9, true],
  [10, 10, 100, false],
  // Of fewer than ten any share is believed.
  [9, 9, 10, false],
])(
  'of %i records %i are gone, %d percent may be: a person decides: %s',
  (before, removed, max, isHeld) => {
    expect(isTooMuchRemoved({ before, removed }, max)).toBe(isHeld);
  },
);
