import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { matchEntries } from '../../../lib/changes/match-entries.ts';

type Entry = readonly [id: number, text: number];

/** Records before have the numbers from 0 on, those now follow. */
function wantedOf(before: readonly Entry[], now: readonly Entry[]): readonly number[] {
  const wordsOf = (entries: readonly Entry[], first: number) =>
    Uint32Array.from(
      entries.flatMap(([id, text], index) => [
        2 * id + 1,
        id >>> 3,
        text % 8,
        text >>> 3,
        first + index,
      ]),
    );
  const wanted = new Set<number>();
  matchEntries(wordsOf(before, 0), wordsOf(now, before.length), (record) => wanted.add(record));
  return [...wanted].sort((one, other) => one - other);
}

test.each<[string, readonly Entry[], readonly Entry[], readonly number[]]>([
  [
    'equal ones',
    [
      [1, 1],
      [2, 2],
    ],
    [
      [2, 2],
      [1, 1],
    ],
    [],
  ],
  [
    'an added one',
    [[1, 1]],
    [
      [1, 1],
      [2, 2],
    ],
    [2],
  ],
  [
    'a removed one',
    [
      [1, 1],
      [2, 2],
    ],
    [[1, 1]],
    [1],
  ],
  [
    'a changed one',
    [
      [1, 1],
      [2, 2],
    ],
    [
      [1, 9],
      [2, 2],
    ],
    [0, 2],
  ],
  ['one whose text has another second half of its hash', [[1, 1]], [[1, 9]], [0, 1]],
  [
    'two before with one hash',
    [
      [1, 1],
      [1, 2],
      [2, 2],
    ],
    [
      [1, 1],
      [2, 2],
    ],
    [0, 1, 3],
  ],
  [
    'two now with one hash',
    [
      [1, 1],
      [2, 2],
    ],
    [
      [1, 1],
      [1, 2],
      [2, 2],
    ],
    [0, 2, 3],
  ],
  [
    'three of each with one hash',
    [
      [1, 1],
      [1, 2],
      [1, 3],
    ],
    [
      [1, 1],
      [1, 2],
      [1, 3],
    ],
    [0, 1, 2, 3, 4, 5],
  ],
  ['none', [], [], []],
])('of %s wants those that may differ', (_, before, now, wanted) => {
  expect(wantedOf(before, now)).toEqual(wanted);
});

test('leaves out those alone whose id is there once on both sides, with the same text', () => {
  const entries = fc.array(fc.tuple(fc.nat(40), fc.nat(1)), { maxLength: 60 });
  fc.assert(
    fc.property(entries, entries, (before, now) => {
      const countOf = (list: readonly Entry[], id: number) =>
        list.filter(([each]) => each === id).length;
      const isSame = ([id, text]: Entry) =>
        countOf(before, id) === 1 &&
        countOf(now, id) === 1 &&
        [...before, ...now].every(([each, other]) => each !== id || other === text);
      const expected = [...before, ...now].flatMap((entry, number) =>
        isSame(entry) ? [] : [number],
      );
      expect(wantedOf(before, now)).toEqual(expected);
    }),
  );
});
