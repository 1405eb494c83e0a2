import { expect, test } from '@jest/globals';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';

/** Shorter than the keys that are looked for in records. */
const SHORT_KEY = 'k3y_a';

function clientWith(body: unknown, headers: Record<string, string> = {}, status = 200) {
  return createCustomersClient({
    baseUrl: 'https://api.example.com',
    key: SHORT_KEY,
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

test('records that hold a short key by chance are kept as they are', async () => {
  const page = await clientWith({ customers: [{ id: 1, name: SHORT_KEY }] }).listPage(1);

  expect(page).toMatchObject({ kind: 'page', records: [`{"id":1,"name":"${SHORT_KEY}"}`] });
});
