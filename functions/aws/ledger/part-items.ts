import * as v from 'valibot';
import type { PartRecord } from '../../../lib/exports/export-state.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { count, type EveryMember, text, timeMs } from './ledger-item.ts';
import type { LedgerTable } from './ledger-table.ts';

/** How many records came before already. */
export const repeats = { ids: count, texts: count };

const PartRecordSchema: v.GenericSchema<unknown, PartRecord> = v.object({
  connection: text,
  exportId: text,
  number: count,
  token: text,
  previousToken: v.exactOptional(text),
  key: text,
  firstPage: count,
  pages: count,
  records: count,
  bytes: count,
  storedBytes: count,
  sha256: text,
  version: text,
  withoutId: count,
  repeats: v.object(repeats),
  overlaps: v.exactOptional(v.array(count)),
  index: v.exactOptional(v.object({ bytes: count, version: text })),
  deleteAfterMs: timeMs,
} satisfies EveryMember<PartRecord>);

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
