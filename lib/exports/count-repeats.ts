import {
  BYTES_PER_HASH,
  INDEX_SHARES,
  INDEX_TABLE_BYTES,
  repeatedIds,
  repeatsIn,
} from './part-index.ts';
import type { PartRecord, Repeats } from './part-record.ts';
import type { Store } from './ports.ts';
import { someAtOnce } from './some-at-once.ts';
import { indexKey } from './store-objects.ts';
import { rowsIn } from './stored-rows.ts';

/** 4 MB: what is compared at once, up to lists of 134 million records. */
const RECORDS_PER_ROUND = 512 * 1024;

/** What is compared of each part: the hashes of its records by their highest bytes. */
export interface PartIndexes {
  readonly rounds: number;
  readonly parts: readonly PartRecord[];
  /**
   * Of each part, where the hashes of each round begin in its index, and where the last ones end. Not the tables that say
   * so: of an export of small steps they take more memory than anything else.
   */
  readonly bounds: Uint32Array;
}

export interface RoundRepeats extends Repeats {
  /** Those of ids that came more than once, each once, ascending. */
  readonly hashes: BigUint64Array;
  /** Numbers of the parts that have any of them. */
  readonly parts: readonly number[];
}

/** In how many rounds the records of a list are compared, each with a share of all possible hashes. */
export function roundsOf(parts: readonly PartRecord[]): number {
  const records = parts.reduce((sum, part) => sum + part.records, 0);
  return Math.min(INDEX_SHARES, Math.max(1, Math.ceil(records / RECORDS_PER_ROUND)));
}

/** Reads where in each index a share begins. */
export async function openIndexes(
  store: Pick<Store, 'readBytes'>,
  parts: readonly PartRecord[],
): Promise<PartIndexes> {
  const rounds = roundsOf(parts);
  const bounds = new Uint32Array(parts.length * (rounds + 1));
  await someAtOnce([...parts.entries()], async ([index, part]) => {
    const at = index * (rounds + 1);
    bounds[at + rounds] = part.records;
    if (rounds === 1) return;
    const bytes = await readIndex(store, part, 0, INDEX_TABLE_BYTES);
    const table = new Uint32Array(new Uint8Array(bytes).buffer);
    for (let round = 0; round < rounds; round++) {
      bounds[at + round] = table[Math.floor((round * INDEX_SHARES) / rounds)] ?? 0;
    }
  });
  return { rounds, parts, bounds };
}

/** Compares one share of the hashes of all parts. */
export async function countRound(
  store: Pick<Store, 'readBytes'>,
  { parts, rounds, bounds }: PartIndexes,
  round: number,
): Promise<RoundRepeats> {
  const slices = parts.map((part, index) => {
    const at = index * (rounds + 1) + round;
    return { part, from: bounds[at] ?? 0, to: bounds[at + 1] ?? 0 };
  });
  const hashes = new BigUint64Array(slices.reduce((sum, { from, to }) => sum + to - from, 0));
  const bytes = new Uint8Array(hashes.buffer);
  let end = 0;
  const placed = slices
    .filter(({ from, to }) => to > from)
    .map(({ part, from, to }) => {
      const at = end;
      end += to - from;
      return { part, at, from: offsetOf(from), to: offsetOf(to), end };
    });
  await someAtOnce(placed, async ({ part, at, from, to }) => {
    bytes.set(await readIndex(store, part, from, to), at * BYTES_PER_HASH);
  });
  const ofParts = placed.map(({ part, at, end: to }) => ({
    number: part.number,
    hashes: hashes.subarray(at, to),
  }));
  return repeatsOfParts(hashes, ofParts);
}

/** Compares the rows of the only part of a list, which has no index. */
export async function repeatsInPart(
  store: Pick<Store, 'readBytes'>,
  part: PartRecord,
  idKey: string,
): Promise<RoundRepeats> {
  const words = new Uint32Array(2 * part.records);
  let at = 0;
  for await (const { recordHashes } of rowsIn(store, part, idKey)) {
    words.set(recordHashes, at);
    at += recordHashes.length;
  }
  const hashes = new BigUint64Array(words.buffer);
  return repeatsOfParts(hashes, [{ number: part.number, hashes: hashes.sort() }]);
}

/** @param all The hashes of all parts, in the same memory or not. */
function repeatsOfParts(
  all: BigUint64Array,
  parts: readonly { readonly number: number; readonly hashes: BigUint64Array }[],
): RoundRepeats {
  const sorted = all.slice().sort();
  const repeats = repeatsIn(sorted);
  if (repeats.ids === 0) return { ...repeats, hashes: new BigUint64Array(0), parts: [] };
  const hashes = repeatedIds(sorted);
  const having = parts.filter((part) => haveCommon(part.hashes, hashes));
  return { ...repeats, hashes, parts: having.map(({ number }) => number) };
}

/** Both ascending. */
function haveCommon(ones: BigUint64Array, others: BigUint64Array): boolean {
  let at = 0;
  for (const one of ones) {
    while (at < others.length && (others[at] ?? 0n) < one) at++;
    if (others[at] === one) return true;
  }
  return false;
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
