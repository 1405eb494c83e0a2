import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { defined } from '../../lib/defined.ts';
import { callAws, isAwsCode } from './call-aws.ts';
import { fromItem, type Item, toItem } from './item.ts';

/** Attributes that the table itself is about; written by the stack too. */
export const LEDGER_ATTRIBUTES = {
  /** The connection. */
  partitionKey: 'pk',
  /**
   * `gate`, `active-export`, `export#<id>`, `part#<id>#<number>#<token>`, `write#<id>` or
   * `order#<orderKey>`.
   */
  sortKey: 'sk',
  /** Seconds since the epoch after which DynamoDB deletes the item. */
  timeToLive: 'deleteAt',
  /** Only active exports have it, so the index below holds nothing else. */
  activeMark: 'activeMark',
  /** Only exports have it: `<startedAtMs, 16 digits>#<exportId>`, the same in every state of an export. */
  historyOrder: 'historyOrder',
  /** Only writes that the sweep or a person has to look at have these two. */
  openWrite: 'openWrite',
  /** Number: milliseconds since the epoch. */
  openWriteAtMs: 'openWriteAtMs',
} as const;

/** The sparse index over the active exports of all connections. */
export const ACTIVE_EXPORTS_INDEX = 'active-exports';

/** The sparse index over the exports of each connection by their start; it holds keys alone. */
export const EXPORT_HISTORY_INDEX = 'export-history';

/** The sparse index over the unfinished and the unclear writes of all connections; it holds keys alone. */
export const OPEN_WRITES_INDEX = 'open-writes';

/** A page has up to 1 MB, which is about 7,000 keys: enough to fill a sweep many times over. */
const MAX_OPEN_WRITE_PAGES = 3;

interface ItemKey {
  readonly connection: string;
  readonly sort: string;
}

export interface Condition {
  readonly expression: string;
  /** Values by placeholder, such as `:token`. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Whether a conditional write took place. */
type Written = 'written' | 'condition-failed';

/** The operations on single items that the ledger needs. Values are not checked yet: see `parseItem`. */
export interface LedgerTable {
  /** Strongly consistent. */
  get(key: ItemKey): Promise<unknown>;
  put(key: ItemKey, value: object, condition?: Condition): Promise<Written>;
  update(
    key: ItemKey,
    expression: string,
    values: Readonly<Record<string, string | number | Set<string>>>,
    condition?: string,
  ): Promise<Written>;
  delete(key: ItemKey, condition: Condition): Promise<Written>;
  /** All items of a connection whose sort key begins with the prefix. Strongly consistent. */
  list(connection: string, sortPrefix: string): Promise<readonly unknown[]>;
  /** All items in the sparse index; may lag behind. */
  listActive(mark: string): Promise<readonly unknown[]>;
  /**
   * Keys of a connection's exports, the highest order first; may lag behind.
   *
   * @param limit At most 5,000, which the 1 MB of an answer has room for.
   * @param below Only those of a lower order than this.
   */
  listHistory(
    connection: string,
    limit: number,
    below: string | undefined,
  ): Promise<readonly unknown[]>;
  /** Keys in the sparse index of writes up to a time, oldest first, some thousands at most; may lag behind. */
  listOpenWrites(mark: string, untilMs: number): Promise<readonly unknown[]>;
}

export function createLedgerTable(client: DynamoDBClient, tableName: string): LedgerTable {
  const query = async (
    input: Omit<QueryCommandInput, 'TableName'>,
    maxPages = Number.POSITIVE_INFINITY,
  ): Promise<readonly unknown[]> => {
    const values: unknown[] = [];
    let start: Item | undefined;
    let pages = 0;
    do {
      pages += 1;
      const command = new QueryCommand({
        ...input,
        TableName: tableName,
        ...defined({ ExclusiveStartKey: start }),
      });
      const answer = await callAws('DynamoDB Query', () => client.send(command));
      values.push(...(answer.Items ?? []).map(fromItem));
      start = answer.LastEvaluatedKey;
    } while (start !== undefined && pages < maxPages);
    return values;
  };

  return {
    get: async (key) => {
      const command = new GetItemCommand({
        TableName: tableName,
        Key: keyOf(key),
        ConsistentRead: true,
      });
      const { Item: item } = await callAws('DynamoDB GetItem', () => client.send(command));
      return item === undefined ? undefined : fromItem(item);
    },

    put: (key, value, condition) => {
      const command = new PutItemCommand({
        TableName: tableName,
        Item: { ...toItem(value), ...keyOf(key) },
        ...conditionOf(condition),
      });
      return unlessConditionFails('DynamoDB PutItem', () => client.send(command));
    },

    update: (key, expression, values, condition) => {
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: keyOf(key),
        UpdateExpression: expression,
        ExpressionAttributeValues: valuesOf(values),
        ...defined({ ConditionExpression: condition }),
      });
      return unlessConditionFails('DynamoDB UpdateItem', () => client.send(command));
    },

