import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import type { Latest } from './manifest.ts';
import type { Store } from './ports.ts';
import { latestCompleteKey, latestKey, storeJson } from './store-objects.ts';

const StoredPointerSchema = v.object({
  exportId: v.string(),
  startedAt: v.pipe(v.string(), v.isoTimestamp()),
});

/** An object that names the newest export of something. */
export type Pointer = v.InferOutput<typeof StoredPointerSchema>;

/** More concurrent writers than this are unlikely: the store then ignores the condition of the write. */
export const MAX_POINTER_TRIES = 5;

/**
 * Replaces a pointer, unless it names an export that started later: an older export that ends late, or a delayed
 * worker, must not replace a newer one. Unreadable content is replaced.
 */
export async function moveForward(
  store: Pick<Store, 'read' | 'replace'>,
  key: string,
  pointer: Pointer,
): Promise<'moved' | 'already-there' | 'newer-there'> {
  for (let tries = 0; tries < MAX_POINTER_TRIES; tries++) {
    const stored = await store.read(key);
    const place = placeOf(pointer, stored?.text);
    if (place !== 'older-there') return place;
    const { body, about } = storeJson(pointer);
    if ((await store.replace(key, body, about, stored?.version)) === 'replaced') return 'moved';
  }
  throw changedTooOften(key);
}

export function changedTooOften(key: string): Error {
  return new Error(
    `${key} changed ${MAX_POINTER_TRIES} times during its replacement. Check who else writes it.`,
  );
}

function placeOf(
  pointer: Pointer,
  storedText: string | undefined,
): 'older-there' | 'already-there' | 'newer-there' {
  const stored = v.safeParse(StoredPointerSchema, parseJson(storedText));
  if (!stored.success) return 'older-there';
  if (stored.output.exportId === pointer.exportId) return 'already-there';
  const isNewer = Date.parse(stored.output.startedAt) > Date.parse(pointer.startedAt);
  return isNewer ? 'newer-there' : 'older-there';
}

/**
 * Points `latest.json` to this export, and `latest-complete.json` if it is shown to be complete; not where they name an
 * export that started later.
 */
export async function moveLatest(
  store: Pick<Store, 'read' | 'replace'>,
  latest: Latest,
): Promise<'moved' | 'already-there' | 'newer-there'> {
  const { connection, list, completeness } = latest;
  if (completeness === 'complete') {
    await moveForward(store, latestCompleteKey(connection, list), latest);
  }
  return moveForward(store, latestKey(connection, list), latest);
}
