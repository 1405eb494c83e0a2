import { hash } from 'node:crypto';
import { parsePointer, replacePointer } from './move-forward.ts';
import type { Store } from './ports.ts';
import { latestKey } from './store-objects.ts';
import type { StoredManifest } from './stored-manifest.ts';
import { LATEST_EXPORT, pointersKey, pointersText } from './table-pointers.ts';

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
