import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import type { Latest } from './manifest.ts';
import type { Store } from './ports.ts';
import { latestKey, storeJson } from './store-objects.ts';

const StoredLatestSchema = v.object({
  exportId: v.string(),
  startedAt: v.pipe(v.string(), v.isoTimestamp()),
});

/** More concurrent writers than this are unlikely: the store then ignores the condition of the write. */
const MAX_TRIES = 5;

/**
 * Points `latest.json` to this export, unless it names an export that started later: an older export that ends
 * late, or a delayed worker, must not replace a newer one. Unreadable content is replaced.
 */
export async function moveLatest(
  store: Store,
  latest: Latest,
): Promise<'moved' | 'already-there' | 'newer-there'> {
  const key = latestKey(latest.connection, latest.list);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await store.read(key);
    const place = placeOf(latest, stored?.text);
    if (place !== 'older-there') return place;
    const { body, about } = storeJson(latest);
    if ((await store.replace(key, body, about, stored?.version)) === 'replaced') return 'moved';
  }
  throw new Error(
    `${key} changed ${MAX_TRIES} times during its replacement. Check who else writes it.`,
  );
}

function placeOf(
  latest: Latest,
  storedText: string | undefined,
): 'older-there' | 'already-there' | 'newer-there' {
  const stored = v.safeParse(StoredLatestSchema, parseJson(storedText));
  if (!stored.success) return 'older-there';
  if (stored.output.exportId === latest.exportId) return 'already-there';
  const isNewer = Date.parse(stored.output.startedAt) > Date.parse(latest.startedAt);
  return isNewer ? 'newer-there' : 'older-there';
}
