import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { createCertificates } from '../../infra/simulator/certificate.ts';
import { startLedger } from '../functions/aws/dynalite-ledger.ts';
import { startJsonService } from '../functions/aws/json-service.ts';
import { listen } from '../functions/aws/local-server.ts';
import { trust } from '../trust.ts';
import { type ExampleHandler, loadExample } from './bundle-example.ts';

const KEY = 'canary-key-4711';
const root = join(import.meta.dirname, '../..');
const region = 'eu-central-1';
let engine: Awaited<ReturnType<typeof startFauxqs>>;
let database: Awaited<ReturnType<typeof startLedger>>;
let secrets: Awaited<ReturnType<typeof startJsonService>>;
let readCustomer: ExampleHandler;
let greetCustomer: ExampleHandler;
let listForCaller: ExampleHandler;
let enrichOrders: ExampleHandler;
let countCustomers: ExampleHandler;
const logged: string[] = [];
const requests: { readonly url: unknown; readonly key: unknown }[] = [];
let api: Server;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket('exports');
  for (const queue of ['orders', 'dead', 'enriched']) engine.createQueue(queue, { region });
  database = await startLedger();
  secrets = await startJsonService(({ input }) =>
    input['SecretId'] === 'customers-api/nobody'
      ? { error: 'ResourceNotFoundException' }
      : { ok: { VersionId: 'v1', SecretString: KEY } },
  );
  const { caPem, certificatePem: cert, privateKeyPem: key } = await createCertificates(Date.now());
  trust(caPem);
  api = createServer({ key, cert }, ({ url, headers }, response) => {
    requests.push({ url, key: headers['api-key'] });
    answer(response);
  });
  const { port } = new URL((await listen(api)).url);
  const endpoint = `http://127.0.0.1:${engine.port}`;
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    LEDGER_TABLE: 'ledger',
    EXPORT_BUCKET: 'exports',
    SECRET_PREFIX: 'customers-api/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl: `https://127.0.0.1:${port}` },
      connections: { demo: {}, orders: {}, free: {} },
    }),
    ORDERS_QUEUE_URL: `${endpoint}/000000000000/orders`,
    ORDERS_DEAD_LETTER_QUEUE_URL: `${endpoint}/000000000000/dead`,
    ENRICHED_QUEUE_URL: `${endpoint}/000000000000/enriched`,
  });
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    logged.push(String(line));
    return true;
  });
  [readCustomer, greetCustomer, listForCaller, enrichOrders, countCustomers] = await Promise.all([
    loadExample('read-customer'),
    loadExample('greet-customer'),
    loadExample('list-for-caller'),
    loadExample('enrich-orders'),
    loadExample('count-customers'),
  ]);
}, 180_000);
afterAll(async () => {
  jest.restoreAllMocks();
  api.closeAllConnections();
  api.close();
  await secrets.close();
  await database.close();
  await engine.stop();
});
beforeEach(() => {
  requests.length = 0;
  answer = (response) => response.writeHead(200, json).end('{"id":12345678901234567890}');
});

const json = { 'Content-Type': 'application/json' };

const tokenEvent = (claims: object, page: string) => ({
  requestContext: { authorizer: { jwt: { claims } } },
  queryStringParameters: { page },
});

const bodiesIn = (queue: string) => engine.inspectQueue(queue)?.messages.ready ?? [];
const orderEvent = (...bodies: string[]) => ({
  Records: bodies.map((body, index) => ({
    messageId: `m${index}`,
    body,
    attributes: { SentTimestamp: String(Date.now()) },
    messageAttributes: {},
  })),
});
const order = (connection: string, customerId = '7') =>
  JSON.stringify({ orderId: 'o-1', connection, customerId });

test.each([
  // A function URL has no routes, so no parameters of one (Lambda's developer guide, "Invoking Lambda function URLs").
  ['a function URL', { routeKey: '$default', rawPath: '/customers/42' }],
  [
    'a route of an HTTP API',
    {
      routeKey: 'GET /customers/{id}',
      rawPath: '/live/customers/42',
      pathParameters: { id: '42' },
    },
  ],
])(
  'read-customer behind %s answers with the customer as the API sent it, asked with the key',
  async (_, event) => {
    const read = await readCustomer(event);

    expect(read).toMatchObject({ statusCode: 200, body: '{"id":12345678901234567890}' });
    expect(requests).toEqual([{ url: '/2.0/customers/42', key: KEY }]);
  },
);

test('read-customer answers bad input with a problem that names the field', async () => {
  const read = Object(await readCustomer({ rawPath: '/customers/..%2Fsecrets' }));

  expect(read).toMatchObject({ statusCode: 400 });
  expect(JSON.parse(read.body)).toMatchObject({ code: 'invalid-request', field: 'id' });
  expect(read.body).not.toContain('secrets');
  expect(requests).toEqual([]);
});

test('read-customer shows nothing of an answer that failed', async () => {
  answer = (response) =>
    response.writeHead(500, json).end('{"error":{"message":"canary of a body"}}');

  const read = Object(await readCustomer({ rawPath: '/customers/42' }));

  expect(read).toMatchObject({ statusCode: 502 });
  expect(read.headers['Content-Type']).toBe('application/problem+json');
  expect(JSON.stringify(read)).not.toContain('canary');
});

