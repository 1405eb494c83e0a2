import type { ExportReason, ExportState } from './export-state.ts';
import type { Store } from './ports.ts';
import { manifestKey } from './store-objects.ts';

/**
 * Why an export must not begin: an earlier one of the same id was completed, and the ledger has forgotten it. This one
 * would delete its parts, and changes are found between two manifests, of which there would be one.
 */
export async function idUsed(
  store: Pick<Store, 'list'>,
  state: ExportState,
): Promise<ExportReason | undefined> {
  // Its own manifest is written after the end of the list.
  if (state.step > 0 || state.parts.count > 0 || state.end !== undefined) return undefined;
  if ((await store.list(manifestKey(state))).length === 0) return undefined;
  return {
    code: 'id-used',
    message: `Export ${state.exportId} was completed before, and its files are in the bucket; the ledger has forgotten it (historyDays). Start again with another Idempotency-Key.`,
  };
}
