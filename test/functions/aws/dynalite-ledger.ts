import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createUntoldExports } from '../../../functions/aws/ledger/export-items.ts';
import { createGates } from '../../../functions/aws/ledger/gates.ts';
import { createLedger } from '../../../functions/aws/ledger/ledger.ts';
import {
  ACTIVE_EXPORTS_INDEX,
  EXPORT_HISTORY_INDEX,
  OPEN_WRITES_INDEX,
} from '../../../functions/aws/ledger/ledger-item.ts';
import { LedgerTable } from '../../../functions/aws/ledger/ledger-table.ts';
import { startAnswerLosingProxy } from './answer-losing-proxy.ts';
import { listen } from './local-server.ts';
import { clientFor } from './test-clients.ts';

export const TABLE = 'ledger';

/** The ledger on an embedded DynamoDB, behind a proxy that can lose answers. */
export async function startLedger() {
  const engine = await listen(dynalite({ createTableMs: 0 }));
  const proxy = await startAnswerLosingProxy(engine.url);
  const client = new DynamoDBClient(clientFor(proxy.url));
  await client.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        ...(['pk', 'sk', 'activeMark', 'historyOrder', 'openWrite'] as const).map((name) => ({
          AttributeName: name,
          AttributeType: 'S' as const,
        })),
        { AttributeName: 'openWriteAtMs', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: ACTIVE_EXPORTS_INDEX,
          KeySchema: [
            { AttributeName: 'activeMark', KeyType: 'HASH' },
            { AttributeName: 'pk', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
        {
          IndexName: EXPORT_HISTORY_INDEX,
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'historyOrder', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
        {
          IndexName: OPEN_WRITES_INDEX,
          KeySchema: [
            { AttributeName: 'openWrite', KeyType: 'HASH' },
            { AttributeName: 'openWriteAtMs', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
  for (let active = false; !active; ) {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: TABLE }));
    active = table?.TableStatus === 'ACTIVE';
  }
  const table = new LedgerTable(client, TABLE);
  return {
    client,
    table,
    ledger: { ...createLedger(table), ...createUntoldExports(table) },
    gates: createGates(table),
    url: proxy.url,
    loseNext: proxy.loseNext,
    close: async () => {
      client.destroy();
      await proxy.close();
      await engine.close();
    },
  };
}
