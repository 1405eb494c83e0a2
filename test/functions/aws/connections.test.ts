import { channel } from 'node:diagnostics_channel';
import { expect, test } from '@jest/globals';
import { createConnections, withPages } from '../../../functions/aws/connections.ts';
import type { KeyStore, StoredKey } from '../../../functions/aws/key-store.ts';
import { connectionListsOf } from '../../../lib/exports/connection-lists.ts';
import type { NoKey } from '../../../lib/gate/ports.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';

const stored = (keyVersion: string, more: Partial<StoredKey> = {}): StoredKey => ({
  kind: 'key',
  key: ApiKey.from('canary-key-4711'),
  keyVersion,
  ...more,
});

const LISTS = connectionListsOf(
  { lists: { bills: { resource: 'finance/bills', itemsKey: 'own', idKey: 'number' } } },
  {},
);

function connectionsWith(...answers: (StoredKey | NoKey)[]) {
  return connectionsOf(LISTS, answers);
}

function connectionsOf(
  lists: typeof LISTS,
  answers: (StoredKey | NoKey)[],
  { status = 200, ...api }: { readonly itemsKey?: string; readonly status?: number } = {},
) {
  const asked: string[] = [];
  const requests: Request[] = [];
  const keyStore: KeyStore = {
    read: async (connection, freshness) => {
      asked.push(`${connection} ${freshness}`);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) throw new Error('no answer left');
      return answer;
    },
  };
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    requests.push(new Request(input, init));
    // As undici tells it.
    const request = { method: 'GET' };
    channel('undici:request:create').publish({ request });
    channel('undici:client:sendHeaders').publish({ request });
    return Response.json({ customers: [], own: [{ number: 4 }], meta: { total: 0 } }, { status });
  };
  const connections = createConnections(
    {
      keyStore,
      listsOf: () => lists,
      apiSettingsOf: () => ({
        ...{ baseUrl: 'https://api.example.com', header: 'API-KEY', fetch },
        ...api,
      }),
    },
    withPages,
  );
  return { connections, asked, requests };
}

test('asks for a page with the key and what the plan says', async () => {
  const { connections, requests } = connectionsWith(stored('v1'));
  const opened = await connections.open('demo', 'cached');
  if (opened.kind !== 'open') throw new Error(opened.message);

  const request = { list: 'customers', resource: 'customers', query: {}, page: 3, perPage: 50 };
  const outcome = await opened.listPage(request, new AbortController().signal);

  expect(outcome.kind).toBe('page');
  expect(requests.map(({ url }) => url)).toEqual([
    'https://api.example.com/2.0/customers?page=3&per_page=50',
  ]);
  expect(requests[0]?.headers.get('API-KEY')).toBe('canary-key-4711');
});

test('a page that need not be there is refused by 403, which rejects the key for any other page', async () => {
  const { connections, requests } = connectionsOf(LISTS, [stored('v1')], { status: 403 });
  const opened = await connections.open('demo', 'cached');
  if (opened.kind !== 'open') throw new Error(opened.message);
  const request = { list: 'customers', resource: 'customers', query: {}, page: 0 };
  const kinds = [];
  for (const more of [{ isProbe: true } as const, {}, { isProbe: true } as const]) {
    const outcome = await opened.listPage({ ...request, ...more }, new AbortController().signal);
    kinds.push([outcome.kind, requests.length]);
  }
  expect(kinds).toEqual([
    ['refused', 1],
    ['authentication-failure', 2],
    ['authentication-failure', 2],
  ]);
});

test('tells when the request of a page leaves', async () => {
  const { connections, requests } = connectionsWith(stored('v1'));
  const opened = await connections.open('demo', 'cached');
  if (opened.kind !== 'open') throw new Error(opened.message);
  const told: number[] = [];
  const request = { list: 'customers', resource: 'customers', query: {}, page: 3 };
  await opened.listPage(request, new AbortController().signal, () => told.push(requests.length));
  expect(told).toEqual([1]);
});

test.each([
  ['bills', { records: ['{"number":4}'], ids: ['4'] }],
  // Two lists of records and no rule that tells which of them is wanted.
  ['taken-out-meanwhile', { kind: 'refused', reason: 'items-ambiguous' }],
])('reads a page of the list %s as its settings say', async (list, expected) => {
  const { connections, requests } = connectionsWith(stored('v1'));
  const opened = await connections.open('demo', 'cached');
  if (opened.kind !== 'open') throw new Error(opened.message);

  const request = {
    list,
    resource: 'finance/bills',
    query: { status: 'all' },
    page: 3,
    perPage: 50,
  };
  const outcome = await opened.listPage(request, new AbortController().signal);

  expect(outcome).toMatchObject(expected);
  expect(requests[0]?.url).toBe(
    'https://api.example.com/2.0/finance/bills?status=all&page=3&per_page=50',
  );
});

