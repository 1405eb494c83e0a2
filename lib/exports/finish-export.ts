import type { Lease } from '../steps/step-item.ts';
import { replaceItem } from '../steps/step-kind.ts';
import { isUnreadable, readable } from '../steps/unreadable-item.ts';
import { completenessOf } from './completeness.ts';
import type { EndedExport, ExportReason, ExportState, RepeatsSoFar } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { ended } from './export-transitions.ts';
import { lostParts, lostRecord } from './lost-parts.ts';
import { latestOf, manifestOf, recordIdsOf } from './manifest.ts';
import { moveLatest } from './move-forward.ts';
import type { PartRecord } from './part-record.ts';
import type { ExportPorts, StoredObject } from './ports.ts';
import { needsIndexes, settledRepeats, settleRepeats } from './settle-repeats.ts';
import { exportPrefix, isPartObject, manifestKey, storeJson } from './store-objects.ts';
import { partChain, settledParts } from './store-part.ts';

type Finished =
  | { readonly kind: 'completed'; readonly state: ExportState }
  /** Time is up; to be committed, for the next step to go on. */
  | { readonly kind: 'unfinished'; readonly state: ExportState }
  /** A part is not stored as its record says, or has no record: the export is to fail. */
  | { readonly kind: 'lost'; readonly reason: ExportReason }
  /** Another worker completes or has ended it, or the lease is over. */
  | { readonly kind: 'overtaken' };

/** The manifest and `latest.json` each take a tenth of it. */
const ROOM_MS = 2_000;

/**
 * Completes an export whose end is committed: looks whether all parts are there, leaves the newest of the records that
 * came more than once, deletes the indexes and objects of crashed attempts, writes the manifest, moves `latest.json`
 * and commits.
 *
 * After the commit of `end` the chain of parts cannot change. So every worker that gets here, even twice, at
 * the same time or long after its lease, deletes the same objects and would write the same manifest. No index and no
 * part is deleted before it is committed which parts count.
 *
 * @param lease Nothing is stored once it is over.
 * @param stopAtMs Begins no further work on the parts from then on.
 */
export async function finishExport(
  ports: ExportPorts,
  state: EndedExport,
  { lease, stopAtMs }: { readonly lease: Lease; readonly stopAtMs: number },
): Promise<Finished> {
  const { connection, exportId } = state;
  const records = await readable(ports.ledger.listParts(connection, exportId));
  if (isUnreadable(records)) return { kind: 'lost', reason: lostRecord(records.message) };
  const chain = partChain(state, records);
  if (typeof chain === 'number') {
    const missing = `The ledger has no record of part ${chain} of ${state.parts.count}.`;
    return { kind: 'lost', reason: lostRecord(missing) };
  }
  const stored = await ports.store.list(exportPrefix(state));
  const known = settledRepeats(state, chain);
  const parts = settledParts(state, chain, records);
  const reason = lostParts(parts, stored, known === undefined && needsIndexes(state, chain));
  if (reason !== undefined) return { kind: 'lost', reason };
  if (known !== undefined) {
    return writeManifest(ports, state, lease, { parts, stored, repeats: known });
  }
  const { clock } = ports;
  const repeats = await settleRepeats(
    ports,
    { state, chain, stored },
    { isTimeUp: () => clock.now() >= stopAtMs, isOver: () => clock.now() >= lease.untilMs },
  );
  if (repeats === undefined) return { kind: 'overtaken' };
  if (repeats.isSettled !== true) return { kind: 'unfinished', state: { ...state, repeats } };
  const rewritten = (repeats.removed ?? 0) > 0;
  const stillThere = rewritten ? await ports.ledger.listParts(connection, exportId) : records;
  const counted = settledParts({ repeats }, chain, stillThere);
  const next = withSettled({ ...state, repeats }, counted);
  const committed = await replaceItem(exportSteps(ports), state, next);
  if (committed === undefined) return { kind: 'overtaken' };
  return writeManifest(ports, committed, lease, { parts: counted, stored, repeats });
}

/** From now on what is stored counts, not what was received. */
function withSettled(state: EndedExport, parts: readonly PartRecord[]): EndedExport {
  const sumOf = (name: 'records' | 'bytes' | 'storedBytes') =>
    parts.reduce((sum, part) => sum + part[name], 0);
  return {
    ...state,
    parts: { ...state.parts, storedBytes: sumOf('storedBytes') },
    counters: { ...state.counters, customers: sumOf('records'), bytes: sumOf('bytes') },
  };
}

interface Contents {
  readonly parts: readonly PartRecord[];
  readonly stored: readonly StoredObject[];
  readonly repeats: RepeatsSoFar;
}

/**
 * Looks before each write whether the export is still this worker's. Who fails it (`mayBeCompleted`) has claimed it, then
 * found no manifest: so `latest.json` never names an export that is failed. A manifest that this worker wrote after that,
 * since it stood still longer than its lease behind its look, is taken back, here or by others (`takeBackManifest`).
 */
async function writeManifest(
  ports: ExportPorts,
  state: EndedExport,
  lease: Lease,
  { parts, stored, repeats }: Contents,
): Promise<Finished> {
  const manifestAt = manifestKey(state);
  const counted = new Set([...parts.map((each) => each.key), manifestAt]);
  // A late worker leaves alone what others wrote beside the manifest.
  const written = stored.map(({ key }) => key).filter(isPartObject);
  const orphans = written.filter((key) => !counted.has(key));
  await ports.store.delete(orphans);

  const ids = recordIdsOf(state, parts, repeats);
  const completeness = completenessOf(state, ids);
  const manifest = manifestOf({ state, parts, ids, completeness });
  const { body, about } = storeJson(manifest);
  if ((await lookAt(ports, state, lease)) !== 'ours') return { kind: 'overtaken' };
  await ports.store.put(manifestAt, body, about);
  const since = await lookAt(ports, state, lease);
  if (since === 'failed') await ports.store.delete([manifestAt]);
  if (since !== 'ours') return { kind: 'overtaken' };
  await moveLatest(ports.store, latestOf(manifest, manifestAt));
  const completed = await replaceItem(exportSteps(ports), state, {
    ...ended(state, 'completed', ports.clock.now()),
    completeness,
  });
  return completed === undefined ? { kind: 'overtaken' } : { kind: 'completed', state: completed };
}

/** `left`: another worker has it or has ended it, or there is no room for a write. */
async function lookAt(
  { ledger, clock }: ExportPorts,
  { connection, exportId, writeToken }: EndedExport,
  lease: Lease,
): Promise<'ours' | 'failed' | 'left'> {
  const stored = await ledger.readExport(connection, exportId);
  if (stored?.status === 'failed') return 'failed';
  const isOurs = stored?.writeToken === writeToken && clock.now() + ROOM_MS < lease.untilMs;
  return isOurs ? 'ours' : 'left';
}
