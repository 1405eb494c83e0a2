import { hash } from 'node:crypto';
import { parsePointer, replacePointer } from './move-forward.ts';
import type { Store } from './ports.ts';
import { latestKey } from './store-objects.ts';
import type { StoredManifest } from './stored-manifest.ts';

/** What the partition column `export` holds for the newest completed export; no export has this id. */
export const LATEST_EXPORT = 'latest';

/** Outside of the exports' folders, where Athena would read a manifest as records. */
export const POINTERS_FOLDER = 'tables/';
export const POINTERS_FILE = 'parts.txt';

/**
 * The object that says which parts of one export the tables read: only a completed export has one.
 *
 * @param exportId Or {@link LATEST_EXPORT}.
 */
export function pointersKey(connection: string, list: string, exportId: string): string {
  return `${POINTERS_FOLDER}connection=${connection}/list=${list}/export=${exportId}/${POINTERS_FILE}`;
}

/**
 * The content of that object, as Hive's `SymlinkTextInputFormat` reads it: one URI a line. A URI is not escaped:
 * Hive takes it as it is, as in the `symlink.txt` of S3 Inventory, and keys have no character that ends a line.
 *
 * @param partKeys As in the manifest. None: the text is empty, since an empty line would be an empty URI.
 */
export function pointersText(bucket: string, partKeys: readonly string[]): string {
  return partKeys.map((key) => `s3://${bucket}/${key}\n`).join('');
}

/**
 * Lets the tables read a completed export, and makes it their newest one where `latest.json` names it. A delayed or
 * repeated call changes nothing: whether the export is the newest is read after the pointers that are replaced, and
 * `latest.json` never goes back.
 */
export async function pointTables(
  store: Pick<Store, 'read' | 'put' | 'replace'>,
  bucket: string,
  { connection, list, exportId, parts }: StoredManifest,
): Promise<void> {
  const partKeys = parts.map(({ key }) => key);
  const text = pointersText(bucket, partKeys);
  const body = Buffer.from(text);
  const about = { contentType: 'text/plain', sha256: hash('sha256', body) } as const;
  await store.put(pointersKey(connection, list, exportId), body, about);
  const newestKey = pointersKey(connection, list, LATEST_EXPORT);
  await replacePointer(store, newestKey, { body, about }, async (stored) => {
    const latest = await store.read(latestKey(connection, list));
    return parsePointer(latest)?.exportId === exportId && stored?.text !== text;
  });
}

/** The table over all exports: a row is a record, its column `record` the exact JSON text. */
export const EXPORTS_TABLE = 'exports';

/** The view of the newest completed export of a list. Names of lists have no `_`, so no two lists share one. */
export function latestView(list: string): string {
  return `latest_${list.replaceAll('-', '_')}`;
}

/** Whether a view of some list has this name. Names of lists begin with a letter or digit; Athena ignores case. */
export function isLatestView(name: string): boolean {
  return /^latest_[^_]/i.test(name);
}