test.each([
  ['the member that its plan names', 'customers', { kind: 'page', records: [] }],
  ['the member that a rule finds', false, { kind: 'refused', reason: 'items-ambiguous' }],
])('reads a page as its export began, by %s, when settings changed since', async (...row) => {
  const [, itemsKey, expected] = row;
  const { connections } = connectionsOf(LISTS, [stored('v1')], { itemsKey: 'own' });
  const opened = await connections.open('demo', 'cached');
  if (opened.kind !== 'open') throw new Error(opened.message);
  const request = { list: 'bills', resource: 'finance/bills', query: {}, page: 1 };
  const ask = (more: object) =>
    opened.listPage({ ...request, ...more }, new AbortController().signal);

  expect(await ask({})).toMatchObject({ records: ['{"number":4}'] });
  expect(await ask({ itemsKey })).toMatchObject(expected);
});

test('keeps what it opened as long as the version is the same', async () => {
  const { connections, asked } = connectionsWith(stored('v1'), stored('v1'), stored('v2'));

  const first = await connections.open('demo', 'cached');
  const again = await connections.open('demo', 'fresh');
  const other = await connections.open('demo', 'fresh');

  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(other).toMatchObject({ keyVersion: 'v2' });
  expect(asked).toEqual(['demo cached', 'demo fresh', 'demo fresh']);
});

test('opens a secret that was made again under the same version as another credential', async () => {
  const { connections } = connectionsWith(
    stored('v1', { createdAtMs: 1 }),
    stored('v1', { createdAtMs: 1 }),
    stored('v1', { createdAtMs: 2 }),
  );

  const first = await connections.open('demo', 'cached');
  const again = await connections.open('demo', 'fresh');
  const other = await connections.open('demo', 'fresh');

  expect(again).toBe(first);
  const [former, newer] = [first, other].map((each) => each.kind === 'open' && each.credential);
  expect(newer).not.toBe(former);
});

test('opens a connection anew when a person has opened its gate since', async () => {
  const { connections } = connectionsWith(stored('v1'));
  const first = await connections.open('demo', 'cached', 'first');

  expect(await connections.open('demo', 'cached', 'first')).toBe(first);
  expect(await connections.open('demo', 'cached')).toBe(first);
  expect(await connections.open('demo', 'cached', 'second')).not.toBe(first);
});

test('asks again who has a key that was in use', async () => {
  const holders = ['other', 'demo'];
  const connections = createConnections(
    {
      keyStore: { read: async () => stored('v1') },
      listsOf: () => LISTS,
      apiSettingsOf: () => ({ baseUrl: 'https://api.example.com' }),
      holders: { hold: async (connection) => holders.shift() ?? connection },
    },
    withPages,
  );

  expect(await connections.open('demo', 'cached')).toMatchObject({ reason: 'in-use' });
  expect(await connections.open('demo', 'cached')).toMatchObject({ kind: 'open' });
});

test('asks each time for the query that it is told, and by the id that is known', async () => {
  const { connections, requests } = connectionsWith(stored('v1'));
  const opened = await connections.open('demo', 'cached');
  if (opened.kind !== 'open') throw new Error(opened.message);
  const about = { list: 'bills', resource: 'finance/bills', page: 1 };
  const { signal } = new AbortController();

  await opened.listPage({ ...about, query: { status: 'all' } }, signal);
  const page = await opened.listPage({ ...about, query: { status: 'paid' }, idKey: 'id' }, signal);

  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?status=all&page=1',
    '?status=paid&page=1',
  ]);
  expect(page).toMatchObject({ idKey: 'id' });
});

test('does not blame the secret for a setting of the stack', async () => {
  const connections = createConnections(
    {
      keyStore: { read: async () => stored('v1') },
      listsOf: () => LISTS,
      apiSettingsOf: () => ({ baseUrl: 'https://api.example.com', header: 'no header' }),
    },
    withPages,
  );

  await expect(connections.open('demo', 'cached')).rejects.toThrow(/^header: /);
});

test('keeps connections apart', async () => {
  const { connections } = connectionsWith(stored('v1'));

  expect(await connections.open('a', 'cached')).not.toBe(await connections.open('b', 'cached'));
});

test('uses the address and the header of the secret in place of the configured ones', async () => {
  const own = { baseUrl: 'https://own.example.com/x', header: 'X-Old-Key' };
  const { connections, requests } = connectionsWith(stored('v1', own));
  const opened = await connections.open('demo', 'cached');
  if (opened.kind !== 'open') throw new Error(opened.message);

  await opened.listPage(
    { list: 'customers', resource: 'customers', query: {}, page: 1 },
    new AbortController().signal,
  );

  expect(requests[0]?.url).toBe('https://own.example.com/x/2.0/customers?page=1');
  expect(requests[0]?.headers.get('X-Old-Key')).toBe('canary-key-4711');
  expect(requests[0]?.headers.has('API-KEY')).toBe(false);
});

