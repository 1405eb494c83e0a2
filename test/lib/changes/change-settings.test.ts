import { expect, test } from '@jest/globals';
import { changeSettingsOf } from '../../../lib/changes/change-settings.ts';
import { isTooMuchRemoved } from '../../../lib/changes/hold-changes.ts';

test('tells no single record, and believes a tenth of removals, unless set otherwise', () => {
  expect(changeSettingsOf()).toEqual({ events: false, withRecord: false, maxRemovedPercent: 10 });
  expect(changeSettingsOf({ events: true, maxRemovedPercent: 2.5 })).toEqual({
    events: true,
    withRecord: false,
    maxRemovedPercent: 2.5,
  });
});

test.each([-1, 101, Number.NaN])(
  'refuses a limit of %s percent by its name',
  (maxRemovedPercent) => {
    expect(() => changeSettingsOf({ maxRemovedPercent })).toThrow(/^changes\.maxRemovedPercent: /);
  },
);

test.each([
  [100, 10, 10, false],
  [100, 11, 10, true],
  [1_000_000, 25_001, 2.5, true],
  [1_000_000, 25_000, 2.5, false],
  [9, 9, 10, false],
  [10, 10, 10, true],
  [10, 10, 100, false],
  [10, 1, 0, true],
  [10, 0, 0, false],
])('of %i records %i gone are too many for %d %%: %s', (before, removed, percent, expected) => {
  expect(isTooMuchRemoved({ before, removed }, percent)).toBe(expected);
});
