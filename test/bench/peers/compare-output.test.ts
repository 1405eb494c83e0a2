import { expect, test } from '@jest/globals';
import { compareRecords } from './compare-output.ts';

const record = (n: number, id = `900719925474099${n}`, balance = '12.50') =>
  `{"id":${id},"number":"C-00000${n}","balance":${balance}}`;
const truth = [record(1), record(2), record(3)];
const right = { records: 3, lost: 0, doubled: 0, wrongIds: 0, changedBytes: 0 };

test.each([
  ['as they are', truth, right],
  ['in another order', truth.toReversed(), right],
  ['with one lost', truth.slice(1), { ...right, records: 2, lost: 1 }],
  ['with one doubled', [...truth, record(2)], { ...right, records: 4, doubled: 1 }],
  [
    'with one lost and one doubled',
    [record(1), record(1), record(3)],
    { ...right, lost: 1, doubled: 1 },
  ],
  [
    'with one that the API does not have',
    [...truth, record(4)],
    { ...right, records: 4, doubled: 1 },
  ],
  [
    'with an id that lost its digits',
    [record(1, '9007199254740990'), record(2), record(3)],
    { ...right, wrongIds: 1, changedBytes: 1 },
  ],
  [
    'with a number printed anew',
    [record(1, undefined, '12.5'), record(2), record(3)],
    { ...right, changedBytes: 1 },
  ],
  ['with none', [], { ...right, records: 0, lost: 3 }],
])('tells of records %s what became of them', (_, records, expected) => {
  expect(compareRecords(records, truth)).toEqual(expected);
});
