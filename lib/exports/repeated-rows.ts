import { hash } from 'node:crypto';
import { idIn, unescapedId } from '../customers-api/record-places.ts';

/** Words of 32 bits for each id: its hash, a second hash of it, the hash of its newest row and where that is. */
const WORDS = 8;
const HASH = 0;
const SECOND_HASH = 2;
const TEXT_HASH = 4;
const PART = 6;

const NOT_SEEN = 0;
/** Two ids have the same first hash, so none of their rows is left out. */
const COLLISION = 0xffff_ffff;
/** Beside the number of a part: the row there and all behind it stay. */
const KEPT = 0x8000_0000;

export interface PlacedRow {
  /** The two words of its hash, see `hashRecords`. */
  readonly low: number;
  readonly high: number;
  /** Number of the part, from 1. */
  readonly part: number;
  /** In the part, from 0. */
  readonly line: number;
}

/** What a row is to the one with its id that was noted before, and where that is. */
type Noted =
  | { readonly kind: 'first' }
  /** It has another id after all. */
  | { readonly kind: 'other' }
  | { readonly kind: 'equal' | 'changed'; readonly part: number; readonly line: number };

/**
 * The newest row of each id that came more than once: 32 bytes for each id, in the order of their hashes. Rows are
 * noted in the order in which they were received.
 */
export class RepeatedRows {
  #words: Uint32Array;
  #parts: Set<number>;

  private constructor(words: Uint32Array, parts: Iterable<number>) {
    this.#words = words;
    this.#parts = new Set(parts);
  }

  static none(): RepeatedRows {
    return new RepeatedRows(new Uint32Array(0), []);
  }

  /** @param body What {@link stored} gave. */
  static from(body: Uint8Array): RepeatedRows {
    const words = new Uint32Array(new Uint8Array(body).buffer);
    const [partCount = 0] = words;
    const from = 1 + partCount;
    return new RepeatedRows(words.slice(from), words.subarray(1, from));
  }

  /** Numbers of the parts that have such ids, ascending. */
  get parts(): readonly number[] {
    return [...this.#parts].sort((one, other) => one - other);
  }

  stored(): Uint8Array {
    const parts = this.parts;
    const words = new Uint32Array(1 + parts.length + this.#words.length);
    words.set([parts.length, ...parts]);
    words.set(this.#words, 1 + parts.length);
    return new Uint8Array(words.buffer);
  }

  /**
   * @param hashes Ascending, all greater than those that were added before.
   * @param parts Those that have any of them.
   */
  add(hashes: BigUint64Array, parts: Iterable<number>): void {
    const words = new Uint32Array(this.#words.length + WORDS * hashes.length);
    words.set(this.#words);
    const added = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
    for (let index = 0; index < hashes.length; index++) {
      const at = this.#words.length + WORDS * index;
      words[at + HASH] = added[2 * index] ?? 0;
      words[at + HASH + 1] = added[2 * index + 1] ?? 0;
    }
    this.#words = words;
    for (const part of parts) this.#parts.add(part);
  }

  has({ low, high }: Pick<PlacedRow, 'low' | 'high'>): boolean {
    return this.#find(low, high) !== undefined;
  }

  /** Notes a row of an id that came more than once. */
  note(row: PlacedRow, text: Uint8Array, idKey: string): Noted {
    const at = this.#find(row.low, row.high);
    if (at === undefined) return { kind: 'first' };
    const id = idIn(text, idKey);
    const second = wordsOf(Buffer.from(unescapedId(id ?? '')));
    const hash = wordsOf(text);
    const [place = NOT_SEEN, line = 0] = this.#words.subarray(at + PART);
    const part = place & ~KEPT;
    const isFirst = place === NOT_SEEN;
    if (
      place === COLLISION ||
      id === undefined ||
      !(isFirst || this.#is(at + SECOND_HASH, second))
    ) {
      this.#words[at + PART] = COLLISION;
      return { kind: 'other' };
    }
    const isEqual = this.#is(at + TEXT_HASH, hash);
    this.#words.set([...second, ...hash], at + SECOND_HASH);
    if (place < KEPT) this.#words.set([row.part, row.line], at + PART);
    return isFirst ? { kind: 'first' } : { kind: isEqual ? 'equal' : 'changed', part, line };
  }

  /** The row before one that was noted stays too, and so do all that come. */
  keep({ low, high }: PlacedRow, { part, line }: Pick<PlacedRow, 'part' | 'line'>): void {
    const at = this.#find(low, high);
    if (at !== undefined) this.#words.set([part + KEPT, line], at + PART);
  }

  /** Whether a newer row with the same id was noted, of those that do not stay. */
  isOlder({ low, high, part, line }: PlacedRow): boolean {
    const at = this.#find(low, high);
    if (at === undefined) return false;
    const [newestPart = NOT_SEEN, newestLine = 0] = this.#words.subarray(at + PART);
    if (newestPart === NOT_SEEN || newestPart === COLLISION) return false;
    if (newestPart >= KEPT)
      return part < newestPart - KEPT || (part === newestPart - KEPT && line < newestLine);
    return newestPart !== part || newestLine !== line;
  }

  #is(at: number, [low, high]: readonly [number, number]): boolean {
    return this.#words[at] === low && this.#words[at + 1] === high;
  }

  #find(low: number, high: number): number | undefined {
    const words = this.#words;
    // Words of a typed array are unsigned.
    const [wantedLow, wantedHigh] = [low >>> 0, high >>> 0];
    let from = 0;
    let to = words.length / WORDS;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const at = WORDS * middle;
      const isBelow =
        (words[at + 1] ?? 0) < wantedHigh ||
        (words[at + 1] === wantedHigh && (words[at] ?? 0) < wantedLow);
      if (isBelow) from = middle + 1;
      else to = middle;
    }
    const at = WORDS * from;
    return words[at] === wantedLow && words[at + 1] === wantedHigh ? at : undefined;
  }
}

/** 64 bits of SHA-256: made of few rows, and of another kind than the first hash. */
function wordsOf(bytes: Uint8Array): readonly [number, number] {
  const digest = hash('sha256', bytes, 'buffer');
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
}
