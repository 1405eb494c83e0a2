import * as v from 'valibot';
import { defined } from '../defined.ts';
import { parseJson } from '../json/json-value.ts';
import { compareShapes, type ShapeChange, ShapeChangeSchema } from '../schema/compare-shapes.ts';
import { type RecordsReport, recordsReportEntries } from '../schema/records-describer.ts';
import type { StoredManifest } from './stored-manifest.ts';

/** The content of `schema.json`: what the records of one export look like, and what that changed. */
export interface ListSchema extends RecordsReport {
  readonly version: 1;
  readonly connection: string;
  readonly list: string;
  readonly exportId: string;
  /** As in the manifest. */
  readonly organizationId?: string;
  /** Of the export, ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** The report that this one was compared with; absent where there is none before it. */
  readonly since?: ComparedReport;
  readonly changes: readonly ShapeChange[];
  /** Further changes, which are not listed. */
  readonly changesLeftOut?: number;
}

interface ComparedReport {
  readonly exportId: string;
  readonly schemaKey: string;
}

const time = v.pipe(v.string(), v.isoTimestamp());

/** Members that a later version adds are kept. */
const ListSchemaSchema: v.GenericSchema<unknown, ListSchema> = v.looseObject({
  version: v.literal(1),
  connection: v.string(),
  list: v.string(),
  exportId: v.string(),
  organizationId: v.exactOptional(v.string()),
  startedAt: time,
  endedAt: time,
  since: v.exactOptional(v.looseObject({ exportId: v.string(), schemaKey: v.string() })),
  changes: v.array(ShapeChangeSchema),
  changesLeftOut: v.exactOptional(v.number()),
  ...recordsReportEntries,
});

/** `undefined` for what is not the content of a `schema.json` of this version. */
export function parseListSchema(text: string | undefined): ListSchema | undefined {
  const parsed = v.safeParse(ListSchemaSchema, parseJson(text));
  return parsed.success ? parsed.output : undefined;
}

/** Each has a few hundred bytes. */
const MAX_CHANGES = 1_000;

/** @param before The report to compare with, and where it is stored. */
export function listSchemaOf(
  manifest: StoredManifest,
  report: RecordsReport,
  before: { readonly schema: ListSchema; readonly schemaKey: string } | undefined,
): ListSchema {
  const { connection, list, exportId, organizationId, startedAt, endedAt } = manifest;
  const changes = before === undefined ? [] : compareShapes(before.schema.record, report.record);
  const { records, tooLong, record } = report;
  return {
    version: 1,
    connection,
    list,
    exportId,
    ...defined({ organizationId }),
    startedAt,
    endedAt,
    ...defined({
      since: before && { exportId: before.schema.exportId, schemaKey: before.schemaKey },
    }),
    changes: changes.slice(0, MAX_CHANGES),
    ...(changes.length > MAX_CHANGES && { changesLeftOut: changes.length - MAX_CHANGES }),
    records,
    ...defined({ tooLong }),
    record,
  };
}
