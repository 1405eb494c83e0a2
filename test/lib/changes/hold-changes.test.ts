import { expect, test } from '@jest/globals';
import { removedPercentOf } from '../../../lib/changes/hold-changes.ts';

test.each([
  [0, 0, 0],
  [3, 1, 33.33],
  [3, 2, 66.67],
  [7, 7, 100],
])('of %i records %i are gone: %d percent, as people read it', (before, removed, percent) => {
  expect(removedPercentOf({ before, removed })).toBe(percent);
});
