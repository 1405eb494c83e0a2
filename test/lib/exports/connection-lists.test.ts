import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  connectionListsOf,
  type GivenConnectionLists,
} from '../../../lib/exports/connection-lists.ts';
import {
  DEFAULT_LIST_SETTINGS,
  type GivenListSettings,
} from '../../../lib/exports/list-settings.ts';

function namesOf(own: GivenConnectionLists, shared: GivenConnectionLists): readonly string[] {
  return [...connectionListsOf(own, shared).keys()];
}

test('every connection has customers without any setting', () => {
  expect([...connectionListsOf({}, {}).values()]).toEqual([
    { list: 'customers', resource: 'customers', ...DEFAULT_LIST_SETTINGS, query: {} },
  ]);
});

test('a connection has the lists of all connections and its own, customers first', () => {
  const shared = { lists: { invoices: {}, constructor: {} } };

  expect(namesOf({ lists: { refunds: {}, customers: { perPage: 7 } } }, shared)).toEqual([
    'customers',
    'invoices',
    'constructor',
    'refunds',
  ]);
});

test.each<[string, GivenConnectionLists, GivenConnectionLists, readonly string[]]>([
  [
    'leaves out a list of all',
    { lists: { invoices: false } },
    { lists: { invoices: {} } },
    ['customers'],
  ],
  ['leaves out customers', { lists: { customers: false } }, {}, []],
  [
    'has customers, which all others leave out',
    { lists: { customers: {} } },
    { lists: { customers: false } },
    ['customers'],
  ],
])('a connection %s', (_, own, shared, names) => {
  expect(namesOf(own, shared)).toEqual(names);
});

const all = fc.record({
  perPage: fc.integer({ min: 1, max: 10_000 }),
  firstPage: fc.integer({ min: 0, max: 1 }),
  query: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y')),
  itemsKey: fc.constantFrom('data', 'items', 'a.b'),
  metaKeys: fc.constantFrom({ total: 'n' }, { total: false as const }, {}),
  idKey: fc.constantFrom('id', 'number'),
  walk: fc.constantFrom('verified', 'fast'),
  maxPasses: fc.constantFrom(1.5, 3),
  order: fc.constantFrom('fixed', 'by-last-edit', 'appended'),
  resource: fc.constantFrom('bills', 'finance/bills'),
});
/** Each member is there in half of all places, so that every place decides often. */
const members: fc.Arbitrary<GivenListSettings> = fc
  .tuple(all, fc.infiniteStream(fc.boolean()))
  .map(([each, isThere]) =>
    Object.fromEntries(Object.entries(each).filter(() => isThere.next().value === true)),
  );

test('each member of a list comes from the nearest place that has it', () => {
  const places = fc.tuple(members, members, members, members);
  fc.assert(
    fc.property(places, fc.constantFrom('customers', 'invoices'), (given, list) => {
      const [ownList, sharedList, own, shared] = given;
      const lists = connectionListsOf(
        { ...own, lists: { [list]: ownList } },
        { ...shared, lists: { [list]: sharedList } },
      );
      // What the connection says of `resource` is about customers.
      const inherited = [own, shared].map(({ resource, ...rest }) =>
        list === 'customers' ? { resource, ...rest } : rest,
      );
      const nearest: readonly object[] = [ownList, sharedList, ...inherited];
      const defaults = { resource: list, ...DEFAULT_LIST_SETTINGS, query: {} };
      const names = [...nearest, defaults].flatMap((place) => Object.keys(place));
      const expected = names.map((name) => {
        const place = [...nearest, defaults].find((each) =>
          Object.entries(each).some(([key, value]) => key === name && value !== undefined),
        );
        return [name, Object.entries(place ?? {}).find(([key]) => key === name)?.[1]];
      });
      expect(lists.get(list)).toEqual({ list, ...Object.fromEntries(expected) });
    }),
  );
});

const manyLists = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`list-${index}`, {}]),
);

test.each<[string, GivenConnectionLists, GivenConnectionLists, string]>([
  ['lists.invoices.perPage', { lists: { invoices: { perPage: 0 } } }, {}, 'from 1 to 10000, got 0'],
  ['lists.invoices.query.page', {}, { lists: { invoices: { query: { page: 1 } } } }, 'firstPage'],
  ['perPage', { perPage: 0, lists: { customers: { perPage: 5 } } }, {}, 'from 1 to 10000, got 0'],
  ['resource', { resource: 'a b', lists: { customers: false } }, {}, 'expected names of letters'],
  ['lists', { lists: manyLists }, {}, 'expected at most 50 lists, got 51'],
  [
    'lists.invoces',
    { lists: { invoces: false } },
    { lists: { invoices: {} } },
    'false leaves out a list that would be there, which are: customers, invoices',
  ],
  ['lists.invoices', {}, { lists: { invoices: false } }, 'which are: customers'],
])('fails naming %s', (setting, own, shared, problem) => {
  expect(() => connectionListsOf(own, shared)).toThrow(
    expect.objectContaining({ setting, message: expect.stringContaining(problem) }),
  );
});

test('takes 50 lists', () => {
  expect(connectionListsOf({ lists: { ...manyLists, customers: false } }, {}).size).toBe(50);
});
