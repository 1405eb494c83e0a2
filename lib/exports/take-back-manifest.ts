import { type ExportState, hasEnded } from './export-state.ts';
import type { Store } from './ports.ts';
import { manifestKey } from './store-objects.ts';

/** As long as a function on Lambda runs at most: what one has sent is stored by then, or never. */
export const LATE_FOR_MS = 15 * 60_000;

/**
 * Whether a manifest of the export may be stored though it failed: of a worker that looked whether the export was still its
 * own, and then stood still. Before the end of the list nobody writes one.
 */
export function mayLeaveManifest(state: ExportState): boolean {
  return state.status === 'failed' && hasEnded(state);
}

/** Safe to repeat. */
export async function takeBackManifest(
  store: Pick<Store, 'delete'>,
  state: ExportState,
): Promise<void> {
  if (mayLeaveManifest(state)) await store.delete([manifestKey(state)]);
}
