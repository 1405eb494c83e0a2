import { replaceItem } from '../steps/step-kind.ts';
import { complete } from './after-step.ts';
import { completenessOf } from './completeness.ts';
import type { ExportReason, ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { lostParts } from './lost-parts.ts';
import { latestOf, manifestOf } from './manifest.ts';
import { moveLatest } from './move-latest.ts';
import type { ExportPorts } from './ports.ts';
import { exportPrefix, manifestKey, storeJson } from './store-objects.ts';
import { partChain } from './store-part.ts';

export type Finished =
  | { readonly kind: 'completed'; readonly state: ExportState }
  /** A part is not stored as its record says: the export is to fail. */
  | { readonly kind: 'lost'; readonly reason: ExportReason }
  /** Another worker completed it. */
  | { readonly kind: 'overtaken' };

/**
 * Completes an export whose end is committed: looks whether all parts are there, deletes objects of crashed attempts,
 * writes the manifest, moves `latest.json` and commits.
 *
 * After the commit of `end` the chain of parts cannot change. So every worker that gets here, even twice, at
 * the same time or long after its lease, deletes the same objects and writes the same manifest.
 */
export async function finishExport(
  ports: ExportPorts,
  state: ExportState,
  endedAtMs: number,
): Promise<Finished> {
  const { connection, exportId } = state;
  const parts = partChain(state, await ports.ledger.listParts(connection, exportId));
  const stored = await ports.store.list(exportPrefix(connection, exportId));
  const reason = lostParts(parts, stored);
  if (reason !== undefined) return { kind: 'lost', reason };
  const manifestAt = manifestKey(connection, exportId);
  const counted = new Set([...parts.map((each) => each.key), manifestAt]);
  const orphans = stored.map(({ key }) => key).filter((key) => !counted.has(key));
  if (orphans.length > 0) await ports.store.delete(orphans);

  const completeness = completenessOf(state);
  const manifest = manifestOf(state, parts, completeness, endedAtMs);
  const { body, about } = storeJson(manifest);
  await ports.store.put(manifestAt, body, about);
  await moveLatest(ports.store, latestOf(manifest));
  const completed = await replaceItem(exportSteps(ports), state, {
    ...complete(state, ports.clock.now()),
    completeness,
  });
  return completed === undefined ? { kind: 'overtaken' } : { kind: 'completed', state: completed };
}
