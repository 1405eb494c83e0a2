import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareShapes } from '../../../lib/schema/compare-shapes.ts';
import { SHAPE_LIMITS } from '../../../lib/schema/shape.ts';
import { anyRecord, describe } from './any-record.ts';

const compare = (before: readonly string[], after: readonly string[]) =>
  compareShapes(describe(...before).record, describe(...after).record);

test.each([
  [
    'a new member',
    ['{"id":1}'],
    ['{"id":1,"a.b":null}'],
    [{ path: "$['a.b']", change: 'new', after: { types: ['null'], always: true } }],
  ],
  [
    'a member that is gone, without those inside of it',
    ['{"id":1,"home":{"city":"Ulm"}}', '{"id":2}'],
    ['{"id":1}'],
    [{ path: '$.home', change: 'gone', before: { types: ['object'], always: false } }],
  ],
  [
    'another type',
    ['{"id":1}'],
    ['{"id":1}', '{"id":9007199254740993}'],
    [
      {
        path: '$.id',
        change: 'changed',
        before: { types: ['integer'], always: true },
        after: { types: ['integer', 'longInteger'], always: true },
      },
    ],
  ],
  [
    'a member that is not always there any more, in objects in a list',
    ['{"lines":[{"n":1},{"n":2}]}'],
    ['{"lines":[{"n":1},{}]}'],
    [
      {
        path: '$.lines[*].n',
        change: 'changed',
        before: { types: ['integer'], always: true },
        after: { types: ['integer'], always: false },
      },
    ],
  ],
  [
    'records of another kind',
    ['{"id":1}'],
    ['[1]'],
    [{ path: '$', change: 'changed', before: { types: ['object'] }, after: { types: ['array'] } }],
  ],
])('finds %s', (_, before, after, changes) => {
  expect(compare(before, after)).toEqual(changes);
});

test.each([
  ['lengths and counts', ['{"a":"x"}'], ['{"a":"xyz"}', '{"a":"2026-11-22"}']],
  ['a list without records', [], ['{"a":1}']],
  ['a list without records after others', ['{"a":1}'], []],
  ['arrays that were empty', ['{"a":[]}'], ['{"a":[1]}']],
])('says nothing of %s', (_, before, after) => {
  expect(compare(before, after)).toEqual([]);
});

test('calls no name new or gone where one of the two reports had too many of them', () => {
  const many = (prefix: string) => {
    const names = Array.from(
      { length: SHAPE_LIMITS.namesPerObject + 1 },
      (_, n) => `"${prefix}${n}":1`,
    );
    return `{${names.join(',')}}`;
  };
  expect(compare([many('a')], [many('b')])).toEqual([]);
  expect(compare(['{"zip":1}'], [many('a')]).some(({ change }) => change === 'gone')).toBe(false);
  expect(compare([many('a')], ['{"zip":1}']).some(({ change }) => change === 'new')).toBe(false);
});

test('finds nothing between equal records, and the reverse when asked the other way round', () => {
  const lists = fc.array(anyRecord, { maxLength: 4 });
  fc.assert(
    fc.property(lists, lists, (before, after) => {
      expect(compare(before, before)).toEqual([]);
      const reversed = compare(after, before).map(({ change, path, before: was, after: is }) => ({
        path,
        change: change === 'new' ? 'gone' : change === 'gone' ? 'new' : change,
        ...(is && { before: is }),
        ...(was && { after: was }),
      }));
      expect(new Set(reversed.map((each) => JSON.stringify(each, order)))).toEqual(
        new Set(compare(before, after).map((each) => JSON.stringify(each, order))),
      );
    }),
  );
});

const order = [
  'path',
  'change',
  'before',
  'after',
  'types',
  'always',
  ...Array.from({ length: 9 }, (_, n) => String(n)),
];
