import * as v from 'valibot';
import { type ExportLine, ExportLineSchema } from '../../../lib/exports/export-line.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { text, timeMs } from '../../../lib/stored.ts';
import { ACTIVE_EXPORTS_INDEX, LEDGER_ATTRIBUTES } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

/** Versions without lists named one export of `customers`, and kept no token. */
const OneExportSchema = v.pipe(
  v.object({
    connection: text,
    exportId: text,
    sinceMs: timeMs,
    writeToken: v.optional(v.never()),
  }),
  v.transform(({ connection, exportId, sinceMs }) => ({
    connection,
    writeToken: exportId,
    entries: [{ list: CUSTOMERS_LIST, exportId, sinceMs }],
  })),
);

const StoredLineSchema: v.GenericSchema<unknown, ExportLine> = v.lazy((item) =>
  v.is(OneExportSchema, item) ? OneExportSchema : ExportLineSchema,
);

/** The token of an item of such a version is its export. */
const IS_EXPECTED =
  'writeToken = :expected OR (attribute_not_exists(writeToken) AND exportId = :expected)';

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
        schema: StoredLineSchema,
        index: ACTIVE_EXPORTS_INDEX,
        condition: `${LEDGER_ATTRIBUTES.activeMark} = :mark`,
        values: { ':mark': MARK },
      }),
  };
}

function placeOf(connection: string): ItemPlace<ExportLine> {
  return { connection, sort: SORT, schema: StoredLineSchema, isExpected: IS_EXPECTED };
}
