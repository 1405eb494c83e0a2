import * as v from 'valibot';
import {
  EndRuleSchema,
  WalkProofSchema,
  WalkSchema,
} from '../../../lib/customers-api/walks/walk-schema.ts';
import { COMPRESSIONS } from '../../../lib/exports/compression.ts';
import type {
  Cancellation,
  DroppedPage,
  ExportCounters,
  ExportReason,
  ExportState,
  HistoryPlace,
  LongWait,
  RepeatsSoFar,
} from '../../../lib/exports/export-state.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { recordOf } from '../../../lib/record-of.ts';
import {
  count,
  type EveryMember,
  EXPORT_HISTORY_INDEX,
  LEDGER_ATTRIBUTES,
  lease,
  reasonFacts,
  text,
  timeMs,
} from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';
import { repeats } from './part-items.ts';

const reasonCode = v.picklist([
  'authentication-failure',
  'key-missing',
  'key-malformed',
  'key-in-use',
  'wait-too-long',
  'unreachable',
  'unavailable',
  'refused',
  'not-advancing',
  'contradiction',
  'part-lost',
  'too-many-pages',
  'no-progress',
  'waited-too-long',
  'deadline',
  'organization-changed',
  'cancelled',
  'list-removed',
  'unstorable',
]);

const waitCause = v.picklist([
  'throttled',
  'paced',
  'cut-off',
  'network',
  'unreachable',
  'timeout',
  'aborted',
  'server-error',
  'cut',
]);

const counters = v.object({
  pages: count,
  customers: count,
  bytes: count,
  requests: count,
  throttles: count,
  waitedSeconds: count,
} satisfies EveryMember<ExportCounters>);

const reason = v.object({
  code: reasonCode,
  ...reasonFacts,
  resumeAtMs: v.exactOptional(timeMs),
} satisfies EveryMember<ExportReason>);

const cancellation = v.object({
  atMs: timeMs,
  by: text,
  reason: text,
  parts: v.picklist(['keep', 'remove']),
  removedAtMs: v.exactOptional(timeMs),
} satisfies EveryMember<Cancellation>);

const longWait = v.object({
  kind: v.literal('throttled-long'),
  step: count,
  atMs: timeMs,
  untilMs: timeMs,
  pages: count,
  customers: count,
} satisfies EveryMember<LongWait>);

const repeatsSoFar = v.object({
  rounds: count,
  ...repeats,
  readParts: v.exactOptional(count),
  rewrittenParts: v.exactOptional(count),
  conflicts: v.exactOptional(count),
  moved: v.exactOptional(count),
  removed: v.exactOptional(count),
  found: v.exactOptional(text),
  isSettled: v.exactOptional(v.boolean()),
} satisfies EveryMember<RepeatsSoFar>);

const droppedPage = v.object({
  page: count,
  perPage: v.exactOptional(count),
} satisfies EveryMember<DroppedPage>);

const StateSchema = v.object({
  v: v.picklist([1, 2]),
  connection: text,
  list: text,
  exportId: text,
  writeToken: text,
  status: v.picklist(['running', 'completed', 'failed', 'halted', 'cancelled']),
  plan: v.object({
    resource: text,
    perPage: v.exactOptional(count),
    firstPage: count,
    query: v.optional(recordOf(text, text), {}),
    // Exports of a version without this setting are gzip, whatever the default is.
    compression: v.optional(v.picklist(COMPRESSIONS), 'gzip'),
  }),
  startedAtMs: timeMs,
  deadlineAtMs: timeMs,
  deleteAfterMs: timeMs,
  updatedAtMs: timeMs,
  step: count,
  waitsFor: v.exactOptional(waitCause),
  wakeUpSent: v.boolean(),
  notBeforeMs: timeMs,
  waitsSinceMs: v.exactOptional(timeMs),
  lease: v.exactOptional(lease),
  walk: WalkSchema,
  dropped: v.exactOptional(v.array(droppedPage)),
  end: v.exactOptional(
    v.object({
      atMs: timeMs,
      rules: v.array(EndRuleSchema),
      contradictions: v.array(text),
      outweighed: v.exactOptional(EndRuleSchema),
      proof: v.exactOptional(WalkProofSchema),
    }),
  ),
  repeats: v.exactOptional(repeatsSoFar),
  parts: v.object({ count, lastToken: v.exactOptional(text), storedBytes: count }),
  counters,
  inRow: v.object({ failures: count, blindThrottles: count, stepsWithoutPage: count }),
  wasAnswered: v.exactOptional(v.literal(true)),
  lastRequestAtMs: timeMs,
  pagesAtOnce: v.exactOptional(count),
  organizationId: v.exactOptional(text),
  keyVersions: v.array(text),
  idKeys: v.array(text),
  firstMetaText: v.exactOptional(text),
  lastMetaText: v.exactOptional(text),
  firstTotal: v.exactOptional(v.number()),
  warnings: v.exactOptional(v.array(v.object({ message: text, pages: count }))),
  reason: v.exactOptional(reason),
  haltedKeyVersion: v.exactOptional(text),
  completeness: v.exactOptional(
    v.object({
      verdict: v.picklist(['complete', 'drifted', 'unproven']),
      reasons: v.array(text),
    }),
  ),
  cancellation: v.exactOptional(cancellation),
  unannounced: v.array(
    v.union([v.picklist(['completed', 'failed', 'halted', 'cancelled']), longWait]),
  ),
} satisfies EveryMember<ExportState>);

const WithoutListSchema = v.looseObject({ v: v.literal(1), list: v.optional(v.undefined()) });

/** Versions without lists exported `customers` alone. */
const ExportStateSchema: v.GenericSchema<unknown, ExportState> = v.pipe(
  v.unknown(),
  v.transform((item) => (v.is(WithoutListSchema, item) ? { ...item, list: CUSTOMERS_LIST } : item)),
  StateSchema,
);

const SORT_PREFIX = 'export#';

/** The items `export#<id>`. */
export function createExportItems(
  table: LedgerTable,
): Pick<Ledger, 'readExport' | 'writeExport' | 'listExports'> {
  return {
    readExport: (connection, exportId) => table.get(placeOf(connection, exportId)),

    writeExport: (next, expectedToken) =>
      table.replace(placeOf(next.connection, next.exportId), next, expectedToken, {
        [LEDGER_ATTRIBUTES.historyOrder]: orderOf(next),
      }),

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
