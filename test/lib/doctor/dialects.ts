import {
  META_DIALECTS,
  type MetaDialect,
  pageJson,
} from '../../../infra/simulator/meta-dialects.ts';
import {
  ModelList,
  type ModelOptions,
  type PageFacts,
  risingRecord,
  scattered,
} from './model-list.ts';

/** A way in which an API shows a list, and whether it can be exported at all. */
export interface Dialect {
  readonly name: string;
  readonly options: ModelOptions;
  /** `false`: no setting helps, and the doctor says so. @default true */
  readonly isExportable?: boolean;
  /** A list of one page shows too little of it: no setting helps there. @default false */
  readonly needsPages?: boolean;
}

const RECORDS = '"@records"';

/** The bodies of the simulator. */
function simulated(meta: MetaDialect, firstPage: 0 | 1 = 1): ModelOptions['body'] {
  return (records, { urlOf, page, perPage, total, count }) =>
    pageJson(meta, { resource: 'customers', page, perPage, firstPage, total, count, urlOf }, [
      records.slice(1, -1),
    ]);
}

/** @param envelope With `@records` where the array of records goes. */
function enveloped(envelope: (facts: PageFacts) => unknown): ModelOptions['body'] {
  return (records, facts) => JSON.stringify(envelope(facts)).replace(RECORDS, () => records);
}

const SIMULATOR: readonly Dialect[] = META_DIALECTS.map((meta) => ({
  name: `simulator: ${meta}`,
  options: { body: simulated(meta) },
}));

const rails = simulated('rails');

const RULES: readonly Dialect[] = [
  { name: 'pages counted from 0 (rails)', options: { body: simulated('rails', 0), firstPage: 0 } },
  {
    name: 'pages counted from 0 (laravel)',
    options: { body: simulated('laravel', 0), firstPage: 0 },
  },
  { name: 'pages counted from 0 (none)', options: { body: simulated('none', 0), firstPage: 0 } },
  { name: 'page 0 refused', options: { body: rails, pageZero: 422 } },
  { name: 'page 0 empty', options: { body: simulated('none'), pageZero: 'empty' } },
  { name: 'page 0 is everything', options: { body: simulated('none'), pageZero: 'all' } },
  { name: 'largest page 50', options: { body: rails, maxPerPage: 50 } },
  { name: 'largest page 1,000', options: { body: rails, maxPerPage: 1_000, total: 3_500 } },
  { name: 'more than 250 refused', options: { body: rails, maxPerPage: 250, sizes: 'refuse' } },
  { name: 'more than 50 refused', options: { body: rails, maxPerPage: 50, sizes: 'refuse' } },
  { name: 'pages of 25, always', options: { body: rails, sizes: 'fixed' } },
  { name: 'sizes 10, 25, 50, 100', options: { body: rails, sizes: 'listed' } },
  { name: 'other sizes refused', options: { body: rails, sizes: 'refuse-unlisted' } },
  { name: '404 behind the end', options: { body: simulated('none'), pastEnd: 404 } },
  { name: 'last page again behind the end', options: { body: rails, pastEnd: 'last' } },
  { name: 'first page again behind the end', options: { body: rails, pastEnd: 'first' } },
  {
    name: 'newest first',
    options: { body: rails, record: (at, total) => risingRecord(total - 1 - at) },
  },
  {
    name: 'by last edit',
    options: {
      body: rails,
      record: (at, total) => dated(scattered(at, total), 'updated_at', total - at),
    },
  },
  {
    name: 'by creation',
    options: { body: rails, record: (at, total) => dated(scattered(at, total), 'created_at', at) },
  },
  {
    name: 'in an order that nothing shows',
    options: { body: rails, record: (at, total) => risingRecord(scattered(at, total)) },
  },
];

