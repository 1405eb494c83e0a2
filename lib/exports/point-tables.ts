import { hash } from 'node:crypto';
import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import { changedTooOften, MAX_POINTER_TRIES } from './move-forward.ts';
import type { Store } from './ports.ts';
import { latestKey } from './store-objects.ts';
import type { StoredManifest } from './stored-manifest.ts';
import { LATEST_EXPORT, pointersKey, pointersText } from './table-pointers.ts';

const StoredLatestSchema = v.object({ exportId: v.string() });

/**
 * Lets the tables read a complete export, and makes it their newest one where `latest.json` names it. A delayed or
 * repeated call changes nothing: whether the export is the newest is read after the pointers that are replaced, and
 * `latest.json` never goes back.
 */
export async function pointTables(
  store: Pick<Store, 'read' | 'put' | 'replace'>,
  bucket: string,
  manifest: StoredManifest,
): Promise<'moved' | 'already-there' | 'not-newest'> {
  const { connection, list, exportId, parts } = manifest;
  const partKeys = parts.map(({ key }) => key);
  const text = pointersText(bucket, partKeys);
  const body = Buffer.from(text);
  const sha256 = hash('sha256', body);
  const about = { contentType: 'text/plain', sha256 } as const;
  await store.put(pointersKey(connection, list, exportId), body, about);
  const key = pointersKey(connection, list, LATEST_EXPORT);
  for (let tries = 0; tries < MAX_POINTER_TRIES; tries++) {
    const stored = await store.read(key);
    const latest = await store.read(latestKey(connection, list));
    const newest = v.safeParse(StoredLatestSchema, parseJson(latest?.text));
    if (!newest.success || newest.output.exportId !== exportId) return 'not-newest';
    if (stored?.text === text) return 'already-there';
    if ((await store.replace(key, body, about, stored?.version)) === 'replaced') return 'moved';
  }
  throw changedTooOften(key);
}
