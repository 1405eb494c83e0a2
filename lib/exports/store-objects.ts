import { hash } from 'node:crypto';
import { type Compression, compressionOf, endingOf } from './compression.ts';
import type { ExportState } from './export-state.ts';
import type { ObjectAbout } from './ports.ts';

export const EXPORTS_FOLDER = 'exports/';

/** How stored objects are called, or how their names begin. What functions may read and write is told by these too. */
export const OBJECT_NAMES = {
  part: 'part-',
  recordsIndex: 'records-',
  manifest: 'manifest.json',
  schema: 'schema.json',
  unfinishedSchema: 'schema-unfinished.json',
  changes: 'changes-',
  unfinishedChanges: 'changes-unfinished/',
  latest: 'latest.json',
  latestComplete: 'latest-complete.json',
  latestSchema: 'latest-schema.json',
} as const;

export const INDEX_ENDING = '.index';

/** Which export it is. */
export type ExportPlace = Pick<ExportState, 'connection' | 'list' | 'exportId'>;

/** The folder of one export. */
export function exportPrefix({ connection, list, exportId }: ExportPlace): string {
  return `${listFolder(connection, list)}export=${exportId}/`;
}

export function connectionFolder(connection: string): string {
  return `${EXPORTS_FOLDER}connection=${connection}/`;
}

/** With all exports of one list. */
export function listFolder(connection: string, list: string): string {
  return `${connectionFolder(connection)}list=${list}/`;
}

/** @param token The claim's token, so that a worker without a lease cannot replace a part that counts. */
export function partKey(
  place: ExportPlace,
  number: number,
  token: string,
  compression: Compression,
): string {
  const digits = String(number).padStart(5, '0');
  return `${exportPrefix(place)}${OBJECT_NAMES.part}${digits}-${token}${endingOf(compression)}`;
}

export function aboutPart({
  compression,
  sha256,
}: {
  readonly compression: Compression;
  readonly sha256: string;
}): ObjectAbout {
  return { contentType: 'application/x-ndjson', contentEncoding: compression, sha256 };
}

/** Instead of a claim's token: every worker that leaves out the older rows of a part stores the same bytes. */
export const COMPACT_TOKEN = 'compact';

/** The index of a part lies beside it until the export completes. */
export function indexKey(partAt: string): string {
  return `${partAt.slice(0, -endingOf(compressionOf(partAt)).length)}${INDEX_ENDING}`;
}

/** What is known of ids that came more than once, from one step to the next. @param pieces How many are done. */
export function repeatsKey(place: ExportPlace, pieces: number): string {
  return `${exportPrefix(place)}${OBJECT_NAMES.part}repeats-${pieces}${INDEX_ENDING}`;
}

/** Whether a worker wrote it as a part, its index or for the next step. */
export function isPartObject(key: string): boolean {
  return key.slice(key.lastIndexOf('/') + 1).startsWith(OBJECT_NAMES.part);
}

/** The index of the records of a part. @param number The place of the part in the manifest, from 1. */
export function recordsIndexKey(exportFolder: string, number: number): string {
  const digits = String(number).padStart(5, '0');
  return `${exportFolder}${OBJECT_NAMES.recordsIndex}${digits}${INDEX_ENDING}`;
}

export function manifestKey(place: ExportPlace): string {
  return `${exportPrefix(place)}${OBJECT_NAMES.manifest}`;
}

/** The report of what the records of an export look like; it comes minutes after the end. */
export function listSchemaKey(exportFolder: string): string {
  return `${exportFolder}${OBJECT_NAMES.schema}`;
}

/** What is read already by a description that goes on with the next invocation. */
export function unfinishedSchemaKey(exportFolder: string): string {
  return `${exportFolder}${OBJECT_NAMES.unfinishedSchema}`;
}

/** The object that names the newest completed export of a list. */
export function latestKey(connection: string, list: string): string {
  return `${listFolder(connection, list)}${OBJECT_NAMES.latest}`;
}

/** The object that names the newest completed export of a list that is shown to be complete. */
export function latestCompleteKey(connection: string, list: string): string {
  return `${listFolder(connection, list)}${OBJECT_NAMES.latestComplete}`;
}

/** The object that names the newest report of what the records of a list look like. */
export function latestSchemaKey(connection: string, list: string): string {
  return `${listFolder(connection, list)}${OBJECT_NAMES.latestSchema}`;
}

/** A value as a JSON object for the store, on one line: Athena and similar services read one row per line. */
export function storeJson(value: object): {
  readonly body: Uint8Array;
  readonly about: ObjectAbout;
} {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  return { body, about: { contentType: 'application/json', sha256: hash('sha256', body) } };
}

/** What the store is told of an object that only the functions read. */
export function aboutBytes(body: Uint8Array): ObjectAbout {
  return { contentType: 'application/octet-stream', sha256: hash('sha256', body) };
}
