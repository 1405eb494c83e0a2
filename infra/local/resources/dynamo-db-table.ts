import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { inert, resourceType } from '../resource-type.ts';
import type { DynaliteEngine } from '../services/dynamodb/dynalite-engine.ts';

const keySchema = v.array(
  v.strictObject({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }),
);

export const tableSchema = v.strictObject({
  AttributeDefinitions: v.array(
    v.strictObject({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) }),
  ),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: v.optional(
    v.array(
      v.strictObject({
        IndexName: v.string(),
        KeySchema: keySchema,
        Projection: v.strictObject({ ProjectionType: v.picklist(['ALL', 'KEYS_ONLY']) }),
      }),
    ),
  ),
  // Price, protection, encryption and recovery; items here end with the run.
  BillingMode: inert,
  DeletionProtectionEnabled: inert,
  PointInTimeRecoverySpecification: inert,
  SSESpecification: inert,
  // AWS deletes an expired item within days, so no reader may rely on it being gone.
  TimeToLiveSpecification: inert,
});

export const dynamoDbTable = resourceType({
  type: 'AWS::DynamoDB::Table',
  schema: tableSchema,
  maxNameLength: 255,
  identity: (name, { region, accountId }) => ({
    arn: `arn:aws:dynamodb:${region}:${accountId}:table/${name}`,
  }),
  remove: async ({ name: TableName }, { tables }) => {
    const answer = await tables.call('DeleteTable', { TableName });
    if (answer.status !== 200) throw new SettingError(TableName, `the table stays: ${answer.body}`);
  },
  make: ({ name, properties }, { engines }) => makeTable(name, properties, engines.tables),
});

export async function makeTable(
  TableName: string,
  properties: v.InferOutput<typeof tableSchema>,
  engine: DynaliteEngine,
): Promise<void> {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = properties;
  const BillingMode = 'PAY_PER_REQUEST';
  const parameters = {
    TableName,
    BillingMode,
    AttributeDefinitions,
    KeySchema,
    GlobalSecondaryIndexes,
  };
  const answer = await engine.call('CreateTable', parameters);
  if (answer.status === 200) return;
  throw new SettingError(TableName, `the table cannot be made: ${answer.body}`);
}
