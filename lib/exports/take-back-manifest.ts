import { hasManifest } from './begin-export.ts';
import { type ExportState, hasEnded } from './export-state.ts';
import type { Store } from './ports.ts';
import { manifestKey } from './store-objects.ts';

/** As long as a function on Lambda runs at most: what one has sent is stored by then, or never. */
export const LATE_FOR_MS = 15 * 60_000;

/**
 * Whether a manifest of the export may be stored though it failed: of a worker that looked whether the export was still its
 * own, and then stood still. Before the end of the list nobody writes one. An export that its own worker could not close
 * keeps what it has: `latest.json` may name it.
 */
export function mayLeaveManifest(state: ExportState): boolean {
  return state.status === 'failed' && state.reason?.code !== 'unstorable' && hasEnded(state);
}

/** Safe to repeat. */
export async function takeBackManifest(
  store: Pick<Store, 'delete' | 'list'>,
  state: ExportState,
): Promise<void> {
  // There hardly ever is one, and a bucket that refuses deletes may be why the export failed.
  if (mayLeaveManifest(state) && (await hasManifest(store, state))) {
    await store.delete([manifestKey(state)]);
  }
}
