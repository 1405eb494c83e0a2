import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { startLedger } from './aws/dynalite-ledger.ts';
import { startJsonService } from './aws/json-service.ts';
import { lambdaContext } from './middleware/lambda-context.ts';

const HOUR_MS = 3_600_000;
const CONNECTIONS = ['north', 'south', 'west'];
const QUEUES = ['work', 'dead', 'fan-out'];
const region = 'eu-central-1';
const realNow = Date.now;
let aheadMs = 0;
let engine: Awaited<ReturnType<typeof startFauxqs>>;
let database: Awaited<ReturnType<typeof startLedger>>;
let services: Awaited<ReturnType<typeof startJsonService>>;
let startAll: (message: object) => Promise<unknown>;

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  for (const name of QUEUES) engine.createQueue(name, { region });
  database = await startLedger();
  services = await startJsonService(() => ({
    ok: { SecretList: CONNECTIONS.map((name) => ({ Name: `keys/${name}` })) },
  }));
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  // The clock of the machine; the ledger has its own.
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
  const url = `http://127.0.0.1:${engine.port}`;
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_SQS: url,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: services.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: services.url,
    LEDGER_TABLE: 'ledger',
    EXPORT_QUEUE_URL: `${url}/000000000000/work`,
    DEAD_LETTER_QUEUE_URL: `${url}/000000000000/dead`,
    FAN_OUT_QUEUE_URL: `${url}/000000000000/fan-out`,
    EVENT_BUS: 'default',
    INTEGRATION_ID: 'Team',
    SECRET_PREFIX: 'keys/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl: 'https://api.example.com' },
      connections: {},
    }),
  });
  const { handler } = await import('../../functions/start-all-exports.ts');
  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => 180_000 };
  startAll = (message) => {
    const event = { Records: [{ messageId: 'm', body: JSON.stringify({ v: 1, ...message }) }] };
    return Reflect.apply(handler, undefined, [event, context]);
  };
});
const before = new Map<string, number>();
beforeEach(() => {
  for (const name of QUEUES) before.set(name, bodiesIn(name).length);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await services.close();
  await database.close();
  await engine.stop();
});

function bodiesIn(queue: string): readonly unknown[] {
  const { ready = [], delayed = [] } = engine.inspectQueue(queue)?.messages ?? {};
  return [...ready, ...delayed].map(({ body }) => JSON.parse(body));
}
/** Those that a test sent. */
const messagesIn = (queue: string) => bodiesIn(queue).slice(before.get(queue));
const atHours = (hours: number) => new Date(realNow() + hours * HOUR_MS).toISOString();

test('starts nothing before its time, by the clock of the ledger', async () => {
  aheadMs = 2 * HOUR_MS;
  await startAll({ scheduledTime: atHours(1) });

  expect(messagesIn('work')).toEqual([]);
  expect(messagesIn('fan-out')).toEqual([expect.objectContaining({ v: 1 })]);
});

test('starts what is due, and puts nothing aside as far ahead, by the clock of the ledger', async () => {
  aheadMs = -48 * HOUR_MS;
  await startAll({ scheduledTime: atHours(-0.1) });

  expect(messagesIn('work')).toHaveLength(CONNECTIONS.length);
  expect(messagesIn('fan-out')).toEqual([]);
  expect(messagesIn('dead')).toEqual([]);
});

test('puts a start aside that is for a time far ahead, by the clock of the ledger', async () => {
  aheadMs = 48 * HOUR_MS;
  await startAll({ scheduledTime: atHours(25) });

  expect(messagesIn('dead')).toEqual([expect.objectContaining({ v: 1 })]);
  expect(messagesIn('fan-out')).toEqual([]);
});
