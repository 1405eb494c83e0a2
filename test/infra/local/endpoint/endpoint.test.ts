import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  CopyObjectCommand,
  GetObjectCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Engines } from '../../../../infra/local/engines.ts';
import type { LocalAccount } from '../../../../infra/local/local-account.ts';
import { engineQueueArn } from '../../../../infra/local/services/sqs/sqs-engine.ts';
import { startSampleAccount } from '../sample-account.ts';
import { signedFetch } from '../signed-fetch.ts';

let account: LocalAccount;
let engines: Engines;
let options: {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};
let queueUrl: string;

beforeAll(async () => {
  account = await startSampleAccount();
  ({ engines } = account);
  const { endpointUrl: endpoint, region } = engines.place;
  options = { endpoint, region, credentials: engines.callers.admitPerson('operator') };
  await engines.queues.create('dead', {});
  const redrive = { deadLetterTargetArn: engineQueueArn('dead'), maxReceiveCount: 3 };
  await engines.queues.create('work', { RedrivePolicy: JSON.stringify(redrive) });
  queueUrl = `${endpoint}/111122223333/work`;
});

afterAll(() => account.stop());

const refusal = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => ({ name: 'nothing refused' }),
    (reason: unknown) => reason,
  );
  return error;
};

test('SQS refuses a message attribute without a value', async () => {
  const MessageAttributes = { Reason: { DataType: 'String', StringValue: '' } };
  const sent = new SQSClient(options).send(
    new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'x', MessageAttributes }),
  );
  expect(await refusal(sent)).toMatchObject({ name: 'InvalidParameterValue' });
});

test.each([901, -1, 1.5])('SQS refuses a delay of %p s', async (DelaySeconds) => {
  const call = new SQSClient(options).send(
    new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'x', DelaySeconds }),
  );
  expect(await refusal(call)).toMatchObject({ message: expect.stringContaining('0 to 900') });
});

test('SQS refuses a message above 1 MiB and a queue it does not have', async () => {
  const sqs = new SQSClient(options);
  const send = (QueueUrl: string, MessageBody: string) =>
    sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  for (const text of ['x'.repeat(1_048_577), 'ä'.repeat(524_289)]) {
    expect(await refusal(send(queueUrl, text))).toMatchObject({ name: 'InvalidParameterValue' });
  }
  expect(await refusal(send(`${queueUrl}-gone`, 'x'))).toMatchObject({ name: 'QueueDoesNotExist' });
});

test('SQS counts a billed request for every 64 KiB of UTF-8', async () => {
  const { sqsRequests } = engines.operatorMeter.usage().billed;
  await new SQSClient(options).send(
    new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'ä'.repeat(40_000) }),
  );
  expect(engines.operatorMeter.usage().billed.sqsRequests - sqsRequests).toBe(2);
});

test('SQS gives ARNs of this account and region', async () => {
  const { Attributes } = await new SQSClient(options).send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({
    QueueArn: 'arn:aws:sqs:eu-west-1:111122223333:work',
    RedrivePolicy: expect.stringContaining('"arn:aws:sqs:eu-west-1:111122223333:dead"'),
  });
});

test('of 20 racing S3 writes with If-None-Match: * exactly one wins', async () => {
  const s3 = new S3Client(options);
  const writes = Array.from({ length: 20 }, () =>
    s3.send(new PutObjectCommand({ Bucket: 'store', Key: 'a/race', Body: 'x', IfNoneMatch: '*' })),
  );
  const results = await Promise.allSettled(writes);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const lost = results.find(({ status }) => status === 'rejected');
  expect(lost).toMatchObject({ reason: { name: 'PreconditionFailed' } });
});

test('S3 writes over the version that If-Match names, and over no other', async () => {
  const s3 = new S3Client(options);
  const put = (Body: string, IfMatch?: string) =>
    s3.send(
      new PutObjectCommand({ Bucket: 'store', Key: 'latest', Body, ...(IfMatch && { IfMatch }) }),
    );
  expect(await refusal(put('x', '"0"'))).toMatchObject({ name: 'NoSuchKey' });
  const { ETag } = await put('one');
  expect(await refusal(put('x', '"0"'))).toMatchObject({ name: 'PreconditionFailed' });
  await put('two', ETag);
  expect(await refusal(put('three', ETag))).toMatchObject({ name: 'PreconditionFailed' });
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'store', Key: 'latest' }));
  expect(await Body?.transformToString()).toBe('two');
});

test('S3 keeps bytes as they are, also of a stream and of many megabytes', async () => {
  const s3 = new S3Client(options);
  const bytes = Buffer.alloc(3_000_000, 'customers ');
  await s3.send(new PutObjectCommand({ Bucket: 'store', Key: 'deep/é +&', Body: bytes }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'store', Key: 'deep/é +&' }));
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
  const { Contents } = await s3.send(
    new ListObjectsV2Command({ Bucket: 'store', Prefix: 'deep/' }),
  );
  expect(Contents?.map(({ Key }) => Key)).toEqual(['deep/é +&']);
});

