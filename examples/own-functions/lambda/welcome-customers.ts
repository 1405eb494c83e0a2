import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  type ChangeEvent,
  eachChange,
  parseChangeEvent,
  queueChain,
} from 'customers-functions/lambda';

const sqs = new SQSClient({});
const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: process.env['EVENTS_TABLE'] ?? '',
});
const config = new IdempotencyConfig({
  eventKeyJmesPath: 'id',
  throwOnNoIdempotencyKey: true,
  expiresAfterSeconds: 30 * 24 * 3600,
});

/** Asks for a welcome to each new customer, once: Powertools remembers which events were handled. */
export const handler = queueChain({
  parse: parseChangeEvent,
  queueUrl: process.env['CHANGES_QUEUE_URL'] ?? '',
  deadLetterQueueUrl: process.env['CHANGES_DEAD_LETTER_QUEUE_URL'] ?? '',
}).handler(
  eachChange({ store: 'none' }, async (change, context) => {
    config.registerLambdaContext(context);
    if (change.kind === 'added') await welcomeOnce(change);
    // Not inside of what is remembered: that is for what ended well alone, all else has to throw.
    return 'acknowledge';
  }),
);

const welcomeOnce = makeIdempotent(welcome, { persistenceStore, config });

async function welcome({ connection, recordId }: ChangeEvent): Promise<void> {
  const QueueUrl = process.env['WELCOME_QUEUE_URL'];
  const MessageBody = JSON.stringify({ connection, customerId: recordId });
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
}
