import { hash } from 'node:crypto';
import { isOfId } from '../customers-api/record-hashes.ts';
import type { Repeats } from './part-record.ts';

/**
 * The index of a part: the hashes of its records, ascending, so that those of many parts can be compared a share at
 * a time. It begins with a table of 256 words, by the highest byte of a hash: how many hashes come before it. All
 * numbers are little-endian, as on every processor of Lambda.
 */
export interface PartIndexBody {
  readonly stored: Uint8Array;
  /** SHA-256 of `stored`, hex. */
  readonly sha256: string;
  readonly withoutId: number;
  /** Within this part. */
  readonly repeats: Repeats;
}

/** The highest byte of a hash. */
export const INDEX_SHARES = 256;
const BYTES_PER_WORD = 4;
export const BYTES_PER_HASH = 8;
export const INDEX_TABLE_BYTES = INDEX_SHARES * BYTES_PER_WORD;

/** Some pages of 100; it doubles when it is full. */
const FIRST_CAPACITY = 4096;

/** Collects the hashes of a part's records: 8 bytes for each. */
export class PartIndex {
  #bytes = new ArrayBuffer(INDEX_TABLE_BYTES + FIRST_CAPACITY * BYTES_PER_HASH);
  #length = INDEX_TABLE_BYTES;

  add(recordHashes: Uint32Array): void {
    const length = this.#length + recordHashes.byteLength;
    if (length > this.#bytes.byteLength) {
      const larger = new ArrayBuffer(Math.max(length, 2 * this.#bytes.byteLength));
      new Uint8Array(larger).set(new Uint8Array(this.#bytes, 0, this.#length));
      this.#bytes = larger;
    }
    new Uint32Array(this.#bytes, this.#length).set(recordHashes);
    this.#length = length;
  }

  finish(): PartIndexBody {
    const count = (this.#length - INDEX_TABLE_BYTES) / BYTES_PER_HASH;
    const hashes = new BigUint64Array(this.#bytes, INDEX_TABLE_BYTES, count).sort();
    const words = wordsOf(hashes);
    const table = new Uint32Array(this.#bytes, 0, INDEX_SHARES);
    let withoutId = 0;
    for (let at = 0; at < words.length; at += 2) {
      if (!isOfId(words[at] ?? 0)) withoutId++;
      const share = (words[at + 1] ?? 0) >>> 24;
      // Those after this one: the sums follow below.
      if (share + 1 < INDEX_SHARES) table[share + 1] = (table[share + 1] ?? 0) + 1;
    }
    for (let share = 1; share < INDEX_SHARES; share++) {
      table[share] = (table[share] ?? 0) + (table[share - 1] ?? 0);
    }
    const stored = new Uint8Array(this.#bytes, 0, this.#length);
    const sha256 = hash('sha256', stored);
    return { stored, sha256, withoutId, repeats: repeatsIn(hashes) };
  }
}

/** @param hashes Ascending, so that equal ones are neighbours. */
export function repeatsIn(hashes: BigUint64Array): Repeats {
  const words = wordsOf(hashes);
  let ids = 0;
  let texts = 0;
  for (let at = 2; at < words.length; at += 2) {
    if (words[at] !== words[at - 2] || words[at + 1] !== words[at - 1]) continue;
    if (isOfId(words[at] ?? 0)) ids++;
    else texts++;
  }
  return { ids, texts };
}

/** Those of ids that stand more than once in it, each once. @param hashes Ascending. */
export function repeatedIds(hashes: BigUint64Array): BigUint64Array {
  const found: bigint[] = [];
  for (let at = 1; at < hashes.length; at++) {
    const hash = hashes[at] ?? 0n;
    if (hash !== hashes[at - 1] || hash === found.at(-1)) continue;
    if (isOfId(Number(hash & 1n))) found.push(hash);
  }
  return BigUint64Array.from(found);
}

/** Two for each hash, the lower first: whole numbers of 64 bits are slow in JavaScript. */
function wordsOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length);
}
