import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import type { Swapped } from '../../../lib/steps/step-kind.ts';
import {
  type ItemName,
  isUnreadable,
  type Listing,
  listingOf,
  type UnreadableItemError,
  UnstorableItemError,
} from '../../../lib/steps/unreadable-item.ts';
import { callAws, isAwsCode } from '../call-aws.ts';
import { fromItem, type Item, LEDGER_ATTRIBUTES, parseItem, toItem } from './ledger-item.ts';

export interface ItemPlace<T> extends ItemName {
  readonly schema: v.GenericSchema<unknown, T>;
}

/** Values by placeholder, such as `:token`; those that are undefined are left out. */
type Values = Readonly<Record<string, string | number | object | undefined>>;

type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface LedgerQuery<T extends object> {
  readonly schema: v.GenericSchema<unknown, T>;
  readonly condition: string;
  readonly values: Values;
  /** An index may lag behind. @default - the table itself, strongly consistent */
  readonly index?: string;
  /** Only so many that can be read, those with the highest sort keys first. */
  readonly highest?: number;
  /** Passes over all other items, however many there are. @default - all are wanted */
  readonly isWanted?: (item: T) => boolean;
  /** Answers of up to 1 MB. @default - as many as there are */
  readonly maxPages?: number;
}

const IS_ABSENT = 'attribute_not_exists(pk)';
const IS_EXPECTED = 'writeToken = :expected';

/**
 * The operations on single items that the ledger needs. Reads throw UnreadableItemError for an item that is not what
 * its schema says; a query lists such items beside the others. A member `deleteAfterMs` becomes the time to live of
 * the item too, unless the attributes beside the members say otherwise.
 */
export class LedgerTable {
  readonly #client: DynamoDBClient;
  readonly #name: string;

