import * as v from 'valibot';
import type { ListWalk } from '../../lib/customers-api/list-walk.ts';
import type {
  ActiveExport,
  ExportCounters,
  ExportReason,
  ExportState,
  LongWait,
  PartRecord,
} from '../../lib/exports/export-state.ts';

/** Makes the compiler ask for every member: one that a schema leaves out would be lost in reading. */
export type EveryMember<T> = { readonly [K in keyof T]-?: v.GenericSchema };

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const timeMs = v.pipe(v.number(), v.finite(), v.minValue(0));
export const text = v.string();

const endRule = v.picklist([
  'empty-page',
  'total-pages',
  'total',
  'no-next-page',
  'no-more',
  'refused-past-end',
  'last-page-repeated',
]);

const reasonCode = v.picklist([
  'authentication-failure',
  'key-missing',
  'key-malformed',
  'wait-too-long',
  'unavailable',
  'refused',
  'not-advancing',
  'contradiction',
  'too-many-pages',
  'no-progress',
  'waited-too-long',
  'deadline',
]);

const walk = v.object({
  firstPage: count,
  nextPage: count,
  records: count,
  largestPageRecords: count,
  lastPageRecords: count,
  emptyPagesInRow: count,
  firstFingerprint: v.exactOptional(text),
  recentFingerprints: v.array(text),
  lastEdgeIds: v.exactOptional(text),
  lastCurrentPage: v.exactOptional(v.number()),
  lastTotal: v.exactOptional(v.number()),
  lastCount: v.exactOptional(v.number()),
  saidMore: v.exactOptional(v.boolean()),
  perPage: v.exactOptional(v.number()),
} satisfies EveryMember<ListWalk>);

const counters = v.object({
  pages: count,
  customers: count,
  bytes: count,
  requests: count,
  throttles: count,
  waitedSeconds: count,
} satisfies EveryMember<ExportCounters>);

/** What a reason tells beside its code. */
export const reasonFacts = {
  message: text,
  status: v.exactOptional(v.number()),
  apiCode: v.exactOptional(text),
  requestId: v.exactOptional(text),
};

const reason = v.object({
  code: reasonCode,
  ...reasonFacts,
  resumeAtMs: v.exactOptional(timeMs),
} satisfies EveryMember<ExportReason>);

const longWait = v.object({
  kind: v.literal('throttled-long'),
  step: count,
  atMs: timeMs,
  untilMs: timeMs,
  pages: count,
  customers: count,
} satisfies EveryMember<LongWait>);

export const ExportStateSchema: v.GenericSchema<unknown, ExportState> = v.object({
  v: v.literal(1),
  connection: text,
  exportId: text,
  writeToken: text,
  status: v.picklist(['running', 'completed', 'failed', 'halted']),
  plan: v.object({ resource: text, perPage: v.exactOptional(count), firstPage: count }),
  startedAtMs: timeMs,
  deadlineAtMs: timeMs,
  deleteAfterMs: timeMs,
  updatedAtMs: timeMs,
  step: count,
  wakeUpSent: v.boolean(),
  notBeforeMs: timeMs,
  lease: v.exactOptional(v.object({ owner: text, untilMs: timeMs })),
  walk,
  end: v.exactOptional(
    v.object({ atMs: timeMs, rules: v.array(endRule), contradictions: v.array(text) }),
  ),
  parts: v.object({ count, lastToken: v.exactOptional(text), storedBytes: count }),
  counters,
  inRow: v.object({ failures: count, blindThrottles: count, stepsWithoutPage: count }),
  lastRequestAtMs: timeMs,
  keyVersions: v.array(text),
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
  unannounced: v.array(v.union([v.picklist(['completed', 'failed', 'halted']), longWait])),
} satisfies EveryMember<ExportState>);

export const PartRecordSchema: v.GenericSchema<unknown, PartRecord> = v.object({
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
  deleteAfterMs: timeMs,
} satisfies EveryMember<PartRecord>);

export const ActiveExportSchema: v.GenericSchema<unknown, ActiveExport> = v.object({
  connection: text,
  exportId: text,
  sinceMs: timeMs,
} satisfies EveryMember<ActiveExport>);
