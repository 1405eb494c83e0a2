import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  type ChangeEvent,
  dynamoDbEventStore,
  eachChange,
  parseChangeEvent,
  queueChain,
  s3RecordReader,
} from 'customers-functions/lambda';
import * as v from 'valibot';

/** What this function needs of a customer; there may be more. */
const schema = v.object({ email: v.optional(v.string()) });

const dynamo = new DynamoDBClient({});
const TableName = process.env['CUSTOMERS_TABLE'];
const store = dynamoDbEventStore({ tableName: process.env['EVENTS_TABLE'] ?? '' });

/** Keeps a table of customers in step with what the exports find. */
export const handler = queueChain({
  parse: parseChangeEvent,
  queueUrl: process.env['CHANGES_QUEUE_URL'] ?? '',
  deadLetterQueueUrl: process.env['CHANGES_DEAD_LETTER_QUEUE_URL'] ?? '',
}).handler(
  eachChange({ store, schema, readRecord: s3RecordReader() }, async (change, { log }) => {
    // What was removed stays as a mark, or an event that comes too late would bring it back.
    if (change.kind === 'removed') return keep(change, { isRemoved: { BOOL: true } });
    const customer = await change.readRecord();
    switch (customer.kind) {
      case 'record': {
        // The JSON as the API sent it: no digit of a number is lost.
        const { text, value } = customer;
        const { email = '' } = value;
        return keep(change, { customer: { S: text }, email: { S: email } });
      }
      case 'misfit':
        // Where it does not fit and what was expected there: nothing of the customer.
        log.error('Customer of another form', { path: customer.path.join('.') });
        return { deadLetterReason: `Expected ${customer.expected}.` };
      case 'gone':
        return { deadLetterReason: 'The export of the customer is deleted.' };
    }
  }),
);

/** Events come in any order: one of an earlier export never replaces one of a later. */
async function keep(change: ChangeEvent, members: Record<string, AttributeValue>) {
  const foundAtMs = { N: String(change.exportStartedAtMs) };
  const id = { S: `${change.connection}/${change.recordIdJson}` };
  try {
    const Item = { id, foundAtMs, ...members };
    const ConditionExpression = 'attribute_not_exists(id) OR foundAtMs < :foundAtMs';
    const ExpressionAttributeValues = { ':foundAtMs': foundAtMs };
    await dynamo.send(
      new PutItemCommand({ TableName, Item, ConditionExpression, ExpressionAttributeValues }),
    );
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'ConditionalCheckFailedException';
    if (!isLate) throw error;
  }
  return 'acknowledge' as const;
}
