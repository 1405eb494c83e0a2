import { WORDS_AN_ENTRY } from '../exports/records-index.ts';

/** Where the number of the record is in an entry; the hashes of its id and of its text come before it. */
export const RECORD_WORD = WORDS_AN_ENTRY - 1;

/** Several records of one export have this hash. */
const SEVERAL = -1;
const NOBODY = 0;

/**
 * Matches the records of two exports by the hash of their ids, in some memory beside the entries: 12 to 20 bytes for
 * each record before.
 *
 * @param before Entries as in an index of records, with the number of the record in place of its line.
 * @param want Called with the number of each record that is not matched with one of the same text, or that is one of
 * several with the same hash; of some more than once.
 */
export function matchEntries(
  before: Uint32Array,
  now: Uint32Array,
  want: (record: number) => void,
): void {
  const table = new EntryTable(before);
  /** Of each entry before: the place of its partner, plus one. */
  const partners = new Int32Array(before.length / WORDS_AN_ENTRY);
  for (let at = 0; at < before.length; at += WORDS_AN_ENTRY) {
    const first = table.findOrAdd(before, at);
    if (first === at) continue;
    partners[first / WORDS_AN_ENTRY] = SEVERAL;
    partners[at / WORDS_AN_ENTRY] = SEVERAL;
    want(recordAt(before, first));
    want(recordAt(before, at));
  }
  for (let at = 0; at < now.length; at += WORDS_AN_ENTRY) {
    const found = table.find(now, at);
    if (found === undefined) want(recordAt(now, at));
    else matchOne({ before, found }, { now, at }, partners, want);
  }
  for (let at = 0; at < before.length; at += WORDS_AN_ENTRY) {
    if (partners[at / WORDS_AN_ENTRY] === NOBODY) want(recordAt(before, at));
  }
}

function matchOne(
  { before, found }: { readonly before: Uint32Array; readonly found: number },
  { now, at }: { readonly now: Uint32Array; readonly at: number },
  partners: Int32Array,
  want: (record: number) => void,
): void {
  const partner = partners[found / WORDS_AN_ENTRY] ?? NOBODY;
  if (partner === NOBODY) {
    partners[found / WORDS_AN_ENTRY] = at + 1;
    if (before[found + 2] === now[at + 2] && before[found + 3] === now[at + 3]) return;
  } else if (partner !== SEVERAL) {
    want(recordAt(now, partner - 1));
  }
  want(recordAt(before, found));
  want(recordAt(now, at));
}

function recordAt(entries: Uint32Array, at: number): number {
  return entries[at + RECORD_WORD] ?? 0;
}

/** Entries by the hash of their id: open addressing, at most half full. */
class EntryTable {
  readonly #entries: Uint32Array;
  readonly #slots: Int32Array;

  constructor(entries: Uint32Array) {
    this.#entries = entries;
    const count = Math.max(1, entries.length / WORDS_AN_ENTRY);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count)));
  }

  /** The entry with the same hash as the one at `at` of some entries. */
  find(others: Uint32Array, at: number): number | undefined {
    const found = this.#slots[this.#slotOf(others, at)] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  /** The one of the entries that came first with this hash. */
  findOrAdd(entries: Uint32Array, at: number): number {
    const slot = this.#slotOf(entries, at);
    const found = this.#slots[slot] ?? 0;
    if (found !== 0) return found - 1;
    this.#slots[slot] = at + 1;
    return at;
  }

  /** The slot of the same hash, or the one where it belongs. */
  #slotOf(others: Uint32Array, at: number): number {
    const slots = this.#slots;
    const low = others[at];
    const high = others[at + 1];
    // Bit 0 is the same in all.
    let slot = ((low ?? 0) >>> 1) % slots.length;
    for (; ; slot = (slot + 1) % slots.length) {
      const found = slots[slot] ?? 0;
      if (found === 0) return slot;
      if (this.#entries[found - 1] === low && this.#entries[found] === high) return slot;
    }
  }
}
