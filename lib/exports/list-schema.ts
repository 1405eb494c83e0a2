import * as v from 'valibot';
import { defined } from '../defined.ts';
import { parseJson } from '../json/json-value.ts';
import { compareShapes, ShapeChangeSchema } from '../schema/compare-shapes.ts';
import { type RecordsReport, recordsReportEntries } from '../schema/records-describer.ts';
import { maybe, type Stored, text } from '../stored.ts';
import { timestamp } from '../stored-text.ts';
import type { StoredManifest } from './stored-manifest.ts';

/** Members that a later version adds are kept. */
const ListSchemaSchema = v.looseObject({
  version: v.literal(1),
  connection: text,
  list: text,
  exportId: text,
  /** As in the manifest. */
  organizationId: maybe(text),
  /** Of the export, ISO 8601 in UTC. */
  startedAt: timestamp,
  endedAt: timestamp,
  /** The report that this one was compared with; absent where there is none before it. */
  since: maybe(v.looseObject({ exportId: text, schemaKey: text })),
  changes: v.array(ShapeChangeSchema),
  /** Further changes, which are not listed. */
  changesLeftOut: maybe(v.number()),
  ...recordsReportEntries,
});

/** The content of `schema.json`: what the records of one export look like, and what that changed. */
export type ListSchema = Stored<typeof ListSchemaSchema>;

/** `undefined` for what is not the content of a `schema.json` of this version. */
export function parseListSchema(json: string | undefined): ListSchema | undefined {
  const parsed = v.safeParse(ListSchemaSchema, parseJson(json));
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
