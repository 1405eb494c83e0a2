import { expect, test } from '@jest/globals';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';

/** Shorter than the keys that are looked for in records. */
const SHORT_KEY = 'k3y_a';

function clientWith(
  body: unknown,
  headers: Record<string, string> = {},
  status = 200,
  key = SHORT_KEY,
) {
  return createCustomersClient({
    baseUrl: 'https://api.example.com',
    key,
    fetch: async () =>
      new Response(typeof body === 'string' ? body : JSON.stringify(body), {
        status,
        headers: { 'content-type': 'application/json', ...headers },
      }),
  });
}

test.each([
  ['member names', clientWith({ [SHORT_KEY]: 1, [`x-${SHORT_KEY}`]: 2 })],
  ['names of lists', clientWith({ [`${SHORT_KEY}s`]: [{ id: 1 }], others: [{ id: 2 }] })],
  ['meta', clientWith({ customers: [{ id: 1 }], meta: { page: 1, [SHORT_KEY]: SHORT_KEY } })],
  ['a content type', clientWith('<html>', { 'content-type': `text/${SHORT_KEY}` })],
  ['a charset', clientWith('{"a":"ä"}', { 'content-type': `text/json; charset=${SHORT_KEY}` })],
  ['a request id', clientWith({ customers: [] }, { 'x-request-id': SHORT_KEY })],
  ['an error code', clientWith({ error: { code: SHORT_KEY } })],
  ['an error code of a status', clientWith({ error: { code: SHORT_KEY } }, {}, 400)],
  ['a wait', clientWith({}, { 'retry-after': SHORT_KEY }, 429)],
  ['the name of a limit', clientWith({ customers: [] }, { ratelimit: `"${SHORT_KEY}";r=0;t=5` })],
  ['a policy', clientWith({}, { 'ratelimit-policy': `"${SHORT_KEY}";q=9;w=60` }, 429)],
])('a short key reaches nobody by what the API says beside its records: %s', async (_, client) => {
  const page = await client.listPage(1);
  const write = await client.write({ method: 'POST', resource: 'customers', body: {} });
  const { message: ofWrite } = { message: '', ...write };
  const { requestId, ...rest } = { requestId: undefined, ...write };

  expect(
    `${JSON.stringify(page)} ${'meta' in page ? JSON.stringify(page.meta) : ''}`,
  ).not.toContain(SHORT_KEY);
  expect(ofWrite).not.toContain(SHORT_KEY);
  expect(requestId).toBeUndefined();
  expect('apiCode' in rest ? rest.apiCode : undefined).toBeUndefined();
});

/** Longer than what is kept of the name of a limit and of a wait. */
const LONG_KEY =
  'a-key-of-more-characters-than-are-kept-of-any-header-that-speaks-of-limits-and-waits';

test.each([
  ['the name of a limit', { ratelimit: `"${LONG_KEY}";r=0;t=7` }],
  ['a policy', { 'ratelimit-policy': `"${LONG_KEY}";q=100;w=60`, 'retry-after': '7' }],
  ['a wait', { 'retry-after': `7, ${'x'.repeat(60)}${LONG_KEY}` }],
  ['a wait until a window ends', { 'x-ratelimit-reset': `7, ${'x'.repeat(60)}${LONG_KEY}` }],
])('a long key is not cut and then shown, and the wait is kept: %s', async (_, headers) => {
  const outcome = await clientWith({}, headers, 429, LONG_KEY).listPage(1);

  expect(outcome).toMatchObject({ kind: 'throttled', retryAfterSeconds: 7 });
  expect(JSON.stringify(outcome)).not.toContain(LONG_KEY.slice(0, 8));
});

test('records that hold a short key by chance are kept as they are', async () => {
  const page = await clientWith({ customers: [{ id: 1, name: SHORT_KEY }] }).listPage(1);

  expect(page).toMatchObject({ kind: 'page', records: [`{"id":1,"name":"${SHORT_KEY}"}`] });
});
