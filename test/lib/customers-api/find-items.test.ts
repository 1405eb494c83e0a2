import { expect, test } from '@jest/globals';
import { findItems } from '../../../lib/customers-api/find-items.ts';
import { scanJson } from '../../../lib/json/scan-json.ts';

function find(json: string, resource: string, itemsKey?: string) {
  const bytes = Buffer.from(json);
  const lists = scanJson(bytes);
  if (lists === undefined || lists === 'too-deep') throw new Error(`${json} is not JSON.`);
  return findItems({ bytes, lists }, { start: 0, end: bytes.length }, resource, itemsKey);
}

/** What was found, as JSON: the items and, if there is one, the `meta` block. */
function found(body: unknown, itemsKey?: string, resource = 'customers'): unknown {
  const json = JSON.stringify(body);
  const result = find(json, resource, itemsKey);
  if (result.kind !== 'found') return result.kind;
  const { items, meta } = result;
  const jsonIn = ({ start, end }: typeof items): unknown => JSON.parse(json.slice(start, end));
  return meta === undefined ? [jsonIn(items)] : [jsonIn(items), jsonIn(meta)];
}

const A = [{ id: 1 }];
const B = [{ id: 2 }];

test.each([
  ['a list as the whole body', A, [A]],
  ["the resource's name before a usual one", { data: B, customers: A }, [A]],
  ['a usual name before any other', { data: A, teams: B }, [A]],
  ['the only list of objects', { people: A, tags: ['x'], included: B, meta: {} }, [A, {}]],
  ['an empty list beside meta', { people: [], meta: { total: 0 } }, [[], { total: 0 }]],
  ['no empty list without meta', { people: [] }, 'missing'],
  ['an empty list of OData', { '@odata.context': 'x', value: [] }, [[]]],
  ['an empty list of Mongoose', { docs: [], totalDocs: 0 }, [[]]],
  ['an empty list of API Platform', { '@id': 'x', 'hydra:member': [] }, [[]]],
  [
    'an empty list of API Platform, and not how it is searched',
    { 'hydra:member': [], 'hydra:search': { 'hydra:mapping': A } },
    [[]],
  ],
  ['no list among links', { _links: { curies: A } }, 'missing'],
  ['a usual name before those', { docs: B, items: A }, [A]],
  ['a list one level deeper before those', { value: [], data: { customers: A } }, [A]],
  ['no list of texts under those', { docs: ['x'], data: { customers: A } }, [A]],
  ['no empty list of those beside the resource', { customers: {}, value: [] }, 'missing'],
  ['no list where the resource is something else', { customers: {}, data: A }, 'missing'],
  ['two lists with no usual name', { people: A, teams: B }, 'ambiguous'],
  ['one level deeper', { data: { customers: A } }, [A]],
  [
    'the inner meta first',
    { data: { customers: A, meta: { n: 1 } }, meta: { n: 2 } },
    [A, { n: 1 }],
  ],
  ['the outer meta else', { data: { customers: A }, meta: { n: 2 } }, [A, { n: 2 }]],
  ['no list inside meta', { meta: { data: A } }, 'missing'],
  ['two lists one level deeper', { one: { data: A }, two: { data: B } }, 'ambiguous'],
  ['no list in a text', 'customers', 'missing'],
])('finds %s', (_title, body, expected) => {
  expect(found(body)).toEqual(expected);
});

test.each([undefined, '_embedded.customers'])(
  'a page of HAL with no more than links and counts has no records (itemsKey %s)',
  (itemsKey) => {
    const empty = '{"_links":{"self":{}},"page":{"totalElements":0}}';
    const items = { start: empty.length, end: empty.length };
    expect(find(empty, 'customers', itemsKey)).toEqual({ kind: 'found', items, meta: undefined });
    expect(find('{"_links":{"self":{}}}', 'customers', itemsKey)).toMatchObject({
      kind: 'missing',
    });
    const other = '{"_links":{},"page":{},"message":"No."}';
    expect(find(other, 'customers', itemsKey)).toMatchObject({ kind: 'missing' });
  },
);

test('of a path the last segment is the name', () => {
  expect(found({ orders: A, customers: B }, undefined, 'customers/42/orders')).toEqual([A]);
});

test.each([
  ['people', { people: A, data: B, meta: {} }, [A, {}]],
  ['result.people', { result: { people: A, meta: { n: 1 } } }, [A, { n: 1 }]],
  ['result.people', { result: { people: A }, meta: { n: 2 } }, [A, { n: 2 }]],
  ['people', { data: A }, 'missing'],
  ['people', { people: {} }, 'missing'],
  // A list of lists is none under that name.
  ['people', A, 'missing'],
])('itemsKey %s decides in %j', (itemsKey, body, expected) => {
  expect(found(body, itemsKey)).toEqual(expected);
});

test('two members with the name of itemsKey are no choice for us', () => {
  const json = '{"people":[{"id":1}],"people":[{"id":2}]}';

  expect(find(json, 'customers', 'people').kind).toBe('ambiguous');
});