test('S3 takes objects larger than its engine does, with their headers and conditions', async () => {
  const s3 = new S3Client({ ...options, forcePathStyle: true });
  // Two of the parts that it is stored in; the engine takes 11 MiB.
  const Body = Buffer.alloc(12 * 1024 * 1024, 'part');
  const object = { Bucket: 'store', Key: 'large/part.gz' };
  const about = { ContentType: 'application/x-ndjson', ContentEncoding: 'gzip' };
  const ChecksumSHA256 = hash('sha256', Body, 'base64');

  await s3.send(
    new PutObjectCommand({ ...object, ...about, Body, ChecksumSHA256, IfNoneMatch: '*' }),
  );
  const again = s3.send(new PutObjectCommand({ ...object, Body: 'other', IfNoneMatch: '*' }));

  expect(await refusal(again)).toMatchObject({ name: 'PreconditionFailed' });
  const stored = await s3.send(new GetObjectCommand(object));
  expect(stored).toMatchObject({ ...about, ContentLength: Body.length });
  expect(Body.equals((await stored.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
});

test('DynamoDB counts units without showing them, and a failed condition as one', async () => {
  const dynamodb = new DynamoDBClient(options);
  const before = engines.operatorMeter.usage().billed;
  const put = () =>
    dynamodb.send(
      new PutItemCommand({
        TableName: 'ledger',
        Item: { pk: { S: 'one' }, text: { S: 'x'.repeat(2_000) } },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
  expect((await put()).ConsumedCapacity).toBeUndefined();
  expect(await refusal(put())).toMatchObject({ name: 'ConditionalCheckFailedException' });
  await dynamodb.send(
    new GetItemCommand({ TableName: 'ledger', Key: { pk: { S: 'one' } }, ConsistentRead: true }),
  );
  const after = engines.operatorMeter.usage().billed;
  expect(after.dynamodbWriteUnits - before.dynamodbWriteUnits).toBe(3);
  expect(after.dynamodbReadUnits - before.dynamodbReadUnits).toBe(1);
});

test('Secrets Manager keeps the current version, and refuses a name twice', async () => {
  const secrets = new SecretsManagerClient(options);
  const create = () => secrets.send(new CreateSecretCommand({ Name: 'keys/a', SecretString: 'x' }));
  const { ARN } = await create();
  expect(ARN).toMatch(/^arn:aws:secretsmanager:eu-west-1:111122223333:secret:keys\/a-.{6}$/);
  expect(await refusal(create())).toMatchObject({ name: 'ResourceExistsException' });
  const { VersionId } = await secrets.send(
    new PutSecretValueCommand({ SecretId: ARN, SecretString: 'two' }),
  );
  const read = (SecretId: string) => secrets.send(new GetSecretValueCommand({ SecretId }));
  expect(await read('keys/a')).toMatchObject({ SecretString: 'two', VersionId, ARN });
  expect(await refusal(read('keys/none'))).toMatchObject({ name: 'ResourceNotFoundException' });
});

test('Secrets Manager lists by prefix, page by page', async () => {
  const secrets = new SecretsManagerClient(options);
  for (const name of ['list/1', 'list/2', 'list/3', 'other']) engines.secrets.put(name, 'x');
  const names: (string | undefined)[] = [];
  let NextToken: string | undefined;
  do {
    const Filters = [{ Key: 'name' as const, Values: ['list/'] }];
    const page = await secrets.send(
      new ListSecretsCommand({ Filters, MaxResults: 2, ...(NextToken && { NextToken }) }),
    );
    names.push(...(page.SecretList ?? []).map(({ Name }) => Name));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  expect(names).toEqual(['list/1', 'list/2', 'list/3']);
});

test('a new current version of a secret is told on the default bus, without its text', () => {
  const secret = engines.secrets.put('keys/c', 'canary-text');
  const { event } = engines.buses.log.at(-1) ?? {};
  expect(event).toMatchObject({
    source: 'aws.secretsmanager',
    'detail-type': 'Secret Label Updated',
    resources: [secret.arn],
    detail: {
      name: 'keys/c',
      labelUpdated: 'AWSCURRENT',
      versionId: secret.versionId,
    },
  });
  expect(JSON.stringify(engines.buses.log)).not.toContain('canary-text');
});

test('EventBridge refuses single events and takes the others', async () => {
  const good = { Source: 'shop', DetailType: 'Sold', Detail: '{"id":1}' };
  const { Entries, FailedEntryCount } = await new EventBridgeClient(options).send(
    new PutEventsCommand({
      Entries: [good, { ...good, Detail: '[' }],
    }),
  );
  expect(FailedEntryCount).toBe(1);
  expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([undefined, 'MalformedDetail']);
});

test.each<[string, () => Promise<unknown>, string]>([
  [
    'another action of SQS',
    () => new SQSClient(options).send(new GetQueueUrlCommand({ QueueName: 'work' })),
    'UnknownOperationException',
  ],
  [
    'another action of DynamoDB',
    () => new DynamoDBClient(options).send(new DescribeTableCommand({ TableName: 'ledger' })),
    'UnknownOperationException',
  ],
  [
    'an earlier version of a secret',
    () =>
      new SecretsManagerClient(options).send(
        new GetSecretValueCommand({ SecretId: 'list/1', VersionStage: 'AWSPREVIOUS' }),
      ),
    'ValidationException',
  ],
  [
    'every secret but those with a name',
    () =>
      new SecretsManagerClient(options).send(
        new ListSecretsCommand({ Filters: [{ Key: 'name', Values: ['!list'] }] }),
      ),
    'ValidationException',
  ],
  [
    'a trace of an event',
    () =>
      new EventBridgeClient(options).send(
        new PutEventsCommand({
          Entries: [{ Source: 'shop', DetailType: 'Sold', Detail: '{}', TraceHeader: 'Root=1' }],
        }),
      ),
    'ValidationException',
  ],
  [
    'a copy of an object',
    () =>
      new S3Client(options).send(
        new CopyObjectCommand({ Bucket: 'store', Key: 'b', CopySource: 'store/a' }),
      ),
    'NotImplemented',
  ],
  [
    'tags of an object',
    () =>
      new S3Client(options).send(
        new PutObjectCommand({ Bucket: 'store', Key: 'b', Body: 'x', Tagging: 'a=b' }),
      ),
    'NotImplemented',
  ],
  [
    'a version of an object',
    () =>
      new S3Client(options).send(
        new GetObjectCommand({ Bucket: 'store', Key: 'b', VersionId: 'v' }),
      ),
    'NotImplemented',
  ],
  [
    'the first list of S3',
    () => new S3Client(options).send(new ListObjectsCommand({ Bucket: 'store' })),
    'NotImplemented',
  ],
])('refuses what it does not run: %s', async (_, call, name) => {
  expect(await refusal(call())).toMatchObject({ name });
});

test('refuses a caller and a service that it does not know', async () => {
  const credentials = { accessKeyId: 'STRANGER', secretAccessKey: 'x' };
  const stranger = new SQSClient({ ...options, credentials, maxAttempts: 1 });
  const receive = stranger.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
  expect(await refusal(receive)).toMatchObject({ name: 'UnrecognizedClientException' });
  const unsigned = await fetch(options.endpoint, { method: 'POST' });
  expect([unsigned.status, await unsigned.json()]).toMatchObject([
    403,
    { __type: 'MissingAuthenticationToken' },
  ]);
  const signer = { ...options, service: 'sns' };
  const other = await signedFetch(signer, options.endpoint, { method: 'POST' });
  const { __type, message } = JSON.parse(await other.text());
  expect(__type).toBe('UnknownServiceException');
  const [, services] = /"sns" \(called by operator\); it has (.*)\.$/.exec(message) ?? [];
  expect(services?.split(', ').sort()).toEqual(Object.keys(SERVICES).sort());
});

test('docs/locally.md names each service that is open', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/locally.md'), 'utf8');
  const line = page.split('\n').find((each) => each.includes('| The AWS endpoint: '));
  expect(Object.values(SERVICES).filter((name) => line?.includes(name) !== true)).toEqual([]);
});

/** By the name in a signature. */
const SERVICES = {
  ...{ cloudformation: 'CloudFormation', dynamodb: 'DynamoDB', events: 'EventBridge' },
  ...{ lambda: 'Lambda', s3: 'S3', secretsmanager: 'Secrets Manager', sqs: 'SQS', sts: 'STS' },
};

test('counts calls by caller, and those of S3 as they are billed', async () => {
  const s3 = new S3Client(options);
  const before = engines.operatorMeter.usage().billed;
  await s3.send(new PutObjectCommand({ Bucket: 'store', Key: 'counted', Body: 'x'.repeat(1_000) }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'store', Key: 'counted' }));
  await Body?.transformToString();
  await s3.send(new ListObjectsV2Command({ Bucket: 'store' }));
  const { billed: after, calls } = engines.operatorMeter.usage();
  expect(after.s3PutLike - before.s3PutLike).toBe(2);
  expect(after.s3GetLike - before.s3GetLike).toBe(1);
  expect(calls['operator']?.['s3:GetObject']).toBeGreaterThan(0);
});