  constructor(client: DynamoDBClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Strongly consistent; `undefined` when there is no such item. */
  async get<T>({ schema, connection, sort }: ItemPlace<T>): Promise<T | undefined> {
    const key = { connection, sort };
    const command = new GetItemCommand({
      TableName: this.#name,
      Key: keyOf(key),
      ConsistentRead: true,
    });
    const { Item: item } = await callAws('DynamoDB GetItem', () => this.#client.send(command));
    if (item === undefined) return undefined;
    return readItem(schema, item, key);
  }

  /** Stores or replaces the item, if the condition holds. @returns Whether it did. */
  put(key: ItemName, value: object, condition?: string, values: Values = {}): Promise<boolean> {
    const command = new PutItemCommand({
      TableName: this.#name,
      Item: { ...toItem({ ...timeToLive(value), ...value }), ...keyOf(key) },
      ...conditionOf(condition, values),
    });
    return unlessConditionFails('DynamoDB PutItem', () => this.#client.send(command));
  }

  /**
   * Stores the item if there is none. Gives what is there afterwards; `undefined` when somebody else's was there and is
   * gone again.
   */
  async create<T extends object>(place: ItemPlace<T>, value: T): Promise<T | undefined> {
    return (await this.put(place, value, IS_ABSENT)) ? value : this.get(place);
  }

  /**
   * Stores `next`, with attributes beside its members, if the item's `writeToken` is still `expectedToken`;
   * `undefined` means if there is no item.
   */
  async replace<T extends { readonly writeToken: string }>(
    place: ItemPlace<T>,
    next: T,
    expectedToken: string | undefined,
    attributes: Attributes = {},
  ): Promise<Swapped<T>> {
    const isExpected = expectedToken === undefined ? IS_ABSENT : IS_EXPECTED;
    const values = { ':expected': expectedToken };
    const isWritten = await this.put(place, { ...next, ...attributes }, isExpected, values);
    if (isWritten) return { kind: 'written' };
    // A write whose answer was lost looks like a conflict when the SDK repeats it.
    const current = await this.get(place);
    const isOurs = current?.writeToken === next.writeToken;
    return isOurs ? { kind: 'written' } : { kind: 'conflict', current };
  }

  /** @returns Whether the condition held, so that the item was changed. */
  update(key: ItemName, expression: string, values: Values, condition?: string): Promise<boolean> {
    const update = new UpdateItemCommand(this.#updateOf(key, expression, values, condition));
    return unlessConditionFails('DynamoDB UpdateItem', () => this.#client.send(update));
  }

  /** The same. @returns The item after the change; `undefined` when the condition did not hold. */
  async updateAndRead<T>(
    { schema, ...key }: ItemPlace<T>,
    expression: string,
    values: Values,
    condition: string,
  ): Promise<T | undefined> {
    const update = new UpdateItemCommand({
      ...this.#updateOf(key, expression, values, condition),
      ReturnValues: 'ALL_NEW',
    });
    let item: Item = {};
    const isWritten = await unlessConditionFails('DynamoDB UpdateItem', async () => {
      item = (await this.#client.send(update)).Attributes ?? {};
    });
    if (!isWritten) return undefined;
    return readItem(schema, item, key);
  }

  /** Deletes the item if its `writeToken` is still `expectedToken`. One that is gone counts as deleted. */
  async remove<T extends { readonly writeToken: string }>(
    place: ItemPlace<T>,
    expectedToken: string,
  ): Promise<Swapped<T>> {
    const command = new DeleteItemCommand({
      TableName: this.#name,
      Key: keyOf(place),
      ...conditionOf(IS_EXPECTED, { ':expected': expectedToken }),
    });
    const isDeleted = await unlessConditionFails('DynamoDB DeleteItem', () =>
      this.#client.send(command),
    );
    const current = isDeleted ? undefined : await this.get(place);
    return current === undefined ? { kind: 'written' } : { kind: 'conflict', current };
  }

  async query<T extends object>(query: LedgerQuery<T>): Promise<Listing<T>> {
    const { schema, condition, values, index, highest, isWanted, maxPages = Infinity } = query;
    const found: (T | UnreadableItemError)[] = [];
    let missing = highest ?? Infinity;
    let start: Item | undefined;
    let pages = 0;
    do {
      pages += 1;
      const command = new QueryCommand({
        TableName: this.#name,
        KeyConditionExpression: condition,
        ExpressionAttributeValues: toItem(values),
        ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
        ...(highest === undefined ? {} : { ScanIndexForward: false }),
        ...(highest === undefined || isWanted !== undefined ? {} : { Limit: missing }),
        ...defined({ ExclusiveStartKey: start }),
      });
      const answer = await callAws('DynamoDB Query', () => this.#client.send(command));
      const read = (answer.Items ?? [])
        .map((item) => parseItem(schema, fromItem(item), nameOf(item)))
        .filter((item) => isUnreadable(item) || (isWanted?.(item) ?? true));
      missing -= listingOf(read).items.length;
      found.push(...read);
      start = answer.LastEvaluatedKey;
    } while (start !== undefined && pages < maxPages && missing > 0);
    const { items, unreadable } = listingOf(found);
    return { items: items.slice(0, highest), unreadable };
  }

  #updateOf(key: ItemName, expression: string, values: Values, condition?: string) {
    return {
      TableName: this.#name,
      Key: keyOf(key),
      UpdateExpression: expression,
      ExpressionAttributeValues: toItem(values),
      ...defined({ ConditionExpression: condition }),
    };
  }
}

function nameOf(item: Item): ItemName {
  const { partitionKey, sortKey } = LEDGER_ATTRIBUTES;
  return { connection: item[partitionKey]?.S ?? '', sort: item[sortKey]?.S ?? '' };
}

function keyOf({ connection, sort }: ItemName): Item {
  const { partitionKey, sortKey } = LEDGER_ATTRIBUTES;
  return { [partitionKey]: { S: connection }, [sortKey]: { S: sort } };
}

/** DynamoDB's time to live is in seconds. */
function timeToLive(value: object): Attributes {
  const { deleteAfterMs } = { deleteAfterMs: undefined, ...value };
  if (typeof deleteAfterMs !== 'number') return {};
  return { [LEDGER_ATTRIBUTES.timeToLive]: Math.ceil(deleteAfterMs / 1000) };
}

function conditionOf(condition: string | undefined, values: Values) {
  const given = toItem(values);
  return {
    ...defined({ ConditionExpression: condition }),
    ...(Object.keys(given).length === 0 ? {} : { ExpressionAttributeValues: given }),
  };
}

/** @throws UnreadableItemError */
function readItem<T>(schema: v.GenericSchema<unknown, T>, item: Item, key: ItemName): T {
  const read = parseItem(schema, fromItem(item), key);
  if (isUnreadable(read)) throw read;
  return read;
}

const UNSTORABLE =
  'The ledger refused what was to be stored: DynamoDB takes no item of more than 400 KB, and no number out of its range.';

/**
 * Whether the condition held, and the call had its effect.
 *
 * @throws UnstorableItemError for what is refused whenever it is sent; AwsCallError.
 */
async function unlessConditionFails(
  operation: string,
  call: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await callAws(operation, call);
    return true;
  } catch (error) {
    if (isAwsCode(error, 'ConditionalCheckFailedException')) return false;
    // More than 400 KB, a number out of range, an empty set: the call is refused whenever it is made.
    if (isAwsCode(error, 'ValidationException')) throw new UnstorableItemError(UNSTORABLE);
    throw error;
  }
}
