import type { Ledger } from '../../../lib/exports/ports.ts';
import { createActiveExportItems } from './active-export-items.ts';
import { createExportItems } from './export-items.ts';
import type { LedgerTable } from './ledger-table.ts';
import { createPartItems } from './part-items.ts';

/** Exports, parts and active exports in one DynamoDB table. */
export function createLedger(table: LedgerTable): Ledger {
  return {
    ...createExportItems(table),
    ...createPartItems(table),
    ...createActiveExportItems(table),
  };
}
