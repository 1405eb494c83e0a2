import { LINE_FEED } from '../../json/json-tokens.ts';
import type { Page } from '../outcome.ts';
import { hashText } from '../record-hashes.ts';

/** Words of 32 bits for a row: two of its id, two of its text. */
const WORDS = 4;

type MarkedPage = Pick<Page, 'ndjson' | 'recordCount' | 'recordHashes'>;

/**
 * By what rows are known again: 64 bits of the id and 64 of the text of each. A row is only left out for good where
 * both agree, which two different rows do by chance once in 10^38 pairs.
 */
export class RowMarks {
  readonly #words: Uint32Array;
  /** The page of which texts are hashed when they are asked for: of most rows nobody does. */
  readonly #page: MarkedPage | undefined;
  #ends: Uint32Array | undefined;

  private constructor(words: Uint32Array, page?: MarkedPage) {
    this.#words = words;
    this.#page = page;
  }

  /** They are of use as long as the page's bytes are not released. */
  static of(page: MarkedPage): RowMarks {
    const { recordCount, recordHashes } = page;
    const words = new Uint32Array(WORDS * recordCount);
    for (let row = 0; row < recordCount; row++) {
      words[WORDS * row] = recordHashes[2 * row] ?? 0;
      words[WORDS * row + 1] = recordHashes[2 * row + 1] ?? 0;
    }
    return new RowMarks(words, page);
  }

  /** Base64, 22 characters a row. */
  static parse(text: string): RowMarks {
    const bytes = new Uint8Array(Buffer.from(text, 'base64'));
    return new RowMarks(new Uint32Array(bytes.buffer, 0, bytes.length >> 2));
  }

  toString(): string {
    this.#hashTexts(0, this.length);
    const { buffer, byteOffset, byteLength } = this.#words;
    return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  }

  get length(): number {
    return this.#words.length / WORDS;
  }

  /** The last row with the id that another row has; -1 if there is none. */
  lastWithIdOf(other: RowMarks, otherRow: number): number {
    const [words, others] = [this.#words, other.#words];
    const low = others[WORDS * otherRow];
    const high = others[WORDS * otherRow + 1];
    let at = words.length - WORDS;
    while (at >= 0 && (words[at] !== low || words[at + 1] !== high)) at -= WORDS;
    return at < 0 ? -1 : at / WORDS;
  }

  hasSameText(row: number, other: RowMarks, otherRow: number): boolean {
    this.#hashTexts(row, row + 1);
    other.#hashTexts(otherRow, otherRow + 1);
    const at = WORDS * row + 2;
    const otherAt = WORDS * otherRow + 2;
    return (
      this.#words[at] === other.#words[otherAt] && this.#words[at + 1] === other.#words[otherAt + 1]
    );
  }

  first(count: number): RowMarks {
    return this.#slice(0, Math.min(count, this.length));
  }

  last(count: number): RowMarks {
    return this.#slice(Math.max(0, this.length - count), this.length);
  }

  /** These, then the others. */
  followedBy(others: RowMarks): RowMarks {
    this.#hashTexts(0, this.length);
    others.#hashTexts(0, others.length);
    const words = new Uint32Array(this.#words.length + others.#words.length);
    words.set(this.#words);
    words.set(others.#words, this.#words.length);
    return new RowMarks(words);
  }

  #slice(from: number, to: number): RowMarks {
    this.#hashTexts(from, to);
    return new RowMarks(this.#words.slice(WORDS * from, WORDS * to));
  }

  #hashTexts(from: number, to: number): void {
    const page = this.#page;
    if (page === undefined) return;
    this.#ends ??= lineEnds(page);
    for (let row = from; row < to; row++) {
      const at = WORDS * row + 2;
      if (this.#words[at] !== 0 || this.#words[at + 1] !== 0) continue;
      const start = row === 0 ? 0 : (this.#ends[row - 1] ?? 0) + 1;
      hashText(this.#words, at, page.ndjson, { start, end: this.#ends[row] ?? 0 });
    }
  }
}

function lineEnds({ ndjson, recordCount }: MarkedPage): Uint32Array {
  const ends = new Uint32Array(recordCount);
  let end = -1;
  for (let row = 0; row < recordCount; row++) {
    end = ndjson.indexOf(LINE_FEED, end + 1);
    ends[row] = end;
  }
  return ends;
}
