import * as v from 'valibot';
import { createCustomersClient } from '../../lib/customers-api/client.ts';
import { parseRetryAfter } from '../../lib/customers-api/parse-retry-after.ts';
import { ApiKey } from '../../lib/key/api-key.ts';
import { redactorOf } from '../../lib/key/checked-redactor.ts';
import type { Door } from './walk-door.ts';

const KEY = 'a-key-of-a-test';
const PAGE = '{"customers":[{"id":1}],"meta":{"total_pages":1,"current_page":1}}';
const answer = async () =>
  new Response(PAGE, { status: 200, headers: { 'content-type': 'application/json' } });
const { signal } = new AbortController();
/** An instance of a class, as those of most libraries are: what is in it is the library's own. */
class OwnSchema {
  readonly '~standard' = v.looseObject({})['~standard'];
}
export const schema = new OwnSchema();

/** Names of members may be of any characters. */
export const TEXT = ['blank', 'control', 'long text', 'text'];
const LIST_TAKES = {
  firstPage: ['zero'],
  itemsKey: TEXT,
  metaKeys: ['empty object'],
  'metaKeys.totalPages': TEXT,
  'metaKeys.total': TEXT,
  'metaKeys.count': TEXT,
  'metaKeys.currentPage': TEXT,
  'metaKeys.perPage': TEXT,
  'metaKeys.nextPage': TEXT,
  'metaKeys.previousPage': TEXT,
  'metaKeys.hasMore': TEXT,
  idKey: TEXT,
};
const LIST_OPTIONS = {
  perPage: 2,
  firstPage: 1,
  itemsKey: 'customers',
  metaKeys: {
    totalPages: 'meta.total_pages',
    total: false,
    count: false,
    currentPage: 'meta.current_page',
    perPage: false,
    nextPage: false,
    previousPage: false,
    hasMore: false,
  },
  idKey: 'id',
};
const OPTIONS = {
  ...LIST_OPTIONS,
  baseUrl: 'https://api.example.com',
  key: KEY,
  header: 'API-KEY',
  deadlineMs: 1_000,
  maxBodyBytes: 100_000,
  authenticationStatuses: [401],
  fetch: answer,
  now: Date.now,
  random: Math.random,
};

const client = createCustomersClient({
  baseUrl: 'https://api.example.com',
  key: KEY,
  fetch: answer,
});
const redact = redactorOf([ApiKey.from(KEY)]);

export const CLIENT_DOORS: readonly Door[] = [
  {
    name: 'ApiKey.from',
    call: ApiKey.from,
    given: { key: KEY },
    needed: ['key'],
    takes: { key: ['text'] },
  },
  {
    name: 'createCustomersClient',
    types: { options: 'CustomersClientOptions' },
    call: createCustomersClient,
    given: { options: OPTIONS },
    needed: ['options', 'options.baseUrl', 'options.key'],
    takes: {
      ...inOptions(LIST_TAKES),
      'options.key': ['text'],
      'options.header': ['text'],
      'options.authenticationStatuses': ['empty list'],
      'options.fetch': ['function'],
      'options.now': ['function'],
      'options.random': ['function'],
    },
  },
  {
    name: 'parseRetryAfter',
    call: parseRetryAfter,
    given: { value: '5', at: { date: null, nowMs: 0 }, unitSeconds: 1 },
    needed: ['value', 'at', 'at.date', 'at.nowMs'],
    takes: {
      value: ['null', 'empty text', ...TEXT],
      'at.date': ['null', 'empty text', ...TEXT],
      'at.nowMs': ['zero', 'fraction'],
      unitSeconds: ['fraction'],
    },
  },
  {
    name: 'redactorOf',
    call: redactorOf,
    given: { keys: [ApiKey.from(KEY)] },
    needed: ['keys'],
    takes: { keys: ['empty list'] },
  },
  {
    name: 'redact',
    call: redact,
    given: { text: 'a line' },
    needed: ['text'],
    takes: { text: ['empty text', ...TEXT] },
  },
  ...listDoors('client', client, 'customers'),
  {
    name: 'client.list',
    types: { options: 'ListOptions' },
    call: client.list,
    given: { resource: 'invoices', query: { status: 'open' }, options: LIST_OPTIONS },
    needed: ['resource'],
    takes: {
      ...inOptions(LIST_TAKES),
      ...queryTakes('query', 'status'),
      resource: ['long text', 'text'],
      options: ['empty object'],
    },
  },
  ...listDoors('list', client.list('invoices'), 'records'),
  {
    name: 'client.read',
    types: { request: 'ReadRequest' },
    call: client.read,
    given: { request: { resource: 'customers/1', query: { a: 1 }, signal, schema } },
    needed: ['request', 'request.resource'],
    takes: { ...queryTakes('request.query', 'a'), 'request.resource': ['long text', 'text'] },
  },
  {
    name: 'client.write',
    types: { request: 'WriteRequest' },
    call: client.write,
    given: {
      request: {
        method: 'POST',
        resource: 'customers',
        body: undefined,
        bodyText: '{}',
        idempotencyKey: 'a',
        signal,
      },
    },
    needed: ['request', 'request.method', 'request.resource'],
    takes: { 'request.resource': ['long text', 'text'], 'request.idempotencyKey': ['text'] },
  },
];

/** Values of a query; names of parameters are the API's, so any is one. */
export function queryTakes(query: string, parameter: string) {
  const values = ['true', 'negative', 'fraction', 'zero', 'empty text', ...TEXT];
  return {
    [query]: ['empty object'],
    [`${query}.${parameter}`]: values,
    [`${query}.unknownMember`]: ['added'],
    [`${query}.constructor`]: ['added'],
    [`${query}.__proto__`]: ['added'],
  };
}

function inOptions(takes: Readonly<Record<string, readonly string[]>>) {
  const named = Object.entries(takes).map(([place, labels]) => [`options.${place}`, labels]);
  return Object.fromEntries(named);
}

function listDoors(name: string, list: object, records: string): readonly Door[] {
  const loop = {
    resume: undefined,
    walk: 'fast',
    maxPasses: 2,
    order: 'fixed',
    onEnd: () => undefined,
    maxWaitSeconds: 0,
    signal,
    schema,
  };
  const takes = {
    options: ['empty object'],
    'options.maxPasses': ['fraction'],
    'options.onEnd': ['function'],
    'options.maxWaitSeconds': ['fraction', 'huge', 'zero'],
  };
  return [
    {
      name: `${name}.listPage`,
      types: { options: 'PageOptions' },
      call: Reflect.get(list, 'listPage'),
      given: { page: 1, options: { perPage: 2, idKey: 'id', signal, schema } },
      needed: ['page'],
      takes: { page: ['zero'], options: ['empty object'], 'options.idKey': TEXT },
    },
    ...['pages', records].map((method) => ({
      name: `${name}.${method}`,
      types: { options: 'LoopOptions' },
      call: Reflect.get(list, method),
      given: { options: loop },
      takes,
    })),
  ];
}

/** What is given back and called: each of its methods is a door. */
export const CLIENT_OBJECTS = { client, list: client.list('invoices') };
