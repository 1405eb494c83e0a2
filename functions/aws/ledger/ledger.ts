import type { Ledger } from '../../../lib/exports/ports.ts';
import { createExportItems, createPartItems } from './export-items.ts';
import { createExportLines } from './export-lines.ts';
import type { LedgerTable } from './ledger-table.ts';

/** Exports, parts and lines of exports in one DynamoDB table. */
export function createLedger(table: LedgerTable): Ledger {
  return {
    ...createExportItems(table),
    ...createPartItems(table),
    ...createExportLines(table),
  };
}
