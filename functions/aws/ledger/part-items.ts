import { PartRecordSchema } from '../../../lib/exports/export-state.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import type { LedgerTable } from './ledger-table.ts';

/** The items `part#<exportId>#<number>#<token>`. */
export function createPartItems(table: LedgerTable): Pick<Ledger, 'putPart' | 'listParts'> {
  return {
    putPart: async (record) => {
      const { connection, exportId, number, token } = record;
      await table.put({ connection, sort: `${prefixOf(exportId)}${number}#${token}` }, record);
    },

    listParts: async (connection, exportId) => {
      const { items, unreadable } = await table.query({
        schema: PartRecordSchema,
        condition: 'pk = :connection AND begins_with(sk, :prefix)',
        values: { ':connection': connection, ':prefix': prefixOf(exportId) },
      });
      // Without one of its parts an export must not be completed.
      for (const error of unreadable) throw error;
      return items;
    },
  };
}

function prefixOf(exportId: string): string {
  return `part#${exportId}#`;
}
