import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '../clock-and-random.ts';
import { hearLedgerClock } from './ledger-clock.ts';
import { LedgerTable } from './ledger-table.ts';

/** The ledger's table, the clock that all who use it hear, and our own clock, which that sets right. */
export function openLedger(client: DynamoDBClient, tableName: string) {
  const shared = hearLedgerClock(client);
  const table = new LedgerTable(client, tableName);
  return { table, shared, clock: { ...systemClock, now: shared.now } };
}
