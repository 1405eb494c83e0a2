import { expect, test } from '@jest/globals';
import {
  META_DIALECTS,
  type MetaDialect,
  pageJson,
} from '../../../infra/simulator/meta-dialects.ts';

function facts(page: number, total = 5) {
  return {
    resource: 'customers',
    page,
    perPage: 2,
    firstPage: 1,
    total,
    count: Math.max(0, Math.min(2, total - (page - 1) * 2)),
    urlOf: (other: number) => `https://api/2.0/customers?page=${other}&per_page=2`,
  };
}

const RECORDS = ['{"id":9007199254740993,"balance":1.10}', '{"id":1e2}'];
const url = (page: number) => facts(1).urlOf(page);
const rails2 = { current_page: 2, next_page: 3, prev_page: 1, total_pages: 3, total_count: 5 };
const laravel2 = { current_page: 2, from: 3, to: 4, last_page: 3, per_page: 2, total: 5 };

const SECOND_OF_THREE: readonly [MetaDialect, string, unknown][] = [
  ['rails', 'customers', { meta: rails2 }],
  [
    'laravel',
    'data',
    {
      links: { first: url(1), prev: url(1), next: url(3), last: url(3) },
      meta: { ...laravel2, path: 'https://api/2.0/customers' },
    },
  ],
  [
    'laravel-flat',
    'data',
    {
      ...laravel2,
      first_page_url: url(1),
      prev_page_url: url(1),
      next_page_url: url(3),
      last_page_url: url(3),
    },
  ],
  [
    'nested',
    'customers',
    { meta: { pagination: { page: 2, per_page: 2, pages: 3, total: 5, has_more: true } } },
  ],
  ['has-more', 'customers', { meta: { page: 2, has_more: true } }],
  ['total-only', 'customers', { meta: { total: 5 } }],
  ['pages-only', 'customers', { meta: { pages: 3 } }],
  [
    'links',
    'customers',
    { meta: { links: { first: url(1), prev: url(1), next: url(3), last: url(3) } } },
  ],
  [
    'spree',
    'data',
    {
      meta: { count: 2, total_count: 5, total_pages: 3 },
      links: { first: url(1), prev: url(1), next: url(3), last: url(3) },
    },
  ],
  ['count-page', 'customers', { meta: { count: 2 } }],
  ['count-all', 'customers', { meta: { count: 5 } }],
  ['data-key', 'data', { meta: rails2 }],
  ['none', 'customers', {}],
];

test.each(SECOND_OF_THREE)(
  '%s has its records under %s and its own counts',
  (dialect, key, rest) => {
    const json = pageJson(dialect, facts(2), RECORDS);

    expect(JSON.parse(json)).toEqual({ [key]: JSON.parse(`[${RECORDS}]`), ...Object(rest) });
    expect(json).toContain(`[${RECORDS.join(',')}]`);
  },
);

test('bare is an array without anything around it', () => {
  expect(pageJson('bare', facts(2), RECORDS)).toBe(`[${RECORDS.join(',')}]`);
});

test('every dialect is in the table of this test', () => {
  expect([...SECOND_OF_THREE.map(([dialect]) => dialect), 'bare'].sort()).toEqual(
    [...META_DIALECTS].sort(),
  );
});

test.each<[MetaDialect, unknown]>([
  ['rails', { current_page: 3, next_page: null, prev_page: 2, total_pages: 3, total_count: 5 }],
  ['has-more', { page: 3, has_more: false }],
  ['links', { links: { first: url(1), prev: url(2), last: url(3) } }],
])('%s says on the last page that there is no next one', (dialect, meta) => {
  expect(JSON.parse(pageJson(dialect, facts(3), ['{}'])).meta).toEqual(meta);
});

test('spree links to a next page on the last page and past it', () => {
  for (const page of [3, 4]) {
    const body = JSON.parse(pageJson('spree', facts(page), []));
    expect(body.links.next).toBe(url(page + 1));
  }
});

test.each<[MetaDialect, unknown]>([
  ['rails', { current_page: 1, next_page: null, prev_page: null, total_pages: 0, total_count: 0 }],
  ['nested', { pagination: { page: 1, per_page: 2, pages: 0, total: 0, has_more: false } }],
])('%s counts nothing for an empty list', (dialect, meta) => {
  expect(JSON.parse(pageJson(dialect, facts(1, 0), []))).toEqual({ customers: [], meta });
});
