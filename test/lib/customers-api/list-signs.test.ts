import { expect, test } from '@jest/globals';
import type { ListEvidence } from '../../../lib/customers-api/list-evidence.ts';
import { signalsOf } from '../../../lib/customers-api/list-signs.ts';
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
