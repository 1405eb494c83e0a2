import * as v from 'valibot';
import { aboutBytes } from '../exports/store-objects.ts';
import { type StoredPart, streamPart } from '../exports/stream-part.ts';
import { WholeLines } from '../json/whole-lines.ts';
import { MAX_RECORD_BYTES } from '../schema/records-describer.ts';
import type { Stored } from '../stored.ts';
import {
  COMPARE_SIZES,
  type ComparedExports,
  type ComparePorts,
  type Unusable,
  workFolder,
} from './compared-exports.ts';
import { RunCollector } from './run-collector.ts';
import { partsInOrder, type WantedRecords } from './wanted-records.ts';

const RunSchema = v.object({ key: v.string(), bytes: v.number() });
export type SpilledRun = Stored<typeof RunSchema>;

/** The runs that are stored, and the part that comes next: of all parts of both exports, in one row. */
export const SpilledSchema = v.object({ runs: v.array(RunSchema), nextPart: v.number() });
type Spilled = Stored<typeof SpilledSchema>;

/**
 * Stores the texts of the wanted records in runs, each in the order of the ids' hashes, so that the records of one id
 * are found by reading all runs at the same time. At least one part is done.
 *
 * @param keep Called with what is stored.
 */
export async function spillRecords(
  ports: ComparePorts,
  exports: ComparedExports,
  { wanted, soFar }: { readonly wanted: WantedRecords; readonly soFar: Spilled },
  keep: (spilled: Spilled) => void,
): Promise<Unusable | { readonly kind: 'spilled' } | { readonly kind: 'unfinished' }> {
  const parts = partsInOrder(exports);
  const { runBytes } = exports.sizes ?? COMPARE_SIZES;
  const collector = new RunCollector(exports.idKey, exports.hashRecord);
  const runs = [...soFar.runs];
  const storeRun = async () => {
    if (collector.bytes > 0) runs.push(await storeBytes(ports, exports, collector.takeRun()));
  };
  for (const [place, { side, part, stored }] of parts.entries()) {
    if (place < soFar.nextPart || !wanted.hasAny(side, part)) continue;
    collector.open({ side, part }, wanted);
    const damage = await collectPart(ports, stored, collector, async () => {
      if (collector.bytes >= runBytes) await storeRun();
    });
    if (damage !== undefined) return { kind: 'unusable', side, reason: damage };
    const isTimeUp = ports.isTimeUp();
    if (!isTimeUp && collector.bytes < runBytes / 2) continue;
    await storeRun();
    keep({ runs: [...runs], nextPart: place + 1 });
    if (isTimeUp) return { kind: 'unfinished' };
  }
  await storeRun();
  keep({ runs, nextPart: parts.length });
  return { kind: 'spilled' };
}

async function collectPart(
  { readStored }: ComparePorts,
  part: StoredPart,
  collector: RunCollector,
  storeFull: () => Promise<void>,
): Promise<string | undefined> {
  const lines = new WholeLines(collector, MAX_RECORD_BYTES);
  return streamPart(part, readStored(part.key), (piece) => {
    lines.push(piece);
    return storeFull();
  });
}

/** Named after its content, so that nobody stores another one in its place. */
async function storeBytes(
  { store }: ComparePorts,
  exports: ComparedExports,
  run: Uint8Array,
): Promise<SpilledRun> {
  const about = aboutBytes(run);
  const key = `${workFolder(exports)}run-${about.sha256}`;
  await store.put(key, run, about);
  return { key, bytes: run.length };
}
