import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import { dynamoDbEventStore } from '../../../functions/aws/event-store.ts';
import { SettingError } from '../../../lib/errors.ts';
import { startLedger } from './dynalite-ledger.ts';
import { createIdTable } from './id-table.ts';
import { startJsonService } from './json-service.ts';

const DAY_MS = 86_400_000;
const tableName = 'handled';
let database: Awaited<ReturnType<typeof startLedger>>;

beforeAll(async () => {
  database = await startLedger();
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_LAMBDA_FUNCTION_NAME: 'consumer',
  });
  await createIdTable(database.client, tableName);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await database.close();
});

let claims = 0;
const claimOf = (id: string, forMs = 60_000) => ({
  id,
  token: `token-${claims++}`,
  untilMs: Date.now() + forMs,
});
const storeOf = (more = {}) => dynamoDbEventStore({ tableName, ...more });

test('one of 20 that claim an event at once has it', async () => {
  const store = storeOf();
  const given = await Promise.all(
    Array.from({ length: 20 }, () => store.claim(claimOf('at-once'))),
  );

  expect(given.filter((each) => each === 'new')).toHaveLength(1);
  expect(given.filter((each) => each === 'busy')).toHaveLength(19);
});

test('an event that is done is done for everyone, also for who has claimed it since', async () => {
  const store = storeOf();
  const first = claimOf('done', -1);
  const second = claimOf('done');
  expect([await store.claim(first), await store.claim(second)]).toEqual(['new', 'new']);

  await store.done(first);
  await store.forget(second);

  expect(await store.claim(claimOf('done'))).toBe('done');
});

test('an event that is forgotten is new, and nobody forgets it for another', async () => {
  const store = storeOf();
  const first = claimOf('forgotten', -1);
  await store.claim(first);
  await store.forget(first);
  const second = claimOf('forgotten');
  expect(await store.claim(second)).toBe('new');

  await store.forget(first);

  expect(await store.claim(claimOf('forgotten'))).toBe('busy');
});

test('a claim is worth nothing once its time is over', async () => {
  const store = storeOf();
  await store.claim(claimOf('crashed', -1));

  expect(await store.claim(claimOf('crashed'))).toBe('new');
});

test.each([7_200_000, -7_200_000])(
  'a claim goes by the clock of the table, %i ms ahead of this machine',
  async (aheadMs) => {
    const table = await startJsonService(() => ({
      ok: {},
      date: new Date(Date.now() + aheadMs).toUTCString(),
    }));
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.url;
    const store = storeOf();
    await store.claim(claimOf('of-another-clock'));
    await store.claim(claimOf('of-another-clock'));
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = database.url;
    await table.close();

    // A look before the first claim alone.
    expect(table.calls.map(({ operation }) => operation)).toEqual([
      'GetItem',
      'PutItem',
      'PutItem',
    ]);
    for (const { input } of table.calls.slice(1)) {
      const { Item: item, ExpressionAttributeValues: values } = v.parse(ClaimSchema, input);
      expect(Math.abs(values[':now'].N - Date.now() - aheadMs)).toBeLessThan(5_000);
      expect(Math.abs(item.claimedUntilMs.N - values[':now'].N - 60_000)).toBeLessThan(1_000);
    }
  },
);

const NumberSchema = v.object({ N: v.pipe(v.string(), v.transform(Number)) });
const ClaimSchema = v.object({
  Item: v.object({ claimedUntilMs: NumberSchema }),
  ExpressionAttributeValues: v.object({ ':now': NumberSchema }),
});

test.each(['claim', 'done', 'forget'] as const)(
  '%s is itself when its answer is lost',
  async (call) => {
    const store = storeOf();
    const claim = claimOf(`lost-${call}`);
    if (call !== 'claim') await store.claim(claim);
    database.loseNext();

    const answer = await store[call](claim);

    if (call === 'claim') expect(answer).toBe('new');
    const next = { claim: 'busy', done: 'done', forget: 'new' } as const;
    expect(await store.claim(claimOf(`lost-${call}`))).toBe(next[call]);
  },
);

test('two consumers see the same event, in one table too', async () => {
  const [one, other] = [storeOf(), storeOf({ consumer: 'other' })];
  const claim = claimOf('shared');
  await one.claim(claim);
  await one.done(claim);

  expect(await other.claim(claimOf('shared'))).toBe('new');
});

test('an item expires when it is remembered no longer', async () => {
  const store = storeOf();
  const claim = claimOf('expires');
  const itemOf = async () => {
    const Key = { id: { S: 'consumer#expires' } };
    const command = new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true });
    return (await database.client.send(command)).Item;
  };
  await store.claim(claim);
  const days = (item: Awaited<ReturnType<typeof itemOf>>) =>
    (Number(item?.['expiration']?.N) * 1000 - Date.now()) / DAY_MS;
  expect(days(await itemOf())).toBeCloseTo(30, 1);

  await store.done(claim);

  expect(days(await itemOf())).toBeCloseTo(30, 1);
  expect(Object.keys((await itemOf()) ?? {}).sort()).toEqual(['doneAtMs', 'expiration', 'id']);
});

test('an outage is an error without the request', async () => {
  const store = dynamoDbEventStore({ tableName: 'no-such-table' });

  await expect(store.claim(claimOf('x'))).rejects.toMatchObject({
    code: 'AWS_CALL_FAILED',
    operation: 'DynamoDB GetItem',
    awsCode: 'ResourceNotFoundException',
  });
});

test.each([
  [{ tableName: '' }, 'tableName'],
  [{ tableName, rememberSeconds: 59 }, 'rememberSeconds'],
  [{ tableName, rememberSeconds: 1e9 }, 'rememberSeconds'],
  [{ tableName, consumer: '' }, 'consumer'],
  [{ tableName, keyName: 'pk' }, 'keyName'],
])('%j names the option that is wrong', (options, setting) => {
  expect(() => Reflect.apply(dynamoDbEventStore, undefined, [options])).toThrow(SettingError);
  expect(() => Reflect.apply(dynamoDbEventStore, undefined, [options])).toThrow(`${setting}: `);
});

test('outside of Lambda the consumer has to be named', () => {
  jest.replaceProperty(process, 'env', { AWS_REGION: 'eu-central-1' });

  expect(() => storeOf()).toThrow('consumer: expected 1 to 128 characters');
});
