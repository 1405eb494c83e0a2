import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import {
  RecordsDescriber,
  type RecordsReport,
  RecordsReportSchema,
} from '../schema/records-describer.ts';
import { type DescribedPart, describePart } from './describe-part.ts';
import { earlierSchema, parseLatestSchema } from './earlier-schema.ts';
import { type ListSchema, listSchemaOf, parseListSchema } from './list-schema.ts';
import { moveForward } from './move-forward.ts';
import type { Store } from './ports.ts';
import { RecordsIndex } from './records-index.ts';
import { type SchemaChangedEvent, schemaChangedEvent } from './schema-changed.ts';
import {
  type ExportPlace,
  latestSchemaKey,
  listSchemaKey,
  recordsIndexKey,
  storeJson,
  unfinishedSchemaKey,
} from './store-objects.ts';
import { folderOf, parseManifest, type StoredManifest } from './stored-manifest.ts';
import { pointTables } from './table-pointers.ts';

/** What a description needs from outside. Every call may throw for an outage: then the message comes back. */
export interface DescriptionPorts {
  readonly store: Pick<Store, 'read' | 'put' | 'replace' | 'delete'>;
  /** The bytes of an object as they are stored, piece by piece. */
  readonly readStored: (key: string) => AsyncIterable<Uint8Array>;
  /** Name of the bucket, for the tables. */
  readonly bucket: string;
  readonly events: { readonly publish: (event: SchemaChangedEvent) => Promise<void> };
  /** The member by which records are compared: an index of them is stored for each part. `undefined`: for none. */
  readonly indexedBy?: (manifest: StoredManifest) => string | undefined;
  /** Whether the invocation has no time for another part. */
  readonly isTimeUp: () => boolean;
}

/** A completed export, as its event names it. */
export interface CompletedExport extends ExportPlace {
  readonly manifestKey: string;
}

export type Described =
  | { readonly kind: 'described'; readonly schema: ListSchema }
  /** Goes on with the next invocation. */
  | { readonly kind: 'unfinished'; readonly partsRead: number; readonly parts: number }
  /** No repetition helps. */
  | { readonly kind: 'refused'; readonly reason: string };

const ProgressSchema = v.object({ partsRead: v.number(), report: RecordsReportSchema });

interface Progress {
  readonly partsRead: number;
  readonly report?: RecordsReport;
}

/**
 * Lets the tables read a completed export, reads its parts once, writes `schema.json` and says what changed. The
 * export itself is never written: it is complete whatever happens here. Every call of it does the same, also a
 * repeated one, one at the same time and one that goes on after a crash: the first `schema.json` stays, and the event
 * of it has one id.
 */
export async function describeExport(
  ports: DescriptionPorts,
  told: CompletedExport,
): Promise<Described> {
  const { store } = ports;
  const stored = await store.read(told.manifestKey);
  const manifest = stored && parseManifest(told.manifestKey, stored.text);
  const isOfThis = (['connection', 'list', 'exportId'] as const).every(
    (name) => manifest?.[name] === told[name],
  );
  if (manifest === undefined || !isOfThis) {
    const what = stored === undefined ? 'is not there' : 'is not the one that was written';
    return { kind: 'refused', reason: `The manifest ${told.manifestKey} ${what}.` };
  }
  // First of all: a query should not wait for what else is done here.
  await pointTables(store, ports.bucket, manifest);
  const folder = folderOf(told.manifestKey);
  const schemaKey = listSchemaKey(folder);
  const known = parseListSchema((await store.read(schemaKey))?.text);
  if (known !== undefined) {
    const latest = parseLatestSchema(
      (await store.read(latestSchemaKey(told.connection, told.list)))?.text,
    );
    // It comes again where a comparison with the last export waits, and says so once.
    const isTold = latest?.schemaKey === schemaKey;
    return tell(ports, known, folder, isTold);
  }
  const read = await readParts(ports, manifest, folder);
  if (read.kind !== 'read') return read;
  const schema = listSchemaOf(manifest, read.report, await earlierSchema(store, manifest));
  const { body, about } = storeJson(schema);
  const replaced = await store.replace(schemaKey, body, about, undefined);
  // Another worker was first. What it compared with may be another report; what it wrote is what counts.
  const written =
    replaced === 'replaced' ? schema : parseListSchema((await store.read(schemaKey))?.text);
  if (written !== undefined) return tell(ports, written, folder, false);
  return { kind: 'refused', reason: `${schemaKey} is there, but is no report. Delete it.` };
}

async function readParts(
  ports: DescriptionPorts,
  manifest: StoredManifest,
  folder: string,
): Promise<
  | Exclude<Described, { readonly kind: 'described' }>
  | { readonly kind: 'read'; readonly report: RecordsReport }
> {
  const { store } = ports;
  const { parts } = manifest;
  const idKey = ports.indexedBy?.(manifest);
  const unfinishedKey = unfinishedSchemaKey(folder);
  const kept = v.safeParse(ProgressSchema, parseJson((await store.read(unfinishedKey))?.text));
  let progress: Progress = kept.success ? kept.output : { partsRead: 0 };
  const keep = async () => {
    const { body, about } = storeJson(progress);
    await store.put(unfinishedKey, body, about);
  };
  for (const part of parts.slice(progress.partsRead)) {
    const { partsRead } = progress;
    if (ports.isTimeUp()) {
      await keep();
      return { kind: 'unfinished', partsRead, parts: parts.length };
    }
    const indexKey = recordsIndexKey(folder, partsRead + 1);
    const index =
      idKey === undefined ? undefined : { key: indexKey, records: new RecordsIndex(idKey) };
    const described = await describeIndexed(ports, part, progress.report, index).catch(
      async (error: unknown) => {
        if (partsRead > 0) await keep();
        throw error;
      },
    );
    if (described.kind === 'damaged') return { kind: 'refused', reason: described.reason };
    progress = { partsRead: partsRead + 1, report: described.report };
  }
  return { kind: 'read', report: progress.report ?? new RecordsDescriber().report() };
}

async function describeIndexed(
  { store, readStored }: DescriptionPorts,
  part: StoredManifest['parts'][number],
  soFar: RecordsReport | undefined,
  index: { readonly key: string; readonly records: RecordsIndex } | undefined,
): Promise<DescribedPart> {
  const described = await describePart(part, readStored(part.key), soFar, index?.records.add);
  const finished = described.kind === 'described' ? index?.records.finish() : undefined;
  if (index !== undefined && finished !== undefined) {
    await store.put(index.key, finished.body, finished.about);
  }
  return described;
}

async function tell(
  { store, events }: DescriptionPorts,
  schema: ListSchema,
  folder: string,
  isTold: boolean,
): Promise<Described> {
  const schemaKey = listSchemaKey(folder);
  const event = schemaChangedEvent(schema, schemaKey);
  if (event !== undefined && !isTold) await events.publish(event);
  const { connection, list, exportId, startedAt } = schema;
  const pointer = { version: 1, exportId, startedAt, schemaKey };
  await moveForward(store, latestSchemaKey(connection, list), pointer);
  await store.delete([unfinishedSchemaKey(folder)]);
  return { kind: 'described', schema };
}
