import { replaceItem } from '../steps/step-kind.ts';
import { complete } from './after-step.ts';
import { completenessOf } from './completeness.ts';
import type { ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { latestOf, manifestOf } from './manifest.ts';
import { moveLatest } from './move-latest.ts';
import type { ExportPorts } from './ports.ts';
import { exportPrefix, manifestKey, storeJson } from './store-objects.ts';
import { partChain } from './store-part.ts';

/**
 * Completes an export whose end is committed: deletes objects of crashed attempts, writes the manifest, moves
 * `latest.json` and commits.
 *
 * After the commit of `end` the chain of parts cannot change. So every worker that gets here, even twice, at
 * the same time or long after its lease, deletes the same objects and writes the same manifest.
 *
 * @returns The completed state, or `undefined` when another worker completed it.
 */
export async function finishExport(
  ports: ExportPorts,
  state: ExportState,
  endedAtMs: number,
): Promise<ExportState | undefined> {
  const { connection, exportId } = state;
  const parts = partChain(state, await ports.ledger.listParts(connection, exportId));
  const manifestAt = manifestKey(connection, exportId);
  const counted = new Set([...parts.map((each) => each.key), manifestAt]);
  const stored = await ports.store.list(exportPrefix(connection, exportId));
  const orphans = stored.filter((key) => !counted.has(key));
  if (orphans.length > 0) await ports.store.delete(orphans);

  const completeness = completenessOf(state);
  const manifest = manifestOf(state, parts, completeness, endedAtMs);
  const { body, about } = storeJson(manifest);
  await ports.store.put(manifestAt, body, about);
  await moveLatest(ports.store, latestOf(manifest));
  return replaceItem(exportSteps(ports), state, {
    ...complete(state, ports.clock.now()),
    completeness,
  });
}
