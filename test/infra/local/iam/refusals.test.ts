import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Engines } from '../../../../infra/local/engines.ts';
import { readStatements } from '../../../../infra/local/iam/statement.ts';
import type { LocalAccount } from '../../../../infra/local/local-account.ts';
import { startSampleAccount } from '../sample-account.ts';

const ACCOUNT = '111122223333';
const REGION = 'eu-west-1';
const arn = (service: string, name: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${name}`;
const allow = (Action: string | string[], Resource: string) => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const asWorker = (roleArn: string, service: string) => ({
  caller: 'worker',
  roleArn,
  service,
  sourceArn: arn('lambda', 'function:worker'),
  place: 'Worker',
});

const ROLE = `arn:aws:iam::${ACCOUNT}:role/worker-role`;
const TRUST = {
  Statement: {
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Principal: { Service: 'lambda.amazonaws.com' },
  },
};
/** Of a role that lacks some verbs and some prefixes, in two policies. */
const POLICIES = [
  [
    allow('sqs:SendMessage', arn('sqs', 'work')),
    allow(['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], 'arn:aws:s3:::store/exports/*'),
  ],
  [
    allow('secretsmanager:GetSecretValue', arn('secretsmanager', 'secret:keys/*')),
    allow('secretsmanager:GetSecretValue', arn('secretsmanager', 'secret:own/one-??????')),
    allow(['dynamodb:GetItem', 'dynamodb:Query'], arn('dynamodb', 'table/ledger')),
    {
      ...allow('events:PutEvents', arn('events', 'event-bus/default')),
      Condition: { StringEquals: { 'events:source': 'shop', 'events:detail-type': 'Sold' } },
    },
  ],
];

let account: LocalAccount;
let engines: Engines;
let queueUrl: string;
let sqs: SQSClient;
let s3: S3Client;
let dynamodb: DynamoDBClient;
let secrets: SecretsManagerClient;
let events: EventBridgeClient;

beforeAll(async () => {
  account = await startSampleAccount();
  ({ engines } = account);
  engines.access.addRole(ROLE, 'worker-role', readStatements(TRUST, 'Role, trust'));
  for (const Statement of POLICIES) {
    engines.access.addRolePolicy('worker-role', readStatements({ Statement }, 'Policy'), 'Policy');
  }
  engines.access.addCaller(asWorker(ROLE, 'lambda.amazonaws.com'));
  await engines.queues.create('work', {});
  for (const name of ['keys/one', 'other/one', 'own/one']) engines.secrets.put(name, 'text');
  const { endpointUrl: endpoint } = engines.place;
  const credentials = engines.callers.admitRole('worker');
  const options = { endpoint, region: REGION, credentials };
  queueUrl = `${endpoint}/${ACCOUNT}/work`;
  sqs = new SQSClient(options);
  s3 = new S3Client({ ...options, forcePathStyle: true });
  dynamodb = new DynamoDBClient(options);
  secrets = new SecretsManagerClient(options);
  events = new EventBridgeClient(options);
});

afterAll(async () => {
  for (const client of [sqs, s3, dynamodb, secrets, events]) client.destroy();
  await account.stop();
});

const event = (Source: string, EventBusName?: string) => ({
  Source,
  DetailType: 'Sold',
  Detail: '{}',
  ...(EventBusName !== undefined && { EventBusName }),
});
const query = (IndexName?: string) =>
  new QueryCommand({
    TableName: 'ledger',
    KeyConditionExpression: 'pk = :v',
    ExpressionAttributeValues: { ':v': { S: 'one' } },
    ...(IndexName !== undefined && { IndexName }),
  });

test.each<[string, () => Promise<unknown>]>([
  ['sends', () => sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'x' }))],
  ['puts', () => s3.send(new PutObjectCommand({ Bucket: 'store', Key: 'exports/a b', Body: 'x' }))],
  ['gets', () => s3.send(new GetObjectCommand({ Bucket: 'store', Key: 'exports/a b' }))],
  [
    'reads a secret by name',
    () => secrets.send(new GetSecretValueCommand({ SecretId: 'keys/one' })),
  ],
  ['reads a secret', () => secrets.send(new GetSecretValueCommand({ SecretId: 'own/one' }))],
  [
    'reads an item',
    () => dynamodb.send(new GetItemCommand({ TableName: 'ledger', Key: { pk: { S: 'one' } } })),
  ],
  ['queries items', () => dynamodb.send(query())],
  ['puts an event', () => events.send(new PutEventsCommand({ Entries: [event('shop')] }))],
])('a caller %s what its role allows', async (_, call) => {
  const before = engines.access.denied.length;
  await call();
  expect(engines.access.denied.slice(before)).toEqual([]);
});

test.each<[string, () => Promise<unknown>, string, number, string, unknown]>([
  [
    'a missing verb of SQS',
    () => sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl })),
    'AccessDeniedException',
    400,
    'sqs:ReceiveMessage',
    arn('sqs', 'work'),
  ],
  [
    'a queue that does not exist and is not allowed',
    () => sqs.send(new SendMessageCommand({ QueueUrl: `${queueUrl}2`, MessageBody: 'x' })),
    'AccessDeniedException',
    400,
    'sqs:SendMessage',
    arn('sqs', 'work2'),
  ],
  [
    'another prefix of S3',
    () => s3.send(new PutObjectCommand({ Bucket: 'store', Key: 'other/a', Body: 'x' })),
    'AccessDenied',
    403,
    's3:PutObject',
    'arn:aws:s3:::store/other/a',
  ],
  [
    'a list of S3',
    () => s3.send(new ListObjectsV2Command({ Bucket: 'store' })),
    'AccessDenied',
    403,
    's3:ListBucket',
    'arn:aws:s3:::store',
  ],
  [
    'whether an object is missing, without the list',
    () => s3.send(new GetObjectCommand({ Bucket: 'store', Key: 'exports/none' })),
    'AccessDenied',
    403,
    's3:ListBucket',
    'arn:aws:s3:::store',
  ],
  [
    'a missing verb of DynamoDB',
    () => dynamodb.send(new PutItemCommand({ TableName: 'ledger', Item: { pk: { S: 'mine' } } })),
    'AccessDeniedException',
    400,
    'dynamodb:PutItem',
    arn('dynamodb', 'table/ledger'),
  ],
  [
    'an index of a table',
    () => dynamodb.send(query('by-time')),
    'AccessDeniedException',
    400,
    'dynamodb:Query',
    arn('dynamodb', 'table/ledger/index/by-time'),
  ],
  [
    'another prefix of secrets',
    () => secrets.send(new GetSecretValueCommand({ SecretId: 'other/one' })),
    'AccessDeniedException',
    400,
    'secretsmanager:GetSecretValue',
    expect.stringMatching(/secret:other\/one-\w{6}$/),
  ],
  [
    'a secret that is gone, whose name alone is compared',
    () => {
      engines.secrets.remove('own/one');
      return secrets.send(new GetSecretValueCommand({ SecretId: 'own/one' }));
    },
    'AccessDeniedException',
    400,
    'secretsmanager:GetSecretValue',
    arn('secretsmanager', 'secret:own/one'),
  ],
  [
    'a missing verb of Secrets Manager',
    () => secrets.send(new CreateSecretCommand({ Name: 'keys/two' })),
    'AccessDeniedException',
    400,
    'secretsmanager:CreateSecret',
    expect.stringMatching(/secret:keys\/two-\w{6}$/),
  ],
  [
    'another bus beside an allowed one',
    () => events.send(new PutEventsCommand({ Entries: [event('shop'), event('shop', 'other')] })),
    'AccessDeniedException',
    400,
    'events:PutEvents',
    arn('events', 'event-bus/other'),
  ],
  [
    'an event of another source beside an allowed one',
    () => events.send(new PutEventsCommand({ Entries: [event('shop'), event('else')] })),
    'AccessDeniedException',
    400,
    'events:PutEvents',
    arn('events', 'event-bus/default'),
  ],
])('a caller is refused %s', async (_, call, name, httpStatusCode, action, resource) => {
  await expect(call()).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
  const denial = engines.access.denied.at(-1);
  expect(denial).toMatchObject({ caller: 'worker', action, resource });
  expect(denial?.message).toContain(
    `User: arn:aws:sts::${ACCOUNT}:assumed-role/worker-role/worker is not authorized to perform: ${action}`,
  );
});

test('many objects are deleted when all of them may be', async () => {
  const statusOf = async (url: string) =>
    (await engines.fauxqs.inject({ method: 'HEAD', url })).statusCode;
  for (const key of ['exports/%26x', 'other/y']) {
    const headers = { 'content-type': 'text/plain' };
    const url = `/store/${key}`;
    await engines.fauxqs.inject({ method: 'PUT', url, headers, payload: 'x' });
    expect(await statusOf(url)).toBe(200);
  }
  const remove = (...Keys: readonly string[]) => {
    const Objects = Keys.map((Key) => ({ Key }));
    return s3.send(new DeleteObjectsCommand({ Bucket: 'store', Delete: { Objects } }));
  };
  const refused = await remove('exports/&x', 'other/y');
  expect(refused).toMatchObject({ Errors: [{ Key: 'other/y', Code: 'AccessDenied' }] });
  expect(await statusOf('/store/exports/%26x')).toBe(200);
  expect(await statusOf('/store/other/y')).toBe(200);

  expect(await remove('exports/&x')).toMatchObject({ Deleted: [{ Key: 'exports/&x' }] });
  expect(await statusOf('/store/exports/%26x')).toBe(404);
});

test('a refused call of a batch changes nothing', async () => {
  expect(engines.buses.log.map(({ event: { source } }) => source)).not.toContain('else');
});

test.each([
  [
    'a role of elsewhere',
    'arn:aws:iam::111122223333:role/else',
    'lambda.amazonaws.com',
    /^Worker: its role .*role\/else is not in the template/,
  ],
  [
    'a service that it does not trust',
    'arn:aws:iam::111122223333:role/worker-role',
    'scheduler.amazonaws.com',
    /^Worker: its role worker-role cannot be assumed by scheduler/,
  ],
])('refuses %s', (_, role, service, message) => {
  expect(() => engines.access.addCaller(asWorker(role, service))).toThrow(message);
});
