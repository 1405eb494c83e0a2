import * as v from 'valibot';
import { describePart } from '../exports/describe-part.ts';
import { indexBytes, RecordsIndex } from '../exports/records-index.ts';
import { recordsIndexKey, storeJson } from '../exports/store-objects.ts';
import { folderOf, type StoredManifest } from '../exports/stored-manifest.ts';
import { parseJson } from '../json/json-value.ts';
import type { Stored } from '../stored.ts';
import type { ChangeCounts, ChangesFile } from './changes-summary.ts';
import { totalsOf } from './changes-writer.ts';
import {
  type ComparedExports,
  type ComparePorts,
  SIDES,
  type Side,
  type Unusable,
  workFolder,
} from './compared-exports.ts';
import { findWanted } from './find-wanted.ts';
import { JoinedSchema, joinRuns } from './join-runs.ts';
import { SpilledSchema, spillRecords } from './spill-records.ts';

export type ComparedRecords =
  | {
      readonly kind: 'compared';
      readonly counts: ChangeCounts;
      readonly files: readonly ChangesFile[];
    }
  /** Goes on with the next invocation. */
  | { readonly kind: 'unfinished' }
  | Unusable;

const ProgressSchema = v.object({ spilled: SpilledSchema, joined: v.exactOptional(JoinedSchema) });
type Progress = Stored<typeof ProgressSchema>;

/**
 * Compares the records of two exports and writes the files of changes beside the manifest of the later one: by the
 * indexes of both, which tell all records that may differ; then by the texts of these. It takes the same memory
 * whatever the lists and however many records differ. Every call of it does the same, also a repeated one, one at the
 * same time and one that goes on after a crash.
 */
export async function compareRecords(
  ports: ComparePorts,
  exports: ComparedExports,
): Promise<ComparedRecords> {
  for (const side of SIDES) {
    const ensured = await ensureIndexes(ports, exports, side);
    if (ensured.kind !== 'there') return ensured;
  }
  const progressKey = `${workFolder(exports)}progress.json`;
  const stored = v.safeParse(
    ProgressSchema,
    parseJson((await ports.store.read(progressKey))?.text),
  );
  let progress: Progress = stored.success ? stored.output : { spilled: { runs: [], nextPart: 0 } };
  const kept = progress;
  try {
    return await compareWanted(ports, exports, progress, (next) => {
      progress = next;
    });
  } finally {
    if (progress !== kept) {
      const { body, about } = storeJson(progress);
      await ports.store.put(progressKey, body, about);
    }
  }
}

async function compareWanted(
  ports: ComparePorts,
  exports: ComparedExports,
  soFar: Progress,
  keep: (progress: Progress) => void,
): Promise<ComparedRecords> {
  let { spilled } = soFar;
  if (soFar.joined === undefined) {
    const wanted = await findWanted(ports, exports);
    if (wanted === undefined) return { kind: 'unfinished' };
    const result = await spillRecords(ports, exports, { wanted, soFar: spilled }, (next) => {
      spilled = next;
      keep({ spilled });
    });
    if (result.kind !== 'spilled') return result;
  }
  const from = soFar.joined ?? { positions: [], files: [] };
  const result = await joinRuns(ports, exports, { runs: spilled.runs, soFar: from }, (joined) =>
    keep({ spilled, joined }),
  );
  if (result.kind !== 'joined') return result;
  const { files } = result;
  return { kind: 'compared', counts: countsOf(exports, files), files };
}

function countsOf(exports: ComparedExports, files: readonly ChangesFile[]): ChangeCounts {
  const recordsOf = (side: Side) =>
    exports[side].parts.reduce((sum, { customers }) => sum + customers, 0);
  const totals = totalsOf(files);
  const now = recordsOf('now');
  const unchanged = now - totals.added - totals.changed;
  return { before: recordsOf('before'), now, ...totals, unchanged };
}

/**
 * Makes the indexes of an export that are missing, at least one. A description writes those of the parts that it reads,
 * but not where no comparison was asked for then.
 */
async function ensureIndexes(
  ports: ComparePorts,
  exports: ComparedExports,
  side: Side,
): Promise<{ readonly kind: 'there' } | { readonly kind: 'unfinished' } | Unusable> {
  const manifest = exports[side];
  const unusable = (reason: string): Unusable => ({ kind: 'unusable', side, reason });
  const folder = folderOf(manifest.parts[0]?.key ?? '');
  const objects = manifest.parts.length === 0 ? [] : await ports.store.list(folder);
  const bytesOf = new Map(objects.map(({ key, bytes }) => [key, bytes]));
  for (const [position, part] of manifest.parts.entries()) {
    if (!bytesOf.has(part.key)) return unusable(`Its part ${part.key} has been deleted.`);
    const indexKey = recordsIndexKey(folder, position + 1);
    const bytes = bytesOf.get(indexKey);
    if (bytes === indexBytes(part.customers)) continue;
    const problem = await makeIndex(ports, part, indexKey, exports);
    if (problem !== undefined) return unusable(problem);
    if (ports.isTimeUp()) return { kind: 'unfinished' };
  }
  return { kind: 'there' };
}

async function makeIndex(
  { store, readStored }: ComparePorts,
  part: StoredManifest['parts'][number],
  indexKey: string,
  { idKey, hashRecord }: ComparedExports,
): Promise<string | undefined> {
  const index = new RecordsIndex(idKey, hashRecord);
  const described = await describePart(part, readStored(part.key), undefined, index.add);
  if (described.kind === 'damaged') return described.reason;
  const { tooLong } = described.report;
  if (tooLong !== undefined) return `${part.key} has a record of more than 16 MiB.`;
  const finished = index.finish();
  if (finished === undefined) return `${part.key} has a record without an id (${idKey}).`;
  await store.put(indexKey, finished.body, finished.about);
  return undefined;
}
