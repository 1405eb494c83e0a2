import * as v from 'valibot';
import {
  type ExportState,
  ExportStateSchema,
  type HistoryPlace,
} from '../../../lib/exports/export-state.ts';
import { sweepAtMs } from '../../../lib/exports/export-steps.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import { PartRecordSchema } from '../../../lib/exports/part-record.ts';
import type { Ledger, UntoldExports } from '../../../lib/exports/ports.ts';
import { EXPORT_HISTORY_INDEX, LEDGER_ATTRIBUTES, openItems } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const SORT_PREFIX = 'export#';

/** The partition of the index with the exports that are over and whose events are not published. */
const UNTOLD = 'untold-exports';

/** The items `export#<id>`. */
export function createExportItems(
  table: LedgerTable,
): Pick<Ledger, 'readExport' | 'writeExport' | 'listExports'> {
  return {
    readExport: (connection, exportId) => table.get(placeOf(connection, exportId)),

    writeExport: (next, expectedToken) => {
      const { historyOrder, openWrite, openWriteAtMs } = LEDGER_ATTRIBUTES;
      const dueAtMs = sweepAtMs(next);
      return table.replace(placeOf(next.connection, next.exportId), next, expectedToken, {
        [historyOrder]: orderOf(next),
        ...(dueAtMs !== undefined && { [openWrite]: UNTOLD, [openWriteAtMs]: dueAtMs }),
      });
    },

    listExports: async (connection, { limit, after, list }) => {
      const { partitionKey, historyOrder } = LEDGER_ATTRIBUTES;
      const isBelow = after === undefined ? '' : ` AND ${historyOrder} < :below`;
      const { items, unreadable } = await table.query<OrderedExport>({
        schema: OrderedExportSchema,
        index: EXPORT_HISTORY_INDEX,
        condition: `${partitionKey} = :connection${isBelow}`,
        values: { ':connection': connection, ':below': after && placeText(after) },
        highest: limit,
        ...(list === undefined ? {} : { isWanted: (each) => each.list === list }),
      });
      return { items: items.map(({ list: _list, ...place }) => place), unreadable };
    },
  };
}

function placeOf(connection: string, exportId: string): ItemPlace<ExportState> {
  return { connection, sort: `${SORT_PREFIX}${exportId}`, schema: ExportStateSchema };
}

/** Digits of the greatest safe integer, so that texts are ordered as their times are. */
const TIME_DIGITS = 16;

function placeText({ startedAtMs, exportId }: HistoryPlace): string {
  return `${String(startedAtMs).padStart(TIME_DIGITS, '0')}#${exportId}`;
}

/** The list stands last, where it changes no order: the index has keys alone, and is read for one list too. */
function orderOf(state: ExportState): string {
  return state.list === CUSTOMERS_LIST ? placeText(state) : `${placeText(state)}#${state.list}`;
}

interface OrderedExport extends HistoryPlace {
  readonly list: string;
}

const OrderedExportSchema: v.GenericSchema<unknown, OrderedExport> = v.pipe(
  v.object({ [LEDGER_ATTRIBUTES.historyOrder]: v.pipe(v.string(), v.regex(/^\d{16}#[^#]+/)) }),
  v.transform(({ historyOrder: order }) => {
    const [time = '', exportId = '', list = CUSTOMERS_LIST] = order.split('#');
    return { startedAtMs: Number(time), exportId, list };
  }),
);

/** The items `export#<id>` again. For the sweep alone: others need not load it. */
export function createUntoldExports(table: Pick<LedgerTable, 'query'>): UntoldExports {
  return {
    listUntold: async (untilMs) => {
      // About 7,000 keys: more than a sweep gets through.
      const query = { ...openItems(UNTOLD, untilMs, SORT_PREFIX), maxPages: 1 };
      const { items } = await table.query(query);
      return items.map(({ connection, id: exportId }) => ({ connection, exportId }));
    },
  };
}

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
