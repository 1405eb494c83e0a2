import * as v from 'valibot';
import type { HistoryPlace } from '../../lib/exports/export-state.ts';
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
      const item = {
        ...next,
        [LEDGER_ATTRIBUTES.timeToLive]: secondsOf(next.deleteAfterMs),
        [LEDGER_ATTRIBUTES.historyOrder]: historyOrder(next),
      };
      if ((await table.put(key, item, tokenIs(expectedToken))) === 'written') {
        return { kind: 'written' };
      }
      const current = await readExport(connection, exportId);
      return current?.writeToken === next.writeToken
        ? { kind: 'written' }
        : { kind: 'conflict', current };
    },

    listExports: async (connection, limit, after) => {
      const below = after === undefined ? undefined : historyOrder(after);
      const items = await table.listHistory(connection, limit, below);
      return items.map((item) => parseItem(PlaceSchema, item, `${SORT_PREFIX}… in the index`));
    },
  };
}

/** Digits of the greatest safe integer, so that texts are ordered as their times are. */
const TIME_DIGITS = 16;

function historyOrder({ startedAtMs, exportId }: HistoryPlace): string {
  return `${String(startedAtMs).padStart(TIME_DIGITS, '0')}#${exportId}`;
}

const PlaceSchema = v.pipe(
  v.object({ [LEDGER_ATTRIBUTES.historyOrder]: v.pipe(v.string(), v.regex(/^\d{16}#./)) }),
  v.transform(({ historyOrder: order }) => ({
    startedAtMs: Number(order.slice(0, TIME_DIGITS)),
    exportId: order.slice(TIME_DIGITS + 1),
  })),
);

function tokenIs(expected: string | undefined): Condition {
  return expected === undefined
    ? { expression: 'attribute_not_exists(pk)' }
    : { expression: 'writeToken = :expected', values: { ':expected': expected } };
}

/** DynamoDB's time to live is in seconds. */
export function secondsOf(ms: number): number {
  return Math.ceil(ms / 1000);
}
