import { replaceItem } from '../steps/step-kind.ts';
import { complete } from './after-step.ts';
import { completenessOf } from './completeness.ts';
import { countRepeats, knownRepeats } from './count-repeats.ts';
import type { ExportReason, ExportState, PartRecord } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { lostParts } from './lost-parts.ts';
import { latestOf, manifestOf } from './manifest.ts';
import { moveLatest } from './move-latest.ts';
import type { Repeats } from './part-index.ts';
import type { ExportPorts, StoredObject } from './ports.ts';
import { recordIdsOf } from './record-ids.ts';
import { exportPrefix, isPartObject, manifestKey, storeJson } from './store-objects.ts';
import { partChain } from './store-part.ts';

export type Finished =
  | { readonly kind: 'completed'; readonly state: ExportState }
  /** Time is up; to be committed, for the next step to go on. */
  | { readonly kind: 'unfinished'; readonly state: ExportState }
  /** A part is not stored as its record says: the export is to fail. */
  | { readonly kind: 'lost'; readonly reason: ExportReason }
  /** Another worker completed it. */
  | { readonly kind: 'overtaken' };

/**
 * Completes an export whose end is committed: looks whether all parts are there, counts the records that came more
 * than once, deletes the indexes and objects of crashed attempts, writes the manifest, moves `latest.json` and
 * commits.
 *
 * After the commit of `end` the chain of parts cannot change. So every worker that gets here, even twice, at
 * the same time or long after its lease, deletes the same objects and writes the same manifest. No index is deleted
 * before the count is committed.
 *
 * @param stopAtMs Begins no further work on the indexes from then on.
 */
export async function finishExport(
  ports: ExportPorts,
  state: ExportState,
  endedAtMs: number,
  stopAtMs: number,
): Promise<Finished> {
  const { connection, exportId } = state;
  const parts = partChain(state, await ports.ledger.listParts(connection, exportId));
  const stored = await ports.store.list(exportPrefix(state));
  const known = knownRepeats(parts, state.repeats);
  const reason = lostParts(parts, stored, known === undefined);
  if (reason !== undefined) return { kind: 'lost', reason };
  if (known !== undefined) {
    return writeManifest(ports, state, { parts, stored, repeats: known }, endedAtMs);
  }
  const isTimeUp = () => ports.clock.now() >= stopAtMs;
  const repeats = await countRepeats(ports.store, parts, state.repeats, isTimeUp);
  const counted = { ...state, repeats };
  if (knownRepeats(parts, repeats) === undefined) return { kind: 'unfinished', state: counted };
  const committed = await replaceItem(exportSteps(ports), state, counted);
  if (committed === undefined) return { kind: 'overtaken' };
  return writeManifest(ports, committed, { parts, stored, repeats }, endedAtMs);
}

interface Contents {
  readonly parts: readonly PartRecord[];
  readonly stored: readonly StoredObject[];
  readonly repeats: Repeats;
}

async function writeManifest(
  ports: ExportPorts,
  state: ExportState,
  { parts, stored, repeats }: Contents,
  endedAtMs: number,
): Promise<Finished> {
  const manifestAt = manifestKey(state);
  const counted = new Set([...parts.map((each) => each.key), manifestAt]);
  // A late worker leaves alone what others wrote beside the manifest.
  const written = stored.map(({ key }) => key).filter(isPartObject);
  const orphans = written.filter((key) => !counted.has(key));
  if (orphans.length > 0) await ports.store.delete(orphans);

  const ids = recordIdsOf(state, parts, repeats);
  const completeness = completenessOf(state, ids);
  const manifest = manifestOf({ state, parts, ids, completeness, endedAtMs });
  const { body, about } = storeJson(manifest);
  await ports.store.put(manifestAt, body, about);
  await moveLatest(ports.store, latestOf(manifest, manifestAt));
  const completed = await replaceItem(exportSteps(ports), state, {
    ...complete(state, ports.clock.now()),
    completeness,
  });
  return completed === undefined ? { kind: 'overtaken' } : { kind: 'completed', state: completed };
}
