import { expect, test } from '@jest/globals';
import { linkRows } from '../../../../lib/customers-api/walks/link-rows.ts';
import { RowMarks } from '../../../../lib/customers-api/walks/row-marks.ts';
import { pageOf } from './moving-list.ts';

/** Rows by their ids; one with a star was edited. */
function marksOf(rows: string): RowMarks {
  const ids = rows.split(' ');
  const texts = ids.map((id) => `{"id":${Number.parseInt(id, 10)},"edited":${id.endsWith('*')}}`);
  return RowMarks.of(pageOf(texts, 1, {}, 'id'));
}

test.each([
  ['shares its first rows', '5 6 7 8', { shared: 2, unchanged: [0, 1], firstKnown: 4 }],
  ['begins before what is remembered', '80 81 1 2 3 4 5 6 7', { shared: 6, firstKnown: 0 }],
  ['has an edited row', '5* 6 7', { shared: 2, unchanged: [1], firstKnown: 4, afterShared: 2 }],
  ['has as many strangers between as it shares', '4 90 6 7', { shared: 2, afterShared: 3 }],
  ['has as many strangers in front as it shares', '90 91 5 6 7', { shared: 2, afterShared: 4 }],
  ['lacks as many of the known rows as it shares', '5 7 8', { shared: 1, afterShared: 1 }],
])('a page that %s is linked', (_, page, link) => {
  expect(linkRows(marksOf('1 2 3 4 5 6'), marksOf(page))).toMatchObject({
    isLinked: true,
    ...link,
  });
});

test.each([
  ['shares nothing', '7 8 9'],
  ['shares nothing but edited rows', '5* 6* 7'],
  ['has the rows in another order', '6 5 7 8'],
  ['has one of them twice', '5 5 6 7'],
  ['has more strangers between than it shares', '5 90 91 92 6 7'],
  ['has more strangers in front than it shares', '90 91 6 7'],
  ['lacks more of the known rows than it shares', '4 7 8'],
])('a page that %s is not linked', (_, page) => {
  expect(linkRows(marksOf('1 2 3 4 5 6'), marksOf(page)).isLinked).toBe(false);
});
