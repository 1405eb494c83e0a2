import type { PartRecord, RepeatsSoFar } from './export-state.ts';
import {
  BYTES_PER_HASH,
  INDEX_SHARES,
  INDEX_TABLE_BYTES,
  type Repeats,
  repeatsIn,
} from './part-index.ts';
import type { Store } from './ports.ts';
import { indexKey } from './store-objects.ts';

/** 4 MB: what is compared at once, up to lists of 134 million records. */
const RECORDS_PER_ROUND = 512 * 1024;
/** S3 takes some 20 ms for each. */
const READS_AT_ONCE = 16;

interface Indexed {
  readonly part: PartRecord;
  /** By the highest byte of a hash, the number of hashes before it; absent when all are read at once. */
  readonly table?: Uint32Array;
}

/** The repeats of a list if they are known without reading an index, or were all counted before. */
export function knownRepeats(
  parts: readonly PartRecord[],
  soFar: RepeatsSoFar | undefined,
): Repeats | undefined {
  const [only, second] = parts;
  if (second === undefined) return only?.repeats ?? { ids: 0, texts: 0 };
  return soFar?.rounds === roundsOf(parts) ? soFar : undefined;
}

/**
 * Counts the records of a list that came before, by the indexes of its parts: in rounds, each with a share of all
 * possible hashes from every index. One round at least is done, so that every step comes further.
 *
 * @param isTimeUp Asked after each round.
 */
export async function countRepeats(
  store: Pick<Store, 'readBytes'>,
  parts: readonly PartRecord[],
  soFar: RepeatsSoFar = { rounds: 0, ids: 0, texts: 0 },
  isTimeUp: () => boolean,
): Promise<RepeatsSoFar> {
  const rounds = roundsOf(parts);
  const indexes = await readTables(store, parts, rounds);
  let counted = soFar;
  do {
    const { ids, texts } = await countRound(store, indexes, counted.rounds, rounds);
    counted = {
      rounds: counted.rounds + 1,
      ids: counted.ids + ids,
      texts: counted.texts + texts,
    };
  } while (counted.rounds < rounds && !isTimeUp());
  return counted;
}

function roundsOf(parts: readonly PartRecord[]): number {
  const records = parts.reduce((sum, part) => sum + part.records, 0);
  return Math.min(INDEX_SHARES, Math.max(1, Math.ceil(records / RECORDS_PER_ROUND)));
}

async function readTables(
  store: Pick<Store, 'readBytes'>,
  parts: readonly PartRecord[],
  rounds: number,
): Promise<readonly Indexed[]> {
  if (rounds === 1) return parts.map((part) => ({ part }));
  return someAtOnce(parts, async (part) => {
    const bytes = await readIndex(store, part, 0, INDEX_TABLE_BYTES);
    return { part, table: new Uint32Array(new Uint8Array(bytes).buffer) };
  });
}

async function countRound(
  store: Pick<Store, 'readBytes'>,
  indexes: readonly Indexed[],
  round: number,
  rounds: number,
): Promise<Repeats> {
  const shareAt = (of: number) => Math.floor((of * INDEX_SHARES) / rounds);
  const slices = indexes.map(({ part, table }) => ({
    part,
    from: positionOf(part, table, shareAt(round)),
    to: positionOf(part, table, shareAt(round + 1)),
  }));
  const hashes = new BigUint64Array(slices.reduce((sum, { from, to }) => sum + to - from, 0));
  const bytes = new Uint8Array(hashes.buffer);
  let end = 0;
  const placed = slices
    .filter(({ from, to }) => to > from)
    .map(({ part, from, to }) => {
      const at = end;
      end += (to - from) * BYTES_PER_HASH;
      return { part, at, from: offsetOf(from), to: offsetOf(to) };
    });
  await someAtOnce(placed, async ({ part, at, from, to }) => {
    bytes.set(await readIndex(store, part, from, to), at);
  });
  return repeatsIn(hashes.sort());
}

/** Of the first hash with this highest byte, in hashes. */
function positionOf(part: PartRecord, table: Uint32Array | undefined, share: number): number {
  if (share === INDEX_SHARES) return part.records;
  return table?.[share] ?? 0;
}

function offsetOf(position: number): number {
  return INDEX_TABLE_BYTES + position * BYTES_PER_HASH;
}

async function readIndex(
  store: Pick<Store, 'readBytes'>,
  part: PartRecord,
  from: number,
  to: number,
): Promise<Uint8Array> {
  const key = indexKey(part.key);
  const bytes = await store.readBytes(key, from, to);
  if (bytes.length === to - from) return bytes;
  throw new Error(`${key} has ${bytes.length} bytes from ${from} on, expected ${to - from}.`);
}

async function someAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += READS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + READS_AT_ONCE).map(work))));
  }
  return results;
}
