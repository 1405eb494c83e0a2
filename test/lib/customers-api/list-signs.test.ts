import { expect, test } from '@jest/globals';
import type { ListEvidence } from '../../../lib/customers-api/list-evidence.ts';
import {
  hasPageBefore,
  lastPageHint,
  signalsOf,
  withSigns,
} from '../../../lib/customers-api/list-signs.ts';
import { startWalk } from '../../../lib/customers-api/list-walk.ts';
import { pageOf } from './walks/moving-list.ts';

const RECORDS = ['{"id":1}', '{"id":2}'];
type Evidence = Omit<ListEvidence, 'warnings'>;

test.each<[string, number, number, Evidence, readonly string[], readonly string[]]>([
  ['the page itself as the next one', 2, 4, { nextPage: 2 }, [], []],
  ['a page before it as the next one', 2, 4, { nextPage: 1 }, [], []],
  ['a page behind it as the next one', 2, 4, { nextPage: 3 }, [], ['no-next-page']],
  ['a total below what was received', 2, 4, { total: 3 }, [], []],
  ['a total that was received', 2, 4, { total: 4 }, ['total'], []],
  ['a total that was not received', 2, 4, { total: 5 }, [], ['total']],
  ['its own length as the total of a first page', 1, 2, { total: 2 }, [], []],
  [
    'its own length as the total, and that nothing follows',
    ...([1, 2, { total: 2, hasMore: false }, ['no-more', 'total'], []] as const),
  ],
])('takes from a page that names %s what it says', (_title, number, records, evidence, ...said) => {
  const page = pageOf(RECORDS, number, evidence);
  const { last, more } = signalsOf({ ...startWalk(1), records }, page);
  expect([last, more]).toEqual(said);
});

test('counts pages from the first one on, whatever its number', () => {
  const page = pageOf(RECORDS, 1, { totalPages: 2, total: 4 });
  const walk = { ...startWalk(0), records: 4 };

  expect(signalsOf(walk, page)).toEqual({ last: ['total-pages', 'total'], more: [] });
});

test.each<[Evidence['previousPage'], boolean]>([
  [undefined, false],
  ['none', false],
  ['some', true],
  [1, true],
  [2, false],
])('of page 2 that names %s as the page before there is one: %s', (previousPage, isThere) => {
  const evidence = previousPage === undefined ? {} : { previousPage };
  expect(hasPageBefore(pageOf(RECORDS, 2, evidence))).toBe(isThere);
});

test('a sign that was missing once is not always there, however often it comes again', () => {
  const page = pageOf(RECORDS, 1);
  const first = withSigns(startWalk(1), page, ['no-next-page', 'no-more']);
  const second = withSigns(first, page, ['no-more']);

  expect(first.alwaysMore).toEqual(['no-next-page', 'no-more']);
  expect(withSigns(second, page, ['no-next-page', 'no-more']).alwaysMore).toEqual(['no-more']);
});

test.each([
  ['the number of pages', { lastTotalPages: 3, lastTotal: 99 }, 3],
  ['the total, which a part of a page may reach', { lastTotal: 5 }, 3],
  ['a total that full pages reach', { lastTotal: 4 }, 2],
  ['nothing', {}, undefined],
])('guesses the last page by %s', (_, said, last) => {
  const walk = { ...startWalk(1), largestPageRecords: 2, ...said };

  expect(lastPageHint(walk)).toBe(last);
  expect(lastPageHint({ ...walk, firstPage: 0 })).toBe(last && last - 1);
});

test.each<[Evidence, boolean]>([
  [{ total: 2, totalPages: 1 }, true],
  [{ total: 2 }, false],
  [{ total: 2, totalPages: 2 }, false],
  [{ total: 3, totalPages: 1 }, false],
  [{ totalPages: 1 }, false],
])('a page reaches both counts or none: %j', (evidence, isReached) => {
  const walk = { ...startWalk(1), records: 2 };

  expect(withSigns(walk, pageOf(RECORDS, 1, evidence), []).countsReached).toBe(isReached);
});
