import { randomBytes } from 'node:crypto';
import type * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import type { DynamodbEngine } from './services/dynamodb/dynamodb-engine.ts';
import type { SecretStore } from './services/secrets-manager/secret-store.ts';
import type { Queues } from './services/sqs/queues.ts';
import { engineQueueArn, type QueueEngine } from './services/sqs/sqs-engine.ts';
import type { queueSchema, secretSchema, tableSchema } from './template/resource-schemas.ts';

type Properties<Schema extends v.GenericSchema> = v.InferOutput<Schema>;

/** Makes an `AWS::SQS::Queue`. */
export async function makeQueue(
  name: string,
  properties: Properties<typeof queueSchema>,
  queues: Queues,
): Promise<void> {
  const { RedrivePolicy } = properties;
  const plain = [
    'DelaySeconds',
    'MaximumMessageSize',
    'MessageRetentionPeriod',
    'ReceiveMessageWaitTimeSeconds',
    'VisibilityTimeout',
    'FifoQueue',
    'ContentBasedDeduplication',
  ] as const;
  const attributes: Record<string, string> = {};
  for (const key of plain) {
    if (properties[key] !== undefined) attributes[key] = String(properties[key]);
  }
  if (RedrivePolicy !== undefined) {
    const target = queues.nameOfArn(RedrivePolicy.deadLetterTargetArn);
    if (target === undefined) {
      const problem = `its dead-letter queue ${RedrivePolicy.deadLetterTargetArn} is not in the stack`;
      throw new SettingError(name, problem);
    }
    attributes['RedrivePolicy'] = JSON.stringify({
      deadLetterTargetArn: engineQueueArn(target),
      maxReceiveCount: RedrivePolicy.maxReceiveCount,
    });
  }
  await queues.create(name, attributes);
}

/** Makes an `AWS::S3::Bucket`. */
export async function makeBucket(name: string, engine: QueueEngine): Promise<void> {
  const answer = await engine.inject({ method: 'PUT', url: `/${name}` });
  if (answer.statusCode !== 200) {
    throw new SettingError(name, `the bucket cannot be made: ${answer.payload}`);
  }
}

/** Makes an `AWS::DynamoDB::Table` or `AWS::DynamoDB::GlobalTable`. */
export async function makeTable(
  name: string,
  properties: Properties<typeof tableSchema>,
  engine: DynamodbEngine,
): Promise<void> {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, LocalSecondaryIndexes } =
    properties;
  const answer = await engine.call('CreateTable', {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions,
    KeySchema,
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
    ...(LocalSecondaryIndexes.length > 0 && { LocalSecondaryIndexes }),
  });
  if (answer.status !== 200) {
    throw new SettingError(name, `the table cannot be made: ${answer.body}`);
  }
  const indexes = [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes];
  const keyed = [
    { path: name, KeySchema },
    ...indexes.map((index) => ({ ...index, path: `${name}/${index.IndexName}` })),
  ];
  for (const { path, KeySchema: keys } of keyed) {
    const hash = keys.find(({ KeyType }) => KeyType === 'HASH');
    if (hash !== undefined) engine.keepPartitionKey(path, hash.AttributeName);
  }
}

/** Makes an `AWS::SecretsManager::Secret`, with a random text where the template asks for one. */
export function makeSecret(
  name: string,
  { SecretString, GenerateSecretString }: Properties<typeof secretSchema>,
  store: SecretStore,
): void {
  if (GenerateSecretString === undefined) {
    store.create(name, SecretString);
    return;
  }
  const { PasswordLength, SecretStringTemplate, GenerateStringKey } = GenerateSecretString;
  const password = randomBytes(PasswordLength).toString('base64url').slice(0, PasswordLength);
  const text =
    SecretStringTemplate === undefined || GenerateStringKey === undefined
      ? password
      : JSON.stringify({ ...JSON.parse(SecretStringTemplate), [GenerateStringKey]: password });
  store.create(name, text);
}
