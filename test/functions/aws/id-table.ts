import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Makes a table with the partition key `id`, a text, and no sort key. */
export async function createIdTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
}
