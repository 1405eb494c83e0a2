import type { Page } from '../outcome.ts';
import { hashTexts } from '../record-hashes.ts';

/** Words of 32 bits for a row: two of its id, two of its text. */
const WORDS = 4;

/**
 * By what rows are known again: 64 bits of the id and 64 of the text of each. A row is only left out for good where
 * both agree, which two different rows do by chance once in 10^38 pairs.
 */
export class RowMarks {
  readonly #words: Uint32Array;

  private constructor(words: Uint32Array) {
    this.#words = words;
  }

  static of(page: Pick<Page, 'ndjson' | 'recordCount' | 'recordHashes'>): RowMarks {
    const { recordCount, recordHashes } = page;
    const texts = hashTexts(page.ndjson, recordCount);
    const words = new Uint32Array(WORDS * recordCount);
    for (let row = 0; row < recordCount; row++) {
      words.set(recordHashes.subarray(2 * row, 2 * row + 2), WORDS * row);
      words.set(texts.subarray(2 * row, 2 * row + 2), WORDS * row + 2);
    }
    return new RowMarks(words);
  }

  /** Base64, 22 characters a row. */
  static parse(text: string): RowMarks {
    const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
    return new RowMarks(new Uint32Array(bytes.buffer, 0, bytes.length >> 2));
  }

  toString(): string {
    const { buffer, byteOffset, byteLength } = this.#words;
    return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  }

  get length(): number {
    return this.#words.length / WORDS;
  }

  idOf(row: number): string {
    return `${this.#words[WORDS * row]} ${this.#words[WORDS * row + 1]}`;
  }

  hasSameText(row: number, other: RowMarks, otherRow: number): boolean {
    const at = WORDS * row + 2;
    const otherAt = WORDS * otherRow + 2;
    return (
      this.#words[at] === other.#words[otherAt] && this.#words[at + 1] === other.#words[otherAt + 1]
    );
  }

  first(count: number): RowMarks {
    return new RowMarks(this.#words.slice(0, WORDS * count));
  }

  last(count: number): RowMarks {
    return new RowMarks(this.#words.slice(-WORDS * count));
  }

  /** These, then the others. */
  followedBy(others: RowMarks): RowMarks {
    const words = new Uint32Array(this.#words.length + others.#words.length);
    words.set(this.#words);
    words.set(others.#words, this.#words.length);
    return new RowMarks(words);
  }
}
