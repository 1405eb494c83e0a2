import type { Ledger } from '../../lib/exports/ports.ts';
import { secondsOf } from './export-items.ts';
import { PartRecordSchema } from './export-state-schema.ts';
import { LEDGER_ATTRIBUTES, type LedgerTable } from './ledger-table.ts';
import { parseItem } from './parse-item.ts';

/** The items `part#<exportId>#<number>#<token>`. */
export function createPartItems(table: LedgerTable): Pick<Ledger, 'putPart' | 'listParts'> {
  return {
    putPart: async (record) => {
      const { connection, exportId, number, token } = record;
      const key = { connection, sort: `${prefixOf(exportId)}${number}#${token}` };
      const timeToLive = { [LEDGER_ATTRIBUTES.timeToLive]: secondsOf(record.deleteAfterMs) };
      await table.put(key, { ...record, ...timeToLive });
    },

    listParts: async (connection, exportId) => {
      const items = await table.list(connection, prefixOf(exportId));
      return items.map((item) => parseItem(PartRecordSchema, item, `${prefixOf(exportId)}…`));
    },
  };
}

function prefixOf(exportId: string): string {
  return `part#${exportId}#`;
}
