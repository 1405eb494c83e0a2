import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import { startCheckedStack } from '../checked-stack.ts';
import { signedFetch, signedHeaders } from '../signed-fetch.ts';
import { synthesizeHttpSample } from './sample-http-stack.ts';

let assembly: string;
let stack: LocalStack;
let url: string;
beforeAll(async () => {
  assembly = synthesizeHttpSample();
  stack = await startCheckedStack({ assembly });
  url = stack.httpApis[0]?.url ?? '';
}, 180_000);
afterAll(async () => {
  await stack.stop();
  rmSync(assembly, { recursive: true });
});

type Init = Parameters<typeof signedFetch>[2];
const ask = async (path: string, init?: Init) => {
  const response = await signedFetch(stack.endpoint, url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const event = async (path: string, init?: Init) => JSON.parse((await ask(path, init)).text);

test('serves the API of the template, and the outputs lead to it', () => {
  expect(stack.httpApis).toEqual([{ logicalId: expect.stringMatching(/^Api/), url }]);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(stack.outputs['Url']).toBe(url);
});

test('hands the function what it reads of an event of payload format 2.0', async () => {
  const got = await event('/echo/a%20b?x=1&x=2&y=%C3%A4', {
    method: 'POST',
    headers: { 'X-Own': 'yes', 'Content-Type': 'application/json' },
    body: '{"a":"ä"}',
  });

  expect(got).toEqual({
    version: '2.0',
    routeKey: 'POST /echo/{name}',
    // Decoded, whatever its name says: so API Gateway sends it.
    rawPath: '/echo/a b',
    headers: expect.objectContaining({ 'x-own': 'yes' }),
    queryStringParameters: { x: '1,2', y: 'ä' },
    body: '{"a":"ä"}',
    isBase64Encoded: false,
    requestContext: {
      authorizer: { iam: { userArn: 'arn:aws:iam::000000000000:user/local' } },
      http: { method: 'POST' },
    },
  });
});

test('hands a body that is no text on in base64', async () => {
  const body = Buffer.from([0, 255, 1]);
  const headers = { 'Content-Type': 'application/octet-stream' };
  const got = await event('/echo/x', { method: 'POST', headers, body });

  expect(got).toMatchObject({ isBase64Encoded: true, body: body.toString('base64') });
});

test('gives back status, headers and body', async () => {
  const { status, headers, text } = await ask('/echo/Grüße');

  expect(status).toBe(201);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json',
    'x-status': 'made',
    'content-length': `${Buffer.byteLength(text)}`,
  });
  expect(JSON.parse(text)).toMatchObject({ rawPath: '/echo/Grüße' });
});

test('takes a slash that is sent as %2F for a part of its segment', async () => {
  expect(await event('/echo/a%2Fb')).toMatchObject({ rawPath: '/echo/a/b' });
});

test('a method without a route of its own takes the one for any, where there is one', async () => {
  expect(await event('/echo/x', { method: 'DELETE' })).toMatchObject({
    routeKey: 'ANY /echo/{name}',
    requestContext: { http: { method: 'DELETE' } },
  });
  expect((await ask('/token', { method: 'POST' })).status).toBe(404);
});

test.each([
  ['/echo/throw', 500, 'Internal Server Error'],
  ['/echo/odd', 500, 'Internal Server Error'],
  ['/echo/%ff', 400, 'Bad Request'],
  ['/echo', 404, 'Not Found'],
  ['/echo/', 404, 'Not Found'],
  ['/Echo/x', 404, 'Not Found'],
  ['/echo/a/b', 404, 'Not Found'],
  ['/slow', 503, 'Service Unavailable'],
  ['/token', 401, 'Unauthorized'],
])('answers %s like API Gateway with %i', async (path, status, message) => {
  expect(await ask(path)).toMatchObject({ status, text: JSON.stringify({ message }) });
});

test('asks for a token of the right form where the template asks for one, and tells its claims', async () => {
  const claims = Buffer.from(JSON.stringify({ sub: 'me', admin: true })).toString('base64url');
  const withToken = (Authorization: string) =>
    fetch(`${url}/token`, { headers: { Authorization } });

  expect((await withToken('Bearer x')).status).toBe(401);
  expect((await withToken(`Basic a.${claims}.b`)).status).toBe(401);
  expect(await (await withToken(`Bearer e30.${claims}.c2ln`)).json()).toMatchObject({
    requestContext: { authorizer: { jwt: { claims: { sub: 'me', admin: 'true' } } } },
  });
});

