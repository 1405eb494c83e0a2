import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startJsonService } from './aws/json-service.ts';
import { lambdaContext } from './middleware/lambda-context.ts';

const THROTTLED = { error: 'ProvisionedThroughputExceededException' } as const;

let database: Awaited<ReturnType<typeof startJsonService>>;
/** As DynamoDB answers a query that begins with these words. */
let throttled = '';
/** As it has them, by their sort keys. */
const items: Record<string, object> = {};
let sweep: (event: object, context: object) => Promise<unknown>;

const lines: string[] = [];

const queried = () =>
  database.calls.flatMap(({ input }) => Object.values(Object(input['ExpressionAttributeValues'])));

beforeAll(async () => {
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  database = await startJsonService(({ input }) => {
    const asked = JSON.stringify(input['ExpressionAttributeValues']);
    if (asked?.includes(throttled)) return THROTTLED;
    return { ok: { Items: [], Item: items[Object(input['Key']).sk?.S] } };
  });
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: database.url,
    LEDGER_TABLE: 'ledger',
    EXPORT_QUEUE_URL: 'https://sqs.invalid/1/exports',
    WRITE_QUEUE_URL: 'https://sqs.invalid/1/writes',
    CHANGE_QUEUE_URL: 'https://sqs.invalid/1/changes',
    EVENT_BUS: 'default',
    INTEGRATION_ID: 'Team',
    SECRET_PREFIX: 'customers-api/',
    CONNECTIONS: JSON.stringify({ defaults: {}, connections: {} }),
  });
  const { handler } = await import('../../functions/wake-stalled.ts');
  sweep = (event, context) => Reflect.apply(Object(handler), undefined, [event, context]);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await database.close();
});

test.each([
  ['"active"', true],
  ['"unfinished-0"', true],
  // It counts as a change that stands still, which has an alarm of its own.
  ['"unfinished-changes"', false],
])(
  'looks for exports, writes and changes though the query for %s is throttled, and fails then: %s',
  async (mark, fails) => {
    throttled = mark;
    database.calls.length = 0;

    const swept = await Promise.allSettled([sweep({}, lambdaContext())]);

    expect(swept).toMatchObject([
      fails
        ? { reason: { message: expect.stringContaining(THROTTLED.error) } }
        : { status: 'fulfilled' },
    ]);
    expect(queried()).toEqual(
      expect.arrayContaining([
        { S: 'active' },
        { S: 'unfinished-0' },
        { S: 'unfinished-7' },
        { S: 'unfinished-changes' },
      ]),
    );
  },
);

test.each([
  ['"untold-exports"', 'Sweep', ['StalledExports', 'HaltedExports', 'QueuedExports']],
  ['"unclear-0"', 'Sweep of writes', ['StalledWrites', 'HaltedWrites']],
])('counts what it found before the query for %s was throttled', async (mark, message, levels) => {
  throttled = mark;
  lines.length = 0;

  await Promise.resolve(sweep({}, lambdaContext())).catch(() => undefined);

  const logged = lines.map((line) => JSON.parse(line));
  const counted = logged.find((each) => each.message === message);
  for (const level of levels) expect(counted).toHaveProperty(level);
  expect(counted).not.toHaveProperty('UnclearWrites');
  expect(logged.some(({ level }) => level === 'ERROR')).toBe(true);
});

test('counts what fails in the sweep of a connection with a new key, and no level of it alone', async () => {
  throttled = 'nothing';
  lines.length = 0;
  const entry = { M: { list: { S: 'gone' }, exportId: { S: 'request-1' }, sinceMs: { N: '1' } } };
  items['active-export'] = {
    ...{ pk: { S: 'demo' }, sk: { S: 'active-export' }, writeToken: { S: 't' } },
    ...{ connection: { S: 'demo' }, entries: { L: [entry] } },
  };
  const detail = { name: 'customers-api/demo' };

  await sweep({ 'detail-type': 'Secret Label Updated', detail }, lambdaContext());

  const logged = lines.map((line) => JSON.parse(line));
  expect(logged).toContainEqual(
    expect.objectContaining({ message: 'Swept', list: 'gone', result: 'fail' }),
  );
  const counted = logged.find(({ message }) => message === 'Sweep');
  expect(counted).toMatchObject({ ExportsFailed: 1 });
  expect(counted).not.toHaveProperty('StalledExports');
});

test('logs each kind that could not be looked for', async () => {
  throttled = '';
  lines.length = 0;

  await expect(sweep({}, lambdaContext())).rejects.toThrow(THROTTLED.error);

  const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'ERROR');
  const told = errors.map(({ message, unread, errorMessage = '' }) => [
    message,
    unread ?? String(errorMessage).includes(THROTTLED.error),
  ]);
  expect(told).toEqual([
    ['Sweep of changes failed', 'unfinished'],
    ['Sweep of changes failed', 'held'],
    ['Sweep failed', true],
    ['Invocation failed', true],
  ]);
});
