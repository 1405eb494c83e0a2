import { expect, test } from '@jest/globals';
import type { MetaKeys } from '../../../lib/customers-api/list-evidence.ts';
import { readEvidence } from '../../../lib/customers-api/read-evidence.ts';

test.each([
  [{ meta: { total_pages: 3, 'Total-Count': 7 } }, { totalPages: 3, total: 7 }],
  [
    { total: 0, hasMore: false },
    { total: 0, hasMore: false },
  ],
  // As deep as real APIs nest.
  [{ response: { data: { meta: { pagination: { total: 7 } } } } }, { total: 7 }],
  [{ customers: { total: 7 } }, {}],
  [{ meta: { next_page: null, prev_page: false } }, { nextPage: 'none', previousPage: 'none' }],
  [{ meta: { next_page: '', prev_page: true } }, { nextPage: 'none', previousPage: 'some' }],
  [{ meta: { next_page: 4, prev_page: 2 } }, { nextPage: 4, previousPage: 2 }],
  [{ links: { next: 'https://x/2.0/customers?per_page=9&page=4' } }, { nextPage: 4 }],
  [{ links: { next: { href: '/2.0/customers?page=4#top' } } }, { nextPage: 4 }],
  [{ links: { next: 'https://x/?cursor=abc' } }, { nextPage: 'some' }],
  // A link that does not say which page is next, beside the number that does.
  [{ meta: { next_page: 4 }, links: { next: '?cursor=abc' } }, { nextPage: 4 }],
  // Lists under a usual name are records and no evidence.
  [{ pages: [1, 2], total: [] }, {}],
])('%j says %j', (body, said) => {
  expect(readEvidence(body)).toEqual({ ...said, warnings: [] });
});

test.each([
  [{ meta: { total: -1 } }, ['meta.total is not usable as total']],
  [{ meta: { total: '7' } }, ['meta.total is not usable as total']],
  [{ meta: { total: 1.5 } }, ['meta.total is not usable as total']],
  [{ meta: { has_more: 'yes' } }, ['meta.has_more is not usable as hasMore']],
  // The page before page 1, or none?
  [{ meta: { prev_page: 0 } }, ['meta.prev_page is not usable as previousPage']],
  [{ total: 7, meta: { total: 8 } }, ['total and meta.total contradict each other as total']],
])('does not believe what %j says, and tells so', (body, warnings) => {
  expect(readEvidence(body)).toEqual({ warnings });
});

test.each<[MetaKeys, object]>([
  [{ total: 'meta.all' }, { total: 9, warnings: [] }],
  [{ total: false }, { warnings: [] }],
  [{ total: 'meta.al' }, { warnings: ['metaKeys.total names meta.al, which is not there'] }],
  [
    { total: 'meta.constructor' }, // which every object inherits
    { warnings: ['metaKeys.total names meta.constructor, which is not there'] },
  ],
  [{ total: 'meta.none' }, { warnings: ['meta.none is not usable as total'] }],
])('reads what %j names in place of what has a usual name', (metaKeys, evidence) => {
  expect(readEvidence({ meta: { total: 7, all: 9, none: null } }, metaKeys)).toEqual(evidence);
});
