import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { exportIdOf } from '../../lib/exports/export-id.ts';
import { startLedger } from './aws/dynalite-ledger.ts';
import { startJsonService } from './aws/json-service.ts';
import { lambdaContext } from './middleware/lambda-context.ts';

/** What the functions export, as the runtime sees it. */
type Handler = (event: unknown, context: object) => Promise<unknown>;

const KEY_WITH_FAULT = 'canary key 4711';
let engine: Awaited<ReturnType<typeof startFauxqs>>;
let database: Awaited<ReturnType<typeof startLedger>>;
let services: Awaited<ReturnType<typeof startJsonService>>;
const logged: string[] = [];
let handlers: Record<'startAllExports' | 'startExport' | 'runExport' | 'wakeStalled', Handler>;

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket('exports');
  const region = 'eu-central-1';
  engine.createQueue('work', { region });
  engine.createQueue('dead', { region });
  // What the functions log.
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    logged.push(String(line));
    return true;
  });
  database = await startLedger();
  services = await startJsonService(({ operation, input }) => {
    if (operation === 'PutEvents') {
      return { ok: { FailedEntryCount: 0, Entries: [{ EventId: '1' }] } };
    }
    return input['SecretId'] === 'customers-api/nobody'
      ? { error: 'ResourceNotFoundException' }
      : { ok: { VersionId: 'v1', SecretString: KEY_WITH_FAULT } };
  });
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${engine.port}`,
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${engine.port}`,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: services.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: services.url,
    LEDGER_TABLE: 'ledger',
    EXPORT_BUCKET: 'exports',
    EXPORT_QUEUE_URL: `http://127.0.0.1:${engine.port}/000000000000/work`,
    DEAD_LETTER_QUEUE_URL: `http://127.0.0.1:${engine.port}/000000000000/dead`,
    FAN_OUT_QUEUE_URL: `http://127.0.0.1:${engine.port}/000000000000/fan-out`,
    EVENT_BUS: 'default',
    INTEGRATION_ID: 'Team',
    SECRET_PREFIX: 'customers-api/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl: 'https://api.example.com', lists: { invoices: {} } },
      connections: { demo: { lists: { invoices: false } }, third: {}, fourth: {} },
    }),
  });
  const [startAllExports, startExport, runExport, wakeStalled] = await Promise.all([
    import('../../functions/start-all-exports.ts'),
    import('../../functions/start-export.ts'),
    import('../../functions/run-export.ts'),
    import('../../functions/wake-stalled.ts'),
  ]);
  const plain =
    (handler: unknown): Handler =>
    (event, context) =>
      Reflect.apply(Object(handler), undefined, [event, context]);
  handlers = {
    startAllExports: plain(startAllExports.handler),
    startExport: plain(startExport.handler),
    runExport: plain(runExport.handler),
    wakeStalled: plain(wakeStalled.handler),
  };
});
afterAll(async () => {
  jest.restoreAllMocks();
  await services.close();
  await database.close();
  await engine.stop();
});

const bodiesIn = (queue: string) =>
  engine.inspectQueue(queue)?.messages.ready.map(({ body }): unknown => JSON.parse(body));
const trigger = { kind: 'event', eventId: 'e-1' } as const;
const wakeUpOf = (connection: string, step = 0) => ({
  v: 1,
  connection,
  exportId: exportIdOf(connection, 'customers', trigger),
  step,
});
const eventOf = (...bodies: string[]) => ({
  Records: bodies.map((body, index) => ({ messageId: `m${index}`, body })),
});

test('a start delivered twice starts one export and sends one wake-up', async () => {
  const input = { connection: 'demo', trigger };
  const { exportId } = wakeUpOf('demo');
  const started = {
    result: 'started',
    connection: 'demo',
    list: 'customers',
    exportId,
    status: 'running',
  };

  expect(await handlers.startExport(input, lambdaContext())).toEqual(started);
  expect(await handlers.startExport(input, lambdaContext())).toEqual(started);

  expect(bodiesIn('work')).toEqual([wakeUpOf('demo')]);
});

test('a start for a connection that the stack does not know fails naming it', async () => {
  await expect(
    handlers.startExport({ connection: 'nobody' }, lambdaContext()),
  ).rejects.toMatchObject({
    name: 'SettingError',
    message:
      'connection: nobody is not a connection of this stack: store its key as the secret customers-api/nobody first',
  });
});

const ours = { v: 1, integration: 'Team' };
const requested = (detail: object) => ({
  id: 'e-2',
  source: 'customers-functions.requests',
  'detail-type': 'Export Requested',
  detail,
});

test('an event delivered twice starts one export', async () => {
  const event = { ...requested({ ...ours, connection: 'third' }), time: '2026-01-01T00:00:00Z' };
  const exportId = exportIdOf('third', 'customers', { kind: 'event', eventId: 'e-2' });

  expect(await handlers.startExport(event, lambdaContext())).toMatchObject({ exportId });
  expect(await handlers.startExport(event, lambdaContext())).toMatchObject({ exportId });

  const sent = bodiesIn('work')?.filter((body) => Object(body).connection === 'third');
  expect(sent).toEqual([{ v: 1, connection: 'third', exportId, step: 0 }]);
});

