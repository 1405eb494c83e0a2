import type { Latest } from './manifest.ts';
import { moveForward } from './move-forward.ts';
import type { Store } from './ports.ts';
import { latestCompleteKey, latestKey } from './store-objects.ts';

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
