import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { EventClaim, EventStore } from '../../lib/changes/handle-once.ts';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import { wholeNumber } from '../../lib/number-range.ts';
import { callAws, isAwsCode } from './call-aws.ts';
import { clientSettings } from './client-settings.ts';
import { systemClock } from './clock-and-random.ts';
import { hearLedgerClock } from './ledger/ledger-clock.ts';

export interface DynamoDbEventStoreOptions {
  /**
   * Name of a table with the partition key `id`, a text, and no sort key. `expiration` is to be its attribute for the
   * time to live. A table for the idempotency of Powertools is like that, and may be used for both.
   */
  readonly tableName: string;
  /**
   * Whose memory this is, 1 to 128 characters: consumers with different names see each event, in the same table too.
   *
   * @default - name of the function
   */
  readonly consumer?: string;
  /**
   * How long it is remembered that an event was handled, 1 minute to 1 year.
   *
   * @default 2592000 (30 days: 14 in a queue, and 14 in a dead-letter queue from which it is moved back)
   */
  readonly rememberSeconds?: number;
}

const DEFAULT_REMEMBER_SECONDS = 30 * 24 * 3600;
const CONSUMER_EXPECTED =
  'expected 1 to 128 characters, or the environment variable AWS_LAMBDA_FUNCTION_NAME that Lambda sets';

const optionsSchema = () =>
  v.strictObject({
    tableName: v.pipe(
      v.string(),
      v.regex(/^[\w.:/-]{3,255}$/, 'expected the name of a table, or its ARN'),
    ),
    consumer: v.optional(
      v.pipe(
        v.string(CONSUMER_EXPECTED),
        v.minLength(1, CONSUMER_EXPECTED),
        v.maxLength(128, CONSUMER_EXPECTED),
      ),
      process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? '',
    ),
    rememberSeconds: v.optional(
      wholeNumber(60, 365 * 24 * 3600, 'seconds'),
      DEFAULT_REMEMBER_SECONDS,
    ),
  });

const ClaimSchema = v.strictObject({
  id: v.pipe(v.string(), v.nonEmpty('expected the id of an event')),
  token: v.pipe(v.string(), v.nonEmpty('expected a token')),
  untilMs: v.pipe(v.number(), v.minValue(0), v.finite('expected milliseconds since the epoch')),
} satisfies { readonly [K in keyof EventClaim]-?: v.GenericSchema });

/** What is done has no claimedUntilMs any more. */
const IS_FREE = 'attribute_not_exists(id) OR claimedUntilMs < :now';
/** Whoever has claimed it by now. */
const IS_DONE = 'SET doneAtMs = :now, expiration = :expiration REMOVE claimToken, claimedUntilMs';

/**
 * Remembers in a DynamoDB table which events were handled. It needs the rights `dynamodb:PutItem`, `GetItem`,
 * `UpdateItem` and `DeleteItem` on it. Its calls throw AwsCallError.
 *
 * @throws SettingError naming the option that is wrong.
 */
export function dynamoDbEventStore(options: DynamoDbEventStoreOptions): EventStore {
  const parsed = parseOptions(optionsSchema(), options, 'options');
  const { tableName: TableName, consumer, rememberSeconds } = parsed;
  const client = new DynamoDBClient(clientSettings());
  const clock = hearLedgerClock(client);
  let isHeard = false;
  const expiration = (fromMs: number) => number(Math.ceil(fromMs / 1000) + rememberSeconds);

  /** What somebody else's claim, or this one whose answer was lost, left there. */
  const look = async (claim: EventClaim) => {
    const Key = keyOf(consumer, claim);
    const command = new GetItemCommand({ TableName, Key, ConsistentRead: true });
    const { Item: item } = await callAws('DynamoDB GetItem', () => client.send(command));
    if (item?.['doneAtMs'] !== undefined) return 'done';
    return item?.['claimToken']?.S === claim.token ? 'new' : 'busy';
  };

  return {
    claim: async (claim) => {
      // The first answer sets our clock right: one that is wrong would take the event from whoever is at it.
      if (!isHeard && (await look(claim)) === 'done') return 'done';
      isHeard = true;
      const nowMs = clock.now();
      const untilMs = claim.untilMs + nowMs - systemClock.now();
      const command = new PutItemCommand({
        TableName,
        Item: {
          ...keyOf(consumer, claim),
          claimToken: { S: claim.token },
          claimedUntilMs: number(untilMs),
          expiration: expiration(untilMs),
        },
        ConditionExpression: IS_FREE,
        ExpressionAttributeValues: { ':now': number(nowMs) },
      });
      return (await isMet('DynamoDB PutItem', () => client.send(command))) ? 'new' : look(claim);
    },

    done: async (claim) => {
      const nowMs = clock.now();
      const command = new UpdateItemCommand({
        TableName,
        Key: keyOf(consumer, claim),
        UpdateExpression: IS_DONE,
        ExpressionAttributeValues: { ':now': number(nowMs), ':expiration': expiration(nowMs) },
      });
      await callAws('DynamoDB UpdateItem', () => client.send(command));
    },

    forget: async (claim) => {
      const command = new DeleteItemCommand({
        TableName,
        Key: keyOf(consumer, claim),
        ConditionExpression: 'claimToken = :token',
        ExpressionAttributeValues: { ':token': { S: claim.token } },
      });
      await isMet('DynamoDB DeleteItem', () => client.send(command));
    },
  };
}

function keyOf(consumer: string, claim: EventClaim) {
  const { id } = parseOptions(ClaimSchema, claim, 'claim');
  return { id: { S: `${consumer}#${id}` } };
}

const number = (value: number) => ({ N: String(value) });

/** Whether the condition of a write was met. */
async function isMet(operation: string, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await callAws(operation, call);
    return true;
  } catch (error) {
    if (isAwsCode(error, 'ConditionalCheckFailedException')) return false;
    throw error;
  }
}
