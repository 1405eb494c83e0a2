import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  customersClient,
  customersClients,
} from '../../../functions/middleware/customers-client.ts';
import { httpChain } from '../../../functions/middleware/http-chain.ts';
import { queueChain } from '../../../functions/middleware/queue-chain.ts';
import { startJsonService } from '../aws/json-service.ts';
import { lambdaContext } from './lambda-context.ts';

const BEFORE = { ...process.env };
let secrets: Awaited<ReturnType<typeof startJsonService>>;

beforeAll(async () => {
  secrets = await startJsonService(({ input }) =>
    input['SecretId'] === 'customers-api/other'
      ? { ok: { VersionId: 'v1', SecretString: 'a-key' } }
      : { error: 'ResourceNotFoundException' },
  );
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    AWS_REGION: 'eu-central-1',
    LEDGER_TABLE: 'ledger',
    SECRET_PREFIX: 'customers-api/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl: 'https://api.example.com', lists: { invoices: {} } },
      connections: { demo: {} },
    }),
  });
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(async () => {
  process.env = BEFORE;
  jest.restoreAllMocks();
  await secrets.close();
});

/** What the runtime would do; problems of types are the caller's there. */
const call = (handler: unknown, event: unknown): Promise<unknown> =>
  Reflect.apply(Object(handler), undefined, [event, lambdaContext()]);

const thrownBy = (make: unknown, options: unknown): unknown => {
  try {
    Reflect.apply(Object(make), undefined, [options]);
  } catch (error) {
    const { name, setting, problem } = Object(error);
    return { name, setting, problem };
  }
  return 'made';
};

test.each([
  [customersClient, undefined, 'options', 'expected an object'],
  [customersClient, {}, 'connection', 'this setting is missing'],
  [customersClient, { connection: 'Demo' }, 'connection', 'expected 1 to 63 small letters'],
  [customersClient, { connection: 'demo', key: 'canary' }, 'key', 'there is no such setting'],
  [queueChain, {}, 'parse', 'this setting is missing'],
  [queueChain, { parse: () => {}, queueUrl: 'orders' }, 'queueUrl', 'expected the URL of a queue'],
  [
    queueChain,
    {
      parse: () => {},
      queueUrl: 'https://sqs/1/a',
      deadLetterQueueUrl: 'https://sqs/1/b',
      maxRequeueSeconds: 0,
    },
    'maxRequeueSeconds',
    'expected a whole number of seconds from 1 to 1209600',
  ],
])('%p with %j fails naming %s: %s', (make, options, setting, problem) => {
  expect(thrownBy(make, options)).toEqual({
    name: 'SettingError',
    setting,
    problem: expect.stringContaining(problem),
  });
});

test('takes the connection from the event, and offers the client to handler and middlewares', async () => {
  const seen: boolean[] = [];
  const handler = httpChain()
    .use(
      customersClient<{ pathParameters?: Record<string, string | undefined> }>({
        connection: ({ pathParameters }) => pathParameters?.['connection'],
      }),
    )
    .before(({ internal, context }) => {
      seen.push(internal.customers === context.customers);
    })
    .handler(async (_event, { customers, log }) => {
      seen.push(typeof customers.listPage === 'function' && typeof log.info === 'function');
      return { statusCode: 204, headers: {}, body: '' };
    });

  expect(await call(handler, { pathParameters: { connection: 'other' } })).toMatchObject({
    statusCode: 204,
  });
  expect(seen).toEqual([true, true]);
});

test('gives the client the lists of the settings', async () => {
  const handler = httpChain()
    .use(customersClient({ connection: 'demo' }))
    .handler(async (_event, { customers }) => {
      const unknown = await customers.listPage({ list: 'bills', page: 1 }).catch(String);
      return { statusCode: 200, headers: {}, body: String(unknown) };
    });

  expect(await call(handler, {})).toMatchObject({
    body: expect.stringContaining(
      'list: expected a list of this connection, which has customers, invoices.',
    ),
  });
});

test.each([undefined, 'nobody', '__proto__', '../demo', 'demo\u0000'])(
  'answers 404 for the connection %j of an event, and repeats no word of it',
  async (connection) => {
    const handler = httpChain()
      .use(customersClient({ connection: () => connection }))
      .handler(async () => ({ statusCode: 204, headers: {}, body: '' }));

    const answer = Object(await call(handler, {}));

    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'unknown-connection',
      field: 'connection',
    });
    expect(answer.body).not.toContain('nobody');
  },
);

test('answers 500 for an error that a handler throws, and shows nothing of it', async () => {
  const handler = httpChain().handler(async () => {
    throw Object.assign(new Error('canary'), { statusCode: 400, expose: true });
  });

  const answer = Object(await call(handler, {}));

  expect(answer.statusCode).toBe(500);
  expect(JSON.stringify(answer)).not.toContain('canary');
});

test('gives a log and clients also without a chain, and no client of an unknown connection', async () => {
  const { before } = customersClients();
  const context = { ...lambdaContext() };
  await Reflect.apply(Object(before), undefined, [{ context, event: {}, internal: {} }]);
  const { customersOf, log } = Object(context);

  expect(log).toMatchObject({ info: expect.any(Function) });
  expect(await customersOf('demo')).toMatchObject({ read: expect.any(Function) });
  await expect(customersOf('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_CONNECTION' });
});