    delete: (key, condition) => {
      const command = new DeleteItemCommand({
        TableName: tableName,
        Key: keyOf(key),
        ...conditionOf(condition),
      });
      return unlessConditionFails('DynamoDB DeleteItem', () => client.send(command));
    },

    list: (connection, sortPrefix) =>
      query({
        KeyConditionExpression: 'pk = :connection AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: valuesOf({ ':connection': connection, ':prefix': sortPrefix }),
        ConsistentRead: true,
      }),

    listActive: (mark) =>
      query({
        IndexName: ACTIVE_EXPORTS_INDEX,
        KeyConditionExpression: `${LEDGER_ATTRIBUTES.activeMark} = :mark`,
        ExpressionAttributeValues: valuesOf({ ':mark': mark }),
      }),

    listHistory: (connection, limit, below) => {
      const { partitionKey, historyOrder } = LEDGER_ATTRIBUTES;
      const ofConnection = `${partitionKey} = :connection`;
      return query(
        {
          IndexName: EXPORT_HISTORY_INDEX,
          KeyConditionExpression:
            below === undefined ? ofConnection : `${ofConnection} AND ${historyOrder} < :below`,
          ExpressionAttributeValues: valuesOf({
            ':connection': connection,
            ...(below === undefined ? {} : { ':below': below }),
          }),
          ScanIndexForward: false,
          Limit: limit,
        },
        1,
      );
    },

    listOpenWrites: (mark, untilMs) =>
      query(
        {
          IndexName: OPEN_WRITES_INDEX,
          KeyConditionExpression: `${LEDGER_ATTRIBUTES.openWrite} = :mark AND ${LEDGER_ATTRIBUTES.openWriteAtMs} <= :until`,
          ExpressionAttributeValues: valuesOf({ ':mark': mark, ':until': untilMs }),
        },
        MAX_OPEN_WRITE_PAGES,
      ),
  };
}

function keyOf({ connection, sort }: ItemKey): Item {
  return {
    [LEDGER_ATTRIBUTES.partitionKey]: { S: connection },
    [LEDGER_ATTRIBUTES.sortKey]: { S: sort },
  };
}

function conditionOf(condition: Condition | undefined) {
  if (condition === undefined) return {};
  return {
    ConditionExpression: condition.expression,
    ...(condition.values === undefined
      ? {}
      : { ExpressionAttributeValues: valuesOf(condition.values) }),
  };
}

function valuesOf(values: Readonly<Record<string, string | number | Set<string>>>): Item {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value instanceof Set
        ? { SS: [...value] }
        : typeof value === 'number'
          ? { N: String(value) }
          : { S: value },
    ]),
  );
}

async function unlessConditionFails(
  operation: string,
  call: () => Promise<unknown>,
): Promise<Written> {
  try {
    await callAws(operation, call);
    return 'written';
  } catch (error) {
    if (isAwsCode(error, 'ConditionalCheckFailedException')) return 'condition-failed';
    throw error;
  }
}
