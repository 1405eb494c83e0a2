import { type ExportLine, ExportLineSchema } from '../../../lib/exports/export-line.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { ACTIVE_EXPORTS_INDEX, LEDGER_ATTRIBUTES } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const SORT = 'active-export';
/** One partition of the index: it holds one small item a connection, read once in a sweep. */
const MARK = 'active';
const IN_INDEX = { [LEDGER_ATTRIBUTES.activeMark]: MARK };

/** The items `active-export`. */
export function createExportLines(
  table: LedgerTable,
): Pick<Ledger, 'readLine' | 'writeLine' | 'listLines'> {
  return {
    readLine: (connection) => table.get(placeOf(connection)),

    writeLine: async (next, expectedToken) => {
      const place = placeOf(next.connection);
      if (next.entries.length > 0) return table.replace(place, next, expectedToken, IN_INDEX);
      return expectedToken === undefined ? { kind: 'written' } : table.remove(place, expectedToken);
    },

    listLines: () =>
      table.query({
        schema: ExportLineSchema,
        index: ACTIVE_EXPORTS_INDEX,
        condition: `${LEDGER_ATTRIBUTES.activeMark} = :mark`,
        values: { ':mark': MARK },
      }),
  };
}

function placeOf(connection: string): ItemPlace<ExportLine> {
  return { connection, sort: SORT, schema: ExportLineSchema };
}
