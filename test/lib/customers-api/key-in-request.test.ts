import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { type CustomersClient, createCustomersClient } from '../../../lib/customers-api/client.ts';
import { CANARY } from './simulated-api.ts';

const REFUSED = { kind: 'refused', reason: 'key-in-request' };

/** A client of an API that takes everything, and what came there. */
function clientOf(key: string) {
  const addresses: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    addresses.push(String(url));
    return Response.json({ customers: [{ id: 1 }], meta: { total: 1 } });
  };
  const client = createCustomersClient({ baseUrl: 'https://api.example.com', key, fetch });
  return { client, addresses };
}

type Ask = (client: CustomersClient, key: string) => Promise<unknown>;

const POST = { method: 'POST', resource: 'customers' } as const;
const inJson = (key: string) => `{"note":"${key.replaceAll(/./g, (each) => escaped(each))}"}`;
const escaped = (each: string) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;

const ASKS: readonly (readonly [string, Ask])[] = [
  [
    'the path of a read',
    (client, key) => client.read({ resource: `customers/${encodeURIComponent(key)}` }),
  ],
  [
    'a parameter of a read',
    (client, key) => client.read({ resource: 'customers', query: { api_key: key } }),
  ],
  [
    'the name of a parameter',
    (client, key) => client.read({ resource: 'customers', query: { [key]: 1 } }),
  ],
  ['the path of a list', (client, key) => client.list(encodeURIComponent(key)).listPage(1)],
  [
    'a parameter of a list',
    (client, key) => client.list('invoices', { q: `of ${key}` }).listPage(1),
  ],
  [
    'the path of a write',
    (client, key) => client.write({ ...POST, resource: `customers/${encodeURIComponent(key)}` }),
  ],
  ['the body of a write', (client, key) => client.write({ ...POST, body: { a: [{ b: key }] } })],
  ['escapes of a body', (client, key) => client.write({ ...POST, bodyText: inJson(key) })],
  [
    'base64 in a body',
    (client, key) => client.write({ ...POST, body: Buffer.from(`:${key}`).toString('base64') }),
  ],
  ['an Idempotency-Key', (client, key) => client.write({ ...POST, idempotencyKey: `a${key}` })],
];

test.each(ASKS)('sends nothing with the key in %s', async (_, ask) => {
  const { client, addresses } = clientOf(CANARY);

  const outcome = await ask(client, CANARY);

  expect(outcome).toMatchObject(REFUSED);
  expect(JSON.stringify(outcome)).not.toContain(CANARY);
  expect(addresses).toEqual([]);
});

test('sends nothing with a key of digits as the number of a page', async () => {
  const { client, addresses } = clientOf('12345678');

  expect(await client.listPage(12_345_678)).toMatchObject(REFUSED);
  expect(addresses).toEqual([]);
});

test.each(ASKS)('takes another key in %s for what it is', async (_, ask) => {
  const { client, addresses } = clientOf(CANARY);

  expect(await ask(client, [...CANARY].toSorted().join(''))).not.toMatchObject(REFUSED);
  expect(addresses).toHaveLength(1);
});

/** No printing changes a character of it. */
const PLAIN_KEY = 'plain-key-4711';

test.each(['customers?api_key=', 'customers#', '../'])(
  'does not quote the key that stands in a resource which is none: %s',
  async (start) => {
    const { client, addresses } = clientOf(PLAIN_KEY);
    const resource = `${start}${PLAIN_KEY}`;
    const asks = [
      () => client.read({ resource }),
      () => client.write({ method: 'DELETE', resource }),
      async () => client.list(resource),
    ];
    for (const ask of asks) {
      const error: unknown = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'INVALID_SETTING', setting: 'resource' });
      expect(inspect(error)).not.toContain(PLAIN_KEY);
    }
    expect(addresses).toEqual([]);
  },
);

test('a loop over a list ends with an error that says so', async () => {
  const { client } = clientOf(CANARY);
  const records = client.list('invoices', { q: CANARY }).records();

  await expect(records.next()).rejects.toThrow('Page 1: The request holds the key');
});
