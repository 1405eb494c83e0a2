import { LINE_FEED } from './json-tokens.ts';

export interface LineTaker {
  /**
   * Whole lines of `bytes`, each with its line feed: from the one that begins at `from` to the one that ends at `to`.
   * They are other lines afterwards: who keeps one copies it.
   */
  take(bytes: Uint8Array, from: number, to: number): void;
  /** In their place, a line of more than `maxLineBytes`. */
  takeLonger(): void;
}

/** A line inside of one piece is not too long, so it is the same in whatever pieces the lines come. */
const PIECE_BYTES = 1024 * 1024;
const FIRST_LINE_BYTES = 64 * 1024;

/** Puts lines together that come in pieces. In memory are one piece and one line. */
export class WholeLines {
  readonly #taker: LineTaker;
  readonly #maxLineBytes: number;
  /** The beginning of a line whose end has not come yet. Its memory is that of the longest one: new one would be late garbage. */
  #line: Uint8Array = new Uint8Array(FIRST_LINE_BYTES);
  #lineBytes = 0;

  constructor(taker: LineTaker, maxLineBytes: number) {
    this.#taker = taker;
    this.#maxLineBytes = Math.max(maxLineBytes, PIECE_BYTES);
  }

  /** Whether the end of a line has not come yet. */
  get isCut(): boolean {
    return this.#lineBytes > 0;
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      this.#pushPiece(chunk.subarray(from, from + PIECE_BYTES));
    }
  }

  #pushPiece(chunk: Uint8Array): void {
    const firstEnd = chunk.indexOf(LINE_FEED) + 1;
    let from = 0;
    if (firstEnd > 0 && this.#lineBytes > 0) {
      this.#keep(chunk.subarray(0, firstEnd));
      this.#takeKept();
      from = firstEnd;
    }
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    this.#taker.take(chunk, from, Math.max(from, end));
    if (end < chunk.length) this.#keep(chunk.subarray(end));
  }

  #keep(bytes: Uint8Array): void {
    const before = this.#lineBytes;
    this.#lineBytes += bytes.length;
    if (this.#lineBytes > this.#maxLineBytes) return;
    if (this.#lineBytes > this.#line.length) {
      const longer = new Uint8Array(Math.min(this.#maxLineBytes, 2 * this.#lineBytes));
      longer.set(this.#line.subarray(0, before));
      this.#line = longer;
    }
    this.#line.set(bytes, before);
  }

  #takeKept(): void {
    const bytes = this.#lineBytes;
    this.#lineBytes = 0;
    if (bytes > this.#maxLineBytes) this.#taker.takeLonger();
    else this.#taker.take(this.#line, 0, bytes);
  }
}
