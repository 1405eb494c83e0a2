import { gzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { startLedger } from '../functions/aws/dynalite-ledger.ts';
import { createIdTable } from '../functions/aws/id-table.ts';
import { changeEvent } from '../functions/messages/told-change.ts';
import { type ExampleHandler, filesInExample, loadExample } from './bundle-example.ts';

type Given = Parameters<typeof changeEvent>[0];

const region = 'eu-central-1';
const QUEUES = ['changes', 'dead', 'welcome'];
let engine: Awaited<ReturnType<typeof startFauxqs>>;
let database: Awaited<ReturnType<typeof startLedger>>;
let keepCustomers: ExampleHandler;
let welcomeCustomers: ExampleHandler;

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket('exports');
  for (const queue of QUEUES) engine.createQueue(queue, { region });
  database = await startLedger();
  for (const TableName of ['customers', 'handled']) await createIdTable(database.client, TableName);
  const endpoint = `http://127.0.0.1:${engine.port}`;
  const urlOf = (queue: string) => `${endpoint}/000000000000/${queue}`;
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_LAMBDA_FUNCTION_NAME: 'consumer',
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    CUSTOMERS_TABLE: 'customers',
    EVENTS_TABLE: 'handled',
    CHANGES_QUEUE_URL: urlOf('changes'),
    CHANGES_DEAD_LETTER_QUEUE_URL: urlOf('dead'),
    WELCOME_QUEUE_URL: urlOf('welcome'),
  });
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  [keepCustomers, welcomeCustomers] = await Promise.all([
    loadExample('keep-customers'),
    loadExample('welcome-customers'),
  ]);
}, 180_000);
afterAll(async () => {
  jest.restoreAllMocks();
  await database.close();
  await engine.stop();
});

/** As SQS hands them to a function. */
const messagesOf = (events: readonly unknown[]) => ({
  Records: events.map((event, index) => ({
    messageId: `m${index}`,
    body: JSON.stringify(event),
    attributes: { SentTimestamp: String(Date.now()) },
    messageAttributes: {},
  })),
});
const HANDLED = { batchItemFailures: [] };
const bodiesIn = (queue: string) => engine.inspectQueue(queue)?.messages.ready ?? [];

const KINDS = ['added', 'changed', 'removed', 'added', 'changed'] as const;
/** How many of these kinds become of a record, one in each export. */
const LIVES = [1, 2, 3, 4, 5];

/** What the exports tell of some records, oldest first. */
function historyOf(connection: string) {
  return LIVES.flatMap((length, record) =>
    KINDS.slice(0, length).map((kind, number) => {
      const id = `${record + 1}2345678901234567890`;
      const text = `{"id":${id},"email":"a${number}@b.example"}`;
      return changeEvent({
        ...{ connection, kind, record: text, recordId: id, recordIdJson: id },
        ...{ id: `${connection}/${record}/${number}`, exportStartedAtMs: 1000 * number },
      });
    }),
  );
}

/** A deterministic shuffle. */
function shuffled<T>(values: readonly T[], seed: number): readonly T[] {
  let state = seed + 1;
  const keyed = values.map((value) => {
    state = (state * 48_271) % 2_147_483_647;
    return [state, value] as const;
  });
  return keyed.sort(([a], [b]) => a - b).map(([, value]) => value);
}

async function tableOf(connection: string): Promise<Readonly<Record<string, string>>> {
  const command = new ScanCommand({ TableName: 'customers', ConsistentRead: true });
  const { Items: items = [] } = await database.client.send(command);
  return Object.fromEntries(
    items
      .filter((item) => item['id']?.S?.startsWith(`${connection}/`))
      .map((item) => [item['id']?.S ?? '', item['customer']?.S ?? 'removed'])
      .sort(),
  );
}

test.each([0, 1, 2, 3, 4, 5])(
  'keep-customers has the last of each customer, in whatever order and however often events come (%i)',
  async (seed) => {
    const connection = `c${seed}`;
    const events = historyOf(connection);
    const delivered = shuffled([...events, ...events.slice(0, 5)], seed);
    for (let from = 0; from < delivered.length; from += 7) {
      const batch = messagesOf(delivered.slice(from, from + 7));
      expect(await keepCustomers(batch)).toEqual(HANDLED);
    }

    const expected = events.map(({ detail }) => [
      `${connection}/${detail.recordIdJson}`,
      detail.kind === 'removed' ? 'removed' : detail.record,
    ]);
    expect(await tableOf(connection)).toEqual(Object.fromEntries(expected));
  },
);

test('keep-customers reads a customer that is not in its event from its export', async () => {
  const recordAt = {
    bucket: 'exports',
    key: 'exports/connection=stored/list=customers/export=e/part-00001.ndjson.gz',
    line: 2,
  };
  const part = gzipSync('{"id":1}\n{"id":2,"email":"a@b.example"}\n');
  const url = `http://127.0.0.1:${engine.port}/exports/${recordAt.key}`;
  await (await fetch(url, { method: 'PUT', body: new Uint8Array(part) })).arrayBuffer();
  const event = changeEvent({
    ...{ id: 'stored', connection: 'stored', record: undefined },
    ...{ recordId: '2', recordIdJson: '2', recordAt },
  });

  expect(await keepCustomers(messagesOf([event]))).toEqual(HANDLED);
  expect(await tableOf('stored')).toEqual({ 'stored/2': '{"id":2,"email":"a@b.example"}' });
});

test('keep-customers puts aside what nobody can read, and takes its neighbours', async () => {
  const given: readonly Given[] = [
    { id: 'misfit', record: '{"id":1,"email":7}', recordIdJson: '1' },
    {
      id: 'gone',
      record: undefined,
      recordAt: { bucket: 'exports', key: 'exports/connection=demo/list=customers/none', line: 1 },
    },
    { id: 'good', connection: 'good' },
  ];
  const events = [...given.map(changeEvent), { source: 'other' }];

  expect(await keepCustomers(messagesOf(events))).toEqual(HANDLED);
  expect(bodiesIn('dead').map(({ body }) => Object(JSON.parse(body)).detail?.id)).toEqual([
    undefined,
    'misfit',
    'gone',
  ]);
  expect(Object.keys(await tableOf('good'))).toHaveLength(1);
});

test('welcome-customers asks for one welcome to each new customer, however often its event comes', async () => {
  const added = ['1', '2'].map((recordId) =>
    changeEvent({ kind: 'added', id: `welcome-${recordId}`, recordId }),
  );
  const events = [...added, changeEvent({ id: 'other' }), ...added];

  expect(await welcomeCustomers(messagesOf(events))).toEqual(HANDLED);
  expect(await welcomeCustomers(messagesOf(added))).toEqual(HANDLED);
  expect(bodiesIn('welcome').map(({ body }) => body)).toEqual([
    '{"connection":"demo","customerId":"1"}',
    '{"connection":"demo","customerId":"2"}',
  ]);
});

test('a function that takes changes needs no key, and holds nothing that makes requests with one', async () => {
  const files = await filesInExample('keep-customers');
  const names = [...files.keys()];
  const ours = [...files].filter(([file]) => /^(lib|functions)\//.test(file));
  const kib = ours.reduce((sum, [, bytes]) => sum + bytes, 0) / 1024;

  expect(
    names.filter((file) => /\/ky\/|client-secrets-manager|customers-api\/http/.test(file)),
  ).toEqual([]);
  expect(kib).toBeGreaterThan(30);
  expect(kib).toBeLessThan(44);
});
