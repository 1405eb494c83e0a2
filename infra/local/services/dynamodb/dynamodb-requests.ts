import * as v from 'valibot';
import type { IamRequest } from '../../iam/request.ts';
import type { Place } from '../../template/place.ts';

/** The name of the partition key of a table, or of one of its indexes. */
export type PartitionKeyOf = (table: string, index: string | undefined) => string | undefined;

const attribute = v.union([
  v.object({ S: v.string() }),
  v.object({ N: v.string() }),
  v.object({ B: v.string() }),
]);
const item = v.record(v.string(), v.unknown());

const callSchema = v.object({
  TableName: v.optional(v.string()),
  IndexName: v.optional(v.string()),
  Key: v.optional(item),
  Item: v.optional(item),
  KeyConditionExpression: v.optional(v.string()),
  ExpressionAttributeNames: v.optional(v.record(v.string(), v.string()), {}),
  ExpressionAttributeValues: v.optional(item, {}),
  RequestItems: v.optional(v.record(v.string(), v.unknown()), {}),
});
type Call = v.InferOutput<typeof callSchema>;

const readsSchema = v.object({ Keys: v.array(item) });
const writesSchema = v.array(
  v.object({
    PutRequest: v.optional(v.object({ Item: item })),
    DeleteRequest: v.optional(v.object({ Key: item })),
  }),
);

/**
 * What a call of Amazon DynamoDB needs: the table, or the index for a query of one, with the partition
 * keys as `dynamodb:LeadingKeys` (DynamoDB developer guide, "Using IAM policy conditions").
 */
export function dynamodbRequests(
  action: string,
  parameters: unknown,
  { region, accountId }: Place,
  partitionKeyOf: PartitionKeyOf,
): readonly IamRequest[] {
  const parsed = v.safeParse(callSchema, parameters);
  const call: Call = parsed.success
    ? parsed.output
    : { ExpressionAttributeNames: {}, ExpressionAttributeValues: {}, RequestItems: {} };
  const request = (resource: string, keys: readonly string[]): IamRequest => ({
    action: `dynamodb:${action}`,
    resource,
    context: keys.length === 0 ? {} : { 'dynamodb:leadingkeys': keys },
  });
  const tableArn = (name: string) =>
    name.startsWith('arn:') ? name : `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;

  const batches = Object.entries(call.RequestItems);
  if (batches.length > 0) {
    return batches.map(([table, asked]) => {
      const key = partitionKeyOf(table, undefined) ?? '';
      return request(
        tableArn(table),
        itemsOf(asked).flatMap((entry) => texts(entry[key])),
      );
    });
  }
  const { TableName, IndexName } = call;
  if (TableName === undefined) return [request('*', [])];
  const index = IndexName === undefined ? '' : `/index/${IndexName}`;
  const key = partitionKeyOf(TableName, IndexName) ?? '';
  const addressed = texts((call.Key ?? call.Item)?.[key]);
  return [request(tableArn(TableName) + index, [...addressed, ...queriedKeys(call, key)])];
}

function itemsOf(asked: unknown): readonly v.InferOutput<typeof item>[] {
  const reads = v.safeParse(readsSchema, asked);
  if (reads.success) return reads.output.Keys;
  const writes = v.safeParse(writesSchema, asked);
  if (!writes.success) return [];
  return writes.output.map(
    ({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {},
  );
}

/** The value that a query compares the partition key with. */
function queriedKeys(call: Call, key: string): readonly string[] {
  const { KeyConditionExpression = '', ExpressionAttributeNames, ExpressionAttributeValues } = call;
  const comparisons = KeyConditionExpression.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g);
  return [...comparisons].flatMap(([, name = '', value = '']) =>
    (ExpressionAttributeNames[name] ?? name) === key ? texts(ExpressionAttributeValues[value]) : [],
  );
}

function texts(value: unknown): readonly string[] {
  const parsed = v.safeParse(attribute, value);
  return parsed.success ? Object.values(parsed.output) : [];
}
