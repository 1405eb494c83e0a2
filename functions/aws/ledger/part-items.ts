import * as v from 'valibot';
import type { PartRecord } from '../../../lib/exports/export-state.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { count, type EveryMember, text, timeMs } from './ledger-item.ts';
import type { LedgerTable } from './ledger-table.ts';

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
  deleteAfterMs: timeMs,
} satisfies EveryMember<PartRecord>);

/** The items `part#<exportId>#<number>#<token>`. */
export function createPartItems(table: LedgerTable): Pick<Ledger, 'putPart' | 'listParts'> {
  return {
    putPart: async (record) => {
      const { connection, exportId, number, token } = record;
      await table.put({ connection, sort: `${prefixOf(exportId)}${number}#${token}` }, record);
    },

    listParts: (connection, exportId) =>
      table.query({
        schema: PartRecordSchema,
        what: `${prefixOf(exportId)}…`,
        condition: 'pk = :connection AND begins_with(sk, :prefix)',
        values: { ':connection': connection, ':prefix': prefixOf(exportId) },
      }),
  };
}

function prefixOf(exportId: string): string {
  return `part#${exportId}#`;
}