test.each([
  [
    '{"id":12345678901234567890,"name":"Jo"}',
    200,
    '{"id":"12345678901234567890","greeting":"Hello Jo"}',
  ],
  ['{"id":7,"name":""}', 500, 'another form'],
  ['{"id":7,"email":"canary of a body"}', 500, 'another form'],
])(
  'greet-customer reads %s as it was checked, or tells nobody what it is',
  async (body, status, said) => {
    answer = (response) => response.writeHead(200, json).end(body);
    logged.length = 0;

    const read = Object(await greetCustomer({ rawPath: '/customers/42/greeting' }));

    expect(read).toMatchObject({ statusCode: status, body: expect.stringContaining(said) });
    expect(read.body + logged.join('')).not.toContain('canary');
    if (status === 500) expect(logged.join('')).toContain('"path":"name"');
  },
);

test('read-customer tells everyone of a throttle, and asks no more until it is over', async () => {
  answer = (response) => response.writeHead(429, { 'Retry-After': '300' }).end('{}');

  const first = Object(await readCustomer({ rawPath: '/customers/42' }));
  const second = Object(await readCustomer({ rawPath: '/customers/42' }));

  expect(first).toMatchObject({ statusCode: 429, headers: { 'Retry-After': '300' } });
  expect(second).toMatchObject({ statusCode: 429 });
  expect(Number(second.headers['Retry-After'])).toBeLessThanOrEqual(300);
  expect(requests).toHaveLength(1);
  const { blockedUntilMs } = await database.gates.read('demo');
  expect(blockedUntilMs).toBeGreaterThan(Date.now() + 290_000);
});

test('list-for-caller reads for the organization of the token, and says in each line who asked', async () => {
  answer = (response) => response.writeHead(200, json).end('{"customers":[{"id":1.0}],"meta":{}}');
  logged.length = 0;

  const read = await listForCaller(tokenEvent({ sub: 'jo', organization: 'free' }, '2'));

  expect(read).toMatchObject({ statusCode: 200, body: '{"customers":[{"id":1.0}]}' });
  expect(requests).toEqual([{ url: '/2.0/customers?page=2&per_page=100', key: KEY }]);
  expect(logged.join('')).toContain('"caller":"jo","page":2,"outcome":"page"');
});

test.each([
  [{ sub: 'jo', organization: 'free' }, 'first', 400],
  [{ organization: 'free' }, '1', 403],
  [{ sub: 'jo' }, '1', 404],
])(
  'list-for-caller makes no request with the claims %j for page %s: %i',
  async (claims, page, status) => {
    expect(await listForCaller(tokenEvent(claims, page))).toMatchObject({
      statusCode: status,
      headers: { 'Content-Type': 'application/problem+json' },
    });
    expect(requests).toEqual([]);
  },
);

test('list-for-caller answers 503 with Retry-After while the connection waits', async () => {
  await database.gates.blockUntil('orders', Date.now() + 120_000);

  const read = Object(await listForCaller(tokenEvent({ sub: 'jo', organization: 'orders' }, '1')));

  expect(read).toMatchObject({ statusCode: 503, headers: { 'Retry-After': expect.any(String) } });
  expect(Number(read.headers['Retry-After'])).toBeGreaterThan(60);
  expect(requests).toEqual([]);
});

test('enrich-orders puts orders on, keeps poison, and requeues what has to wait', async () => {
  await database.gates.blockUntil('orders', Date.now() + 120_000);

  const result = await enrichOrders(
    orderEvent(order('free'), 'poison', order('orders'), order('nobody')),
  );

  // An unknown connection is a failure of its own message only.
  expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm3' }] });
  expect(bodiesIn('enriched').map(({ body }) => body)).toEqual([
    '{"orderId":"o-1","customer":{"id":12345678901234567890}}',
  ]);
  const dead = bodiesIn('dead');
  expect(dead.map(({ body }) => body)).toEqual(['poison']);
  const delayed = engine.inspectQueue('orders')?.messages.delayed ?? [];
  expect(delayed.map(({ body }) => body)).toEqual([order('orders')]);
  expect(requests).toHaveLength(1);
});

test('enrich-orders gives a message up that has been waiting for too long', async () => {
  const [record] = orderEvent(order('orders')).Records;
  const FirstSentMs = { dataType: 'Number', stringValue: String(Date.now() - 5 * 86_400_000) };

  const result = await enrichOrders({
    Records: [{ ...record, messageAttributes: { FirstSentMs } }],
  });

  expect(result).toEqual({ batchItemFailures: [] });
  expect(bodiesIn('dead').map(({ body }) => body)).toContain(order('orders'));
  expect(requests).toEqual([]);
});

test('count-customers reads every line of every part', async () => {
  const s3 = new S3Client({
    forcePathStyle: true,
    endpoint: `http://127.0.0.1:${engine.port}`,
  });
  const put = (Key: string, Body: string | Uint8Array) =>
    s3.send(new PutObjectCommand({ Bucket: 'exports', Key, Body }));
  await put('e/part-00001.ndjson.gz', gzipSync('{"id":1,"of":"\u2028{"}\n{"id":2}\n'));
  await put('e/part-00002.ndjson.zst', zstdCompressSync('{"id":3}\n'));
  const parts = [{ key: 'e/part-00001.ndjson.gz' }, { key: 'e/part-00002.ndjson.zst' }];
  await put('e/manifest.json', JSON.stringify({ parts }));

  const detail = { connection: 'demo', manifestKey: 'e/manifest.json' };
  expect(await countCustomers({ detail })).toEqual({ connection: 'demo', customers: 3 });
  s3.destroy();
});

test('no line of the log shows a key', () => {
  expect(logged.length).toBeGreaterThan(0);
  expect(logged.join('')).not.toMatch(/canary|4711/);
});

test('the page shows the examples as they are', () => {
  const page = readFileSync(join(root, 'docs/your-own-functions.md'), 'utf8');
  const folder = join(root, 'examples/own-functions/lambda');
  for (const name of readdirSync(folder)) {
    expect(page).toContain(readFileSync(join(folder, name), 'utf8'));
  }
});