/** As the documentation of the product shows a list, with `page` and `per_page` where it has other names. */
const PRODUCTS: readonly Dialect[] = [
  {
    name: 'Spree',
    options: {
      body: simulated('spree'),
      record: (at) => `{"id":"${at + 1}","type":"customer","attributes":{}}`,
    },
  },
  {
    name: 'Spring Data, lexoffice',
    options: {
      firstPage: 0,
      sizes: 'fixed',
      body: enveloped(({ page, pages, total, count, perPage, hasMore }) => ({
        content: '@records',
        ...{ first: page === 0, last: !hasMore, totalPages: pages, totalElements: total },
        ...{ numberOfElements: count, size: perPage, number: page },
      })),
    },
  },
  {
    name: 'Django REST framework',
    options: {
      sizes: 'fixed',
      pastEnd: 404,
      pageZero: 404,
      body: enveloped(({ page, hasMore, total, urlOf }) => ({
        count: total,
        next: hasMore ? urlOf(page + 1) : null,
        previous: page > 1 ? urlOf(page - 1) : null,
        results: '@records',
      })),
    },
  },
  {
    name: 'WordPress',
    options: {
      body: (records) => records,
      sizes: 'refuse',
      pastEnd: 400,
      pageZero: 400,
      headers: ({ total, pages }) => ({ 'X-WP-Total': `${total}`, 'X-WP-TotalPages': `${pages}` }),
    },
  },
  { name: 'GitHub, GitLab', options: { body: (records) => records } },
  {
    name: 'Harvest',
    options: {
      maxPerPage: 2_000,
      total: 3_500,
      body: enveloped(({ page, pages, total, perPage, hasMore }) => ({
        clients: '@records',
        ...{ per_page: perPage, total_pages: pages, total_entries: total },
        next_page: hasMore ? page + 1 : null,
        previous_page: page > 1 ? page - 1 : null,
        page,
      })),
    },
  },
  {
    name: 'Zendesk',
    options: {
      body: enveloped(({ page, hasMore, total, urlOf }) => ({
        users: '@records',
        next_page: hasMore ? urlOf(page + 1) : null,
        previous_page: page > 1 ? urlOf(page - 1) : null,
        count: total,
      })),
    },
  },
  {
    name: 'Magento',
    // Its last page comes again, and a total that is the page's own count may be just that.
    needsPages: true,
    options: {
      pastEnd: 'last',
      maxPerPage: 300,
      body: enveloped(({ page, perPage, total }) => ({
        items: '@records',
        search_criteria: { filter_groups: [], page_size: perPage, current_page: page },
        total_count: total,
      })),
    },
  },
  {
    name: 'Chargebee-like envelopes',
    options: {
      body: enveloped(({ total, pages, page }) => ({
        response: { customers: { customer: '@records' }, paging: { total, pages, page } },
      })),
    },
  },
  {
    name: 'unusual names',
    options: {
      record: (at) => `{"kundennr":"K-${1_000 + at}","name":"Kunde ${at % 7}"}`,
      body: enveloped(({ total, pages, page }) => ({
        kunden: '@records',
        seiten: { anzahl: pages, aktuelle: page, gesamt: total },
      })),
    },
  },
  {
    name: 'two arrays',
    options: {
      body: enveloped(({ total }) => ({
        people: '@records',
        groups: [{ id: 1 }, { id: 2 }],
        meta: { total },
      })),
    },
  },
  {
    name: 'next link on every page, total alone',
    options: {
      body: enveloped(({ page, total, urlOf }) => ({
        customers: '@records',
        meta: { total, next: urlOf(page + 1) },
      })),
    },
  },
  {
    name: 'has_more that is always true',
    options: { body: enveloped(() => ({ customers: '@records', has_more: true })) },
  },
  {
    name: 'has_more that is always false',
    options: { body: enveloped(() => ({ customers: '@records', has_more: false })) },
  },
  {
    name: 'total of the page alone',
    options: {
      body: enveloped(({ count }) => ({ customers: '@records', meta: { total: count } })),
    },
  },
  {
    name: 'page that is no page number',
    options: {
      body: enveloped(({ total }) => ({ customers: '@records', meta: { total, page: 1 } })),
    },
  },
  {
    name: 'previous link on every page',
    options: {
      body: enveloped(({ page, total, urlOf }) => ({
        customers: '@records',
        meta: { total, prev: urlOf(page - 1) },
      })),
    },
  },
  {
    name: 'counts as text',
    options: {
      body: enveloped(({ total, pages }) => ({
        customers: '@records',
        meta: { total: `${total}`, total_pages: `${pages}` },
      })),
    },
  },
  {
    name: 'Stripe, cursors',
    isExportable: false,
    options: {
      knows: 'per_page',
      body: enveloped(() => ({
        object: 'list',
        data: '@records',
        has_more: true,
        url: '/customers',
      })),
    },
  },
  {
    name: 'JSON:API page[number]',
    isExportable: false,
    options: {
      knows: 'nothing',
      body: enveloped(() => ({
        data: '@records',
        links: {
          next: 'https://api.example.com/2.0/customers?page%5Bnumber%5D=2&page%5Bsize%5D=25',
        },
      })),
    },
  },
];

export const DIALECTS: readonly Dialect[] = [...SIMULATOR, ...RULES, ...PRODUCTS];

export function modelOf({ options }: Dialect, total?: number): ModelList {
  return new ModelList(total === undefined ? options : { ...options, total });
}

function dated(id: number, member: string, minutes: number): string {
  const time = new Date(1_700_000_000_000 + minutes * 60_000).toISOString();
  return risingRecord(id).replace('}', `,"${member}":"${time}"}`);
}
