import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { systemClock } from '../clock-and-random.ts';
import { createExportItems, createPartItems } from './export-items.ts';
import { createExportLines } from './export-lines.ts';
import { hearLedgerClock } from './ledger-clock.ts';
import { LedgerTable } from './ledger-table.ts';

/** The ledger's table, the clock that all who use it hear, and our own clock, which that sets right. */
export function openLedger(client: DynamoDBClient, tableName: string) {
  const shared = hearLedgerClock(client);
  const table = new LedgerTable(client, tableName);
  return { table, shared, clock: { ...systemClock, now: shared.now } };
}

/** Exports, parts and lines of exports in one DynamoDB table. */
export function createLedger(table: LedgerTable): Ledger {
  return {
    ...createExportItems(table),
    ...createPartItems(table),
    ...createExportLines(table),
  };
}
