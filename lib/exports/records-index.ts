import {
  type HashRecord,
  hashIdAndText,
  isOfId,
  WORDS_A_RECORD,
} from '../customers-api/record-hashes.ts';
import type { EachRecord } from '../schema/records-describer.ts';
import { INDEX_SHARES } from './part-index.ts';
import type { ObjectAbout } from './ports.ts';
import { aboutBytes } from './store-objects.ts';

/**
 * The index of the records of a part, with which exports are compared: for each record five words, two of its id, two
 * of its text (see `hashIdAndText`) and its line from 0. They stand by the highest byte of the id's hash, and then in
 * the order of the part, so that a share of many parts can be read at a time. Before them is a table of 257 words: how
 * many records come before each share, and how many there are. All numbers are little-endian.
 */
export const WORDS_AN_ENTRY = WORDS_A_RECORD + 1;
export const ENTRY_BYTES = 4 * WORDS_AN_ENTRY;
export const RECORDS_TABLE_BYTES = 4 * (INDEX_SHARES + 1);

export function indexBytes(records: number): number {
  return RECORDS_TABLE_BYTES + records * ENTRY_BYTES;
}

/** Some pages of 100; it doubles when it is full. */
const FIRST_CAPACITY = 4096;

/** Collects the hashes of a part's records: 20 bytes for each. */
export class RecordsIndex {
  readonly #name: Uint8Array;
  readonly #hashRecord: HashRecord;
  #words = new Uint32Array(FIRST_CAPACITY * WORDS_AN_ENTRY);
  #count = 0;

  constructor(idKey: string, hashRecord: HashRecord = hashIdAndText) {
    this.#hashRecord = hashRecord;
    this.#name = Buffer.from(JSON.stringify(idKey));
  }

  readonly add: EachRecord = (bytes, start, end) => {
    const at = this.#count * WORDS_AN_ENTRY;
    if (at === this.#words.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#hashRecord(this.#words, at, { bytes, start, end }, this.#name);
    this.#words[at + WORDS_A_RECORD] = this.#count++;
  };

  /** @returns `undefined` when a record has no id. */
  finish(): { readonly body: Uint8Array; readonly about: ObjectAbout } | undefined {
    const words = this.#words;
    const end = this.#count * WORDS_AN_ENTRY;
    const stored = new Uint32Array(INDEX_SHARES + 1 + end);
    const table = stored.subarray(0, INDEX_SHARES + 1);
    for (let at = 0; at < end; at += WORDS_AN_ENTRY) {
      if (!isOfId(words[at] ?? 0)) return undefined;
      const share = (words[at + 1] ?? 0) >>> 24;
      table[share + 1] = (table[share + 1] ?? 0) + 1;
    }
    for (let share = 1; share <= INDEX_SHARES; share++) {
      table[share] = (table[share] ?? 0) + (table[share - 1] ?? 0);
    }
    const next = table.slice();
    for (let at = 0; at < end; at += WORDS_AN_ENTRY) {
      const share = (words[at + 1] ?? 0) >>> 24;
      const place = next[share] ?? 0;
      next[share] = place + 1;
      stored.set(words.subarray(at, at + WORDS_AN_ENTRY), table.length + place * WORDS_AN_ENTRY);
    }
    const body = new Uint8Array(stored.buffer);
    return { body, about: aboutBytes(body) };
  }
}
