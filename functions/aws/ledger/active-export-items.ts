import * as v from 'valibot';
import type { ActiveExport } from '../../../lib/exports/export-state.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import {
  ACTIVE_EXPORTS_INDEX,
  type EveryMember,
  LEDGER_ATTRIBUTES,
  text,
  timeMs,
} from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const ActiveExportSchema: v.GenericSchema<unknown, ActiveExport> = v.object({
  connection: text,
  exportId: text,
  sinceMs: timeMs,
} satisfies EveryMember<ActiveExport>);

const SORT = 'active-export';
/** One partition of the index: it holds one small item a connection, read once in a sweep. */
const MARK = 'active';
const IN_INDEX = { [LEDGER_ATTRIBUTES.activeMark]: MARK };
/** An item that vanishes between the refused write and the read was over: more than once is a fault. */
const MAX_TRIES = 3;

/** The item `active-export`. */
export function createActiveExportItems(
  table: LedgerTable,
): Pick<
  Ledger,
  'readActive' | 'putActiveIfAbsent' | 'replaceActive' | 'clearActive' | 'listActive'
> {
  return {
    readActive: (connection) => table.get(placeOf(connection)),

    putActiveIfAbsent: async (active) => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const current = await table.create(placeOf(active.connection), active, IN_INDEX);
        if (current !== undefined) return current;
      }
      throw new Error(
        `The active export of ${active.connection} came and went ${MAX_TRIES} times while another was started. Start again.`,
      );
    },

    replaceActive: async (next, exportId) => {
      const item = { ...next, ...IN_INDEX };
      const values = { ':exportId': exportId };
      await table.put(placeOf(next.connection), item, 'exportId = :exportId', values);
    },

    clearActive: (connection, exportId) =>
      table.delete(placeOf(connection), 'exportId = :exportId', { ':exportId': exportId }),

    listActive: () =>
      table.query({
        schema: ActiveExportSchema,
        index: ACTIVE_EXPORTS_INDEX,
        condition: `${LEDGER_ATTRIBUTES.activeMark} = :mark`,
        values: { ':mark': MARK },
      }),
  };
}

function placeOf(connection: string): ItemPlace<ActiveExport> {
  return { connection, sort: SORT, schema: ActiveExportSchema };
}
