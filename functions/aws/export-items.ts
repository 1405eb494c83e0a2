import type { Ledger } from '../../lib/exports/ports.ts';
import { ExportStateSchema } from './export-state-schema.ts';
import { type Condition, LEDGER_ATTRIBUTES, type LedgerTable } from './ledger-table.ts';
import { parseItem } from './parse-item.ts';

const SORT_PREFIX = 'export#';

/** The items `export#<id>`. */
export function createExportItems(
  table: LedgerTable,
): Pick<Ledger, 'readExport' | 'writeExport' | 'listExports'> {
  const readExport: Ledger['readExport'] = async (connection, exportId) => {
    const sort = `${SORT_PREFIX}${exportId}`;
    const item = await table.get({ connection, sort });
    return item === undefined ? undefined : parseItem(ExportStateSchema, item, sort);
  };

  return {
    readExport,

    writeExport: async (next, expectedToken) => {
      const { connection, exportId } = next;
      const key = { connection, sort: `${SORT_PREFIX}${exportId}` };
      const item = { ...next, [LEDGER_ATTRIBUTES.timeToLive]: secondsOf(next.deleteAfterMs) };
      if ((await table.put(key, item, tokenIs(expectedToken))) === 'written') {
        return { kind: 'written' };
      }
      const current = await readExport(connection, exportId);
      return current?.writeToken === next.writeToken
        ? { kind: 'written' }
        : { kind: 'conflict', current };
    },

    listExports: async (connection) => {
      const items = await table.list(connection, SORT_PREFIX);
      return items
        .map((item) => parseItem(ExportStateSchema, item, `${SORT_PREFIX}… of ${connection}`))
        .sort((a, b) => b.startedAtMs - a.startedAtMs);
    },
  };
}

function tokenIs(expected: string | undefined): Condition {
  return expected === undefined
    ? { expression: 'attribute_not_exists(pk)' }
    : { expression: 'writeToken = :expected', values: { ':expected': expected } };
}

/** DynamoDB's time to live is in seconds. */
export function secondsOf(ms: number): number {
  return Math.ceil(ms / 1000);
}