/** Sends exactly this, also what `fetch` would not. */
async function send(method: string, headers: Record<string, string>, body?: string) {
  const asked = request(`${url}/echo/x`, { method, headers });
  if (body !== undefined) asked.setHeader('content-length', Buffer.byteLength(body));
  asked.end(body);
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  answer?.resume();
  return answer;
}

test.each<[string, (own: LocalStack['endpoint']) => Promise<Record<string, string>>]>([
  ['nothing', async () => ({})],
  ['a token', async () => ({ authorization: 'Bearer e30.e30.c2ln' })],
  [
    'a guessed secret',
    (own) => {
      const credentials = { ...own.credentials, secretAccessKey: 'local' };
      return signedHeaders({ ...own, credentials }, `${url}/echo/x`, {});
    },
  ],
  [
    'a signature for another service',
    (own) => signedHeaders({ ...own, service: 'sqs' }, `${url}/echo/x`, {}),
  ],
  ['a signature of another path', (own) => signedHeaders(own, `${url}/echo/y`, {})],
])('another user of this machine is refused with %s', async (_, headersOf) => {
  const { httpApiRequests } = stack.usage().billed;
  expect((await send('GET', await headersOf(stack.endpoint)))?.statusCode).toBe(403);
  expect(stack.usage().billed.httpApiRequests).toBe(httpApiRequests);
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json',
] as const;
const FOREIGN: readonly Record<string, string>[] = [
  { host: 'evil.example' },
  { host: 'localhost:1' },
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:3000' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
];

test.each(METHODS)('a web page elsewhere gets nothing by %s, whatever it sends', async (method) => {
  for (const more of FOREIGN) {
    for (const type of TYPES) {
      const headers = { ...more, 'content-type': type };
      const body = method === 'GET' || method === 'HEAD' ? '' : '{"operation":"create"}';
      const init = { method, headers, body };
      const signed = await signedHeaders(stack.endpoint, `${url}/echo/x`, init);
      for (const sent of [headers, signed]) {
        const answer = await send(method, sent, body);
        expect([answer?.statusCode, sent]).toEqual([403, sent]);
        const allowing = Object.keys(answer?.headers ?? {}).filter((name) =>
          name.startsWith('access-control-'),
        );
        expect(allowing).toEqual([]);
      }
    }
  }
});

test('answers under both of its names', async () => {
  const { port } = new URL(url);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    const headers = await signedHeaders(stack.endpoint, `${url}/echo/x`, { headers: { host } });
    expect((await send('GET', headers))?.statusCode).toBe(201);
  }
});

test('refuses a body above 10 MB', async () => {
  const body = 'x'.repeat(10 * 1024 * 1024 + 1);
  expect((await ask('/echo/x', { method: 'POST', body })).status).toBe(413);
});

test('throttles as the stage says', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 120 }, async () => (await ask('/token')).status),
  );
  expect(statuses).toContain(429);
});

test.each<[string, (template: string) => string, RegExp]>([
  [
    'CORS',
    (all) => all.replace('"ProtocolType"', '"CorsConfiguration":{},"ProtocolType"'),
    /CorsC/,
  ],
  ['WebSockets', (all) => all.replace('"HTTP"', '"WEBSOCKET"'), /only HTTP APIs/],
  ['payload 1.0', (all) => all.replace('"2.0"', '"1.0"'), /only payload format 2\.0/],
  ['a named stage', (all) => all.replace('"$default"', '"prod"'), /only the stage \$default/],
])('refuses %s and leaves nothing running', async (_, change, message) => {
  const file = join(assembly, 'HttpSample.template.json');
  const original = readFileSync(file, 'utf8');
  writeFileSync(file, change(original));
  try {
    await expect(startCheckedStack({ assembly })).rejects.toThrow(message);
  } finally {
    writeFileSync(file, original);
  }
});

test('serves at a given port, says when it is taken, and is gone after stop', async () => {
  const port = Number(new URL(url).port);
  await expect(startCheckedStack({ assembly, httpPort: port })).rejects.toMatchObject({
    setting: 'httpPort',
    message: expect.stringContaining(`${port} is used by another program`),
  });
  await stack.stop();
  const again = await startCheckedStack({ assembly, httpPort: port });
  expect(again.httpApis[0]?.url).toBe(url);
  await again.stop();
  await expect(fetch(url)).rejects.toThrow();
});
