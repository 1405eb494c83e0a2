import type { Ledger } from '../../lib/exports/ports.ts';
import { ActiveExportSchema } from './export-state-schema.ts';
import { LEDGER_ATTRIBUTES, type LedgerTable } from './ledger-table.ts';
import { parseItem } from './parse-item.ts';

const SORT = 'active-export';
/** One partition of the index: it holds one small item a connection, read once in a sweep. */
const MARK = 'active';
/** An item that vanishes between the refused write and the read was over: more than once is a fault. */
const MAX_TRIES = 3;

/** The item `active-export`. */
export function createActiveItems(
  table: LedgerTable,
): Pick<Ledger, 'readActive' | 'putActiveIfAbsent' | 'clearActive' | 'listActive'> {
  const readActive: Ledger['readActive'] = async (connection) => {
    const item = await table.get({ connection, sort: SORT });
    return item === undefined ? undefined : parseItem(ActiveExportSchema, item, SORT);
  };

  return {
    readActive,

    putActiveIfAbsent: async (active) => {
      const key = { connection: active.connection, sort: SORT };
      const item = { ...active, [LEDGER_ATTRIBUTES.activeMark]: MARK };
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const written = await table.put(key, item, { expression: 'attribute_not_exists(pk)' });
        if (written === 'written') return active;
        const current = await readActive(active.connection);
        if (current !== undefined) return current;
      }
      throw new Error(
        `The active export of ${active.connection} came and went ${MAX_TRIES} times while another was started. Start again.`,
      );
    },

    clearActive: async (connection, exportId) => {
      await table.delete(
        { connection, sort: SORT },
        { expression: 'exportId = :exportId', values: { ':exportId': exportId } },
      );
    },

    listActive: async () => {
      const items = await table.listActive(MARK);
      return items.map((item) => parseItem(ActiveExportSchema, item, SORT));
    },
  };
}