test.each([
  [{ ...ours, connection: 'nobody' }, 'connection: nobody is not a connection of this stack'],
  [
    { ...ours, connection: 'demo', list: 'invoices' },
    'list: expected a list of this connection, which has customers.',
  ],
  [{ v: 1, connection: 'demo' }, 'detail.integration: missing, unknown or wrong'],
  [
    { ...ours, integration: 'Other', connection: 'demo' },
    'detail.integration: missing, unknown or wrong',
  ],
  [{ connection: 'demo' }, 'detail.v: missing, unknown or wrong in an event Export Requested.'],
])('an event with %j is kept with the reason', async (detail, reason) => {
  const event = requested(detail);

  expect(await handlers.startExport(event, lambdaContext())).toMatchObject({ result: 'refused' });

  const kept = engine.inspectQueue('dead')?.messages.ready.at(-1);
  expect(JSON.parse(kept?.body ?? '')).toEqual(event);
  expect(JSON.stringify(kept)).toContain(reason);
});

test('an event for a second list waits for the first, and says where', async () => {
  const event = { ...requested({ ...ours, connection: 'third', list: 'invoices' }), id: 'e-3' };
  const exportId = exportIdOf('third', 'invoices', { kind: 'event', eventId: 'e-3' });
  const queued = { list: 'invoices', exportId, status: 'queued', place: 1 };

  const answer = { result: 'queued', connection: 'third', ...queued };
  expect(await handlers.startExport(event, lambdaContext())).toEqual(answer);
  expect(await handlers.startExport(event, lambdaContext())).toEqual(answer);

  expect(bodiesIn('work')).not.toContainEqual(expect.objectContaining({ exportId }));
});

test('a schedule of one list for all connections starts it where it is, and nowhere else', async () => {
  const scheduledTime = '2026-01-01T00:00:00Z';
  const only = ['demo', 'fourth'];
  const message = JSON.stringify({ v: 1, scheduledTime, list: 'invoices', only });

  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => 300_000 };
  const answer = await handlers.startAllExports(eventOf(message), context);

  expect(answer).toEqual({ batchItemFailures: [] });
  const exportId = exportIdOf('fourth', 'invoices', { kind: 'schedule', scheduledTime });
  expect(bodiesIn('work')).toContainEqual({ v: 1, connection: 'fourth', exportId, step: 0 });
  expect((await database.ledger.readLine('demo'))?.entries).toHaveLength(1);
  expect(logged.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ message: 'Fan-out', list: 'invoices', started: 1, failed: 0 }),
  );
});

test('a worker handles each message of a batch on its own, and halts an export without a usable key', async () => {
  await handlers.startExport({ connection: 'other', trigger }, lambdaContext());

  const answer = await handlers.runExport(
    eventOf(
      'poison',
      JSON.stringify(wakeUpOf('other')),
      JSON.stringify({ ...wakeUpOf('demo'), exportId: 'forgotten' }),
      JSON.stringify(wakeUpOf('removed')),
    ),
    lambdaContext(),
  );

  expect(answer).toEqual({ batchItemFailures: [] });
  const state = await database.ledger.readExport('other', wakeUpOf('other').exportId);
  expect(state).toMatchObject({ status: 'halted', reason: { code: 'key-malformed' } });
  expect(JSON.stringify(state)).not.toMatch(/canary/);
  const dead = engine.inspectQueue('dead')?.messages.ready.map(({ body }) => body);
  expect(dead?.at(-1)).toBe('poison');
});

test('an event tells that an export was halted', () => {
  const events = services.calls.filter(({ operation }) => operation === 'PutEvents');

  expect(events).toHaveLength(1);
  expect(events[0]?.input).toMatchObject({ Entries: [{ DetailType: 'Export Halted' }] });
});

test('the sweep leaves alone what runs and what has no new key', async () => {
  const before = bodiesIn('work')?.length;

  await handlers.wakeStalled({}, lambdaContext());

  expect(bodiesIn('work')).toHaveLength(before ?? 0);
});

test('all of that is logged in lines of JSON without a key', () => {
  expect(logged.map((line) => JSON.parse(line).message)).toEqual(
    expect.arrayContaining(['Start', 'Step', 'Swept', 'Invocation failed']),
  );
  expect(logged.join('')).not.toMatch(/canary/);
});

test('a halt is counted in the line of its step, and a sweep tells how many are halted', () => {
  const records = logged.map((line) => JSON.parse(line));

  expect(records).toContainEqual(
    expect.objectContaining({ message: 'Step', result: 'halted', Steps: 1, ExportsHalted: 1 }),
  );
  expect(records).toContainEqual(
    expect.objectContaining({ message: 'Sweep', HaltedExports: 1, StalledExports: 0 }),
  );
});
