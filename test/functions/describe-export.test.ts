import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { startJsonService } from './aws/json-service.ts';
import { clientFor } from './aws/test-clients.ts';
import { lambdaContext } from './middleware/lambda-context.ts';

/** What the function exports, as the runtime sees it. */
type Handler = (event: unknown, context: object) => Promise<unknown>;

const FOLDER = 'exports/connection=demo/list=customers/';
const EVENT = {
  source: 'customers-functions',
  'detail-type': 'Export Completed',
  detail: {
    integration: 'Team',
    connection: 'demo',
    list: 'customers',
    exportId: 'second',
    manifestKey: `${FOLDER}export=second/manifest.json`,
  },
};
let engine: Awaited<ReturnType<typeof startFauxqs>>;
let bus: Awaited<ReturnType<typeof startJsonService>>;
let s3: S3Client;
let sqs: SQSClient;
let describe: Handler;
const logged: string[] = [];

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket('exports');
  const endpoint = `http://127.0.0.1:${engine.port}`;
  for (const queue of ['work', 'dead']) engine.createQueue(queue, { region: 'eu-central-1' });
  bus = await startJsonService(() => ({
    ok: { FailedEntryCount: 0, Entries: [{ EventId: '1' }] },
  }));
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    logged.push(String(line));
    return true;
  });
  s3 = new S3Client({ ...clientFor(endpoint), forcePathStyle: true });
  sqs = new SQSClient(clientFor(endpoint));
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
    EXPORT_BUCKET: 'exports',
    DESCRIPTION_QUEUE_URL: `${endpoint}/000000000000/work`,
    DEAD_LETTER_QUEUE_URL: `${endpoint}/000000000000/dead`,
    EVENT_BUS: 'default',
    INTEGRATION_ID: 'Team',
  });
  const { handler } = await import('../../functions/describe-export.ts');
  describe = (event, context) => Reflect.apply(Object(handler), undefined, [event, context]);
});
afterAll(async () => {
  jest.restoreAllMocks();
  s3.destroy();
  sqs.destroy();
  await bus.close();
  await engine.stop();
});

test('sends an export on when its time is up, describes it with more, and says in the log how many changes', async () => {
  await complete('first', '{"id":1,"fax":"canary"}\n');
  await complete('second', '{"id":1}\n');
  expect(await invoke('first', 300_000)).toEqual({ batchItemFailures: [] });
  expect(await invoke('second', 1_000)).toEqual({ batchItemFailures: [] });
  expect(JSON.parse((await received('work')) ?? '')).toEqual(EVENT);
  expect(await stored('export=second/schema.json')).toBeUndefined();
  expect(bus.calls).toEqual([]);

  expect(await invoke('second', 300_000)).toEqual({ batchItemFailures: [] });
  expect(await stored('export=second/schema.json')).toMatchObject({ records: 1 });
  expect(bus.calls).toMatchObject([{ input: { Entries: [{ DetailType: 'Schema Changed' }] } }]);
  const lines = logged
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'Description');
  expect(lines).toMatchObject([
    { exportId: 'first', result: 'described', records: 1, changes: 0 },
    { exportId: 'second', result: 'unfinished', partsRead: 0, parts: 1 },
    { exportId: 'second', result: 'described', records: 1, changes: 1 },
  ]);
  expect(logged.join('')).not.toContain('canary');
});

test('puts aside an export with a damaged part, with the reason', async () => {
  await complete('second', '{"id":2}\n');
  const part = `${FOLDER}export=second/part-00001-t.ndjson.gz`;
  await s3.send(
    new PutObjectCommand({ Bucket: 'exports', Key: part, Body: gzipSync('{"id":3}\n') }),
  );
  const schema = `${FOLDER}export=second/schema.json`;
  await s3.send(new PutObjectCommand({ Bucket: 'exports', Key: schema, Body: '' }));

  expect(await invoke('second', 300_000)).toEqual({ batchItemFailures: [] });
  expect(JSON.parse((await received('dead')) ?? '')).toEqual(EVENT);
  expect(logged.at(-1)).toContain('its SHA-256 is another one');
});

async function complete(exportId: string, records: string): Promise<void> {
  const body = gzipSync(records);
  const key = `${FOLDER}export=${exportId}/part-00001-t.ndjson.gz`;
  const sha256 = createHash('sha256').update(body).digest('hex');
  const time = `2026-01-0${exportId === 'first' ? 1 : 2}T00:00:00.000Z`;
  const about = { connection: 'demo', list: 'customers', exportId, startedAt: time, endedAt: time };
  const parts = [{ key, customers: 1, storedBytes: body.length, sha256 }];
  const ids = { keys: ['id'], missing: 0 };
  const shown = { resource: 'customers', query: {}, completeness: { verdict: 'complete' }, ids };
  const objects = {
    [key]: body,
    [`${FOLDER}export=${exportId}/manifest.json`]: JSON.stringify({ ...about, ...shown, parts }),
    [`${FOLDER}latest.json`]: JSON.stringify(about),
  };
  for (const [Key, Body] of Object.entries(objects)) {
    await s3.send(new PutObjectCommand({ Bucket: 'exports', Key, Body }));
  }
}

function invoke(exportId: string, remainingMs: number): Promise<unknown> {
  const manifestKey = `${FOLDER}export=${exportId}/manifest.json`;
  const body = JSON.stringify({ ...EVENT, detail: { ...EVENT.detail, exportId, manifestKey } });
  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => remainingMs };
  return describe({ Records: [{ messageId: 'm-1', body }] }, context);
}

async function received(queue: string): Promise<string | undefined> {
  const QueueUrl = `http://127.0.0.1:${engine.port}/000000000000/${queue}`;
  const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  return message?.Body;
}

async function stored(name: string): Promise<unknown> {
  const command = new GetObjectCommand({ Bucket: 'exports', Key: FOLDER + name });
  const object = await s3.send(command).catch(() => undefined);
  return object && JSON.parse((await object.Body?.transformToString()) ?? 'null');
}
