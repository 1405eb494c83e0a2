import { describePart } from '../exports/describe-part.ts';
import { indexBytes, RecordsIndex } from '../exports/records-index.ts';
import { recordsIndexKey } from '../exports/store-objects.ts';
import { folderOf, type StoredManifest } from '../exports/stored-manifest.ts';
import type { ComparedExports, ComparePorts, Side, Unusable } from './compared-exports.ts';

/**
 * Makes the indexes of an export that are missing, at least one. A description writes those of the parts that it reads;
 * exports of a version that did not compare have none.
 */
export async function ensureIndexes(
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