test.each([
  ['baseUrl', { baseUrl: 'http://canary-4711.example.com' }, 'the scheme must be https.'],
  ['baseUrl', { baseUrl: '' }, 'this is not an absolute URL.'],
  ['baseUrl', { baseUrl: 'canary-4711.example.com' }, 'this is not an absolute URL.'],
  [
    'baseUrl',
    { baseUrl: 'https://canary-4711.example.com/2.0/' },
    'it ends with /2.0, which is added by itself.',
  ],
  [
    'baseUrl',
    { baseUrl: 'https://canary:4711@api.example.com' },
    'user name and password do not belong here.',
  ],
  [
    'baseUrl',
    { baseUrl: 'https://api.example.com?key=canary-4711' },
    'a query or fragment does not belong here.',
  ],
  ['header', { header: 'canary key 4711' }, 'expected a header name.'],
  ['header', { header: '' }, 'expected a header name.'],
  ['header', { header: 'Host' }, 'expected a header of the API, not one of HTTP itself.'],
  [
    'requestsPerSecond',
    { requestsPerSecond: 47_110_815 },
    'expected a number from 0.001 to 1,000. Store the secret again.',
  ],
])(
  'tells a wrong %s of the secret %j by its cause, without the value',
  async (member, own, cause) => {
    const { connections } = connectionsWith(stored('v1', own));

    const outcome = await connections.open('demo', 'cached');

    const message = expect.stringContaining(`a member ${member} that cannot be used: ${cause}`);
    expect(outcome).toMatchObject({
      kind: 'no-key',
      reason: 'malformed',
      keyVersion: 'v1',
      message,
    });
    expect(JSON.stringify(outcome)).not.toMatch(/canary|4711/);
  },
);

test('sends nothing while the resource of a list holds the key', async () => {
  const lists = { bills: { resource: 'finance/canary-key-4711' } };
  const { connections, requests } = connectionsOf(connectionListsOf({ lists }, {}), [stored('v1')]);

  const opened = await connections.open('demo', 'cached');

  expect(opened).toMatchObject({ kind: 'no-key', reason: 'malformed', keyVersion: 'v1' });
  expect(JSON.stringify(opened)).not.toContain('canary');
  expect(requests).toEqual([]);
});

test.each([
  ['lists.bills.itemsKey', { lists: { bills: { itemsKey: 'canary-key-4711' } } }, {}],
  ['lists.bills.idKey', { lists: { bills: { idKey: 'x canary-key-4711' } } }, {}],
  [
    'lists.bills.metaKeys.total',
    { lists: { bills: { metaKeys: { total: 'canary-key-4711' } } } },
    {},
  ],
  ['lists.bills.query', { lists: { bills: { query: { 'canary-key-4711': 1 } } } }, {}],
  ['lists', { lists: { 'canary-key-4711': {} } }, {}],
  ['metaKeys.nextPage', {}, { metaKeys: { nextPage: 'canary-key-4711' } }],
  ['baseUrl', {}, { baseUrl: 'https://api.example.com/canary-key-4711' }],
  ['header', {}, { header: 'canary-key-4711' }],
  ['operations.0.resource', {}, {}, [{ name: 'change', resource: 'customers/canary-key-4711' }]],
])(
  'sends nothing while the setting %s holds the key',
  async (place, lists, api, operations = []) => {
    const connections = createConnections(
      {
        keyStore: { read: async () => stored('v1') },
        listsOf: () => connectionListsOf(lists, {}),
        apiSettingsOf: () => ({ baseUrl: 'https://api.example.com', ...api }),
        operationsOf: () => operations,
      },
      withPages,
    );

    const opened = await connections.open('demo', 'cached');

    expect(opened).toMatchObject({ kind: 'no-key', reason: 'malformed', keyVersion: 'v1' });
    expect(opened).toMatchObject({ message: expect.stringContaining(`The setting ${place} of`) });
    expect(JSON.stringify(opened)).not.toContain('canary');
  },
);

test.each([
  ['canary-key-4711', 'canary-key-4711'],
  ['a/key=with+4711', encodeURIComponent('a/key=with+4711')],
])('sends nothing while the query of a list holds the key %s', async (key, written) => {
  const lists = { bills: { query: { status: 'all', api_key: `Bearer ${written}` } } };
  const { connections, requests } = connectionsOf(connectionListsOf({ lists }, {}), [
    stored('v1', { key: ApiKey.from(key) }),
  ]);

  const outcome = await connections.open('demo', 'cached');

  expect(outcome).toMatchObject({ kind: 'no-key', reason: 'malformed', keyVersion: 'v1' });
  expect(outcome).toMatchObject({
    message: expect.stringContaining('lists.bills.query.api_key of connection'),
  });
  expect(JSON.stringify(outcome)).not.toContain('4711');
  expect(requests).toEqual([]);
});

test('passes on that there is no key', async () => {
  const noKey: NoKey = { kind: 'no-key', reason: 'missing', message: 'There is none.' };

  expect(await connectionsWith(noKey).connections.open('demo', 'cached')).toBe(noKey);
});
