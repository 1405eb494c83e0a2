import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';

const { BUCKET, TABLE, SECRET, HEARD_QUEUE_URL } = process.env;
const [sqs, s3, dynamodb] = [new SQSClient(), new S3Client(), new DynamoDBClient()];
const [secrets, events] = [new SecretsManagerClient(), new EventBridgeClient()];

/** Fails items that say so; the others use every service and tell the queue what came back. */
export async function handler(event: SQSEvent) {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of event.Records) {
    const body: { id: string; fail?: boolean } = JSON.parse(record.body);
    if (body.fail) batchItemFailures.push({ itemIdentifier: record.messageId });
    else await use(body.id, event.Records.length);
  }
  return { batchItemFailures };
}

async function use(id: string, batch: number): Promise<void> {
  const key = `objects/${id} ü.txt`;
  await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: `text of ${id}` }));
  const object = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
  await dynamodb.send(
    new PutItemCommand({
      TableName: TABLE,
      Item: { pk: { S: id } },
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );
  const item = await dynamodb.send(
    new GetItemCommand({ TableName: TABLE, Key: { pk: { S: id } }, ConsistentRead: true }),
  );
  const secret = await secrets.send(new GetSecretValueCommand({ SecretId: SECRET }));
  await events.send(
    new PutEventsCommand({
      Entries: [
        {
          Source: 'sample',
          DetailType: 'Used',
          Detail: JSON.stringify({ labelUpdated: 'no', id }),
        },
      ],
    }),
  );
  const told = {
    kind: 'used',
    id,
    batch,
    text: await object.Body?.transformToString(),
    item: item.Item?.['pk']?.S,
    secretLength: secret.SecretString?.length,
  };
  await sqs.send(
    new SendMessageCommand({ QueueUrl: HEARD_QUEUE_URL, MessageBody: JSON.stringify(told) }),
  );
}
