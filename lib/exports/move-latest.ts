import type { Latest } from './manifest.ts';
import { moveForward } from './move-forward.ts';
import type { Store } from './ports.ts';
import { latestKey } from './store-objects.ts';

/** Points `latest.json` to this export, unless it names an export that started later. */
export async function moveLatest(
  store: Store,
  latest: Latest,
): Promise<'moved' | 'already-there' | 'newer-there'> {
  return moveForward(store, latestKey(latest.connection, latest.list), latest);
}
