import { LINE_FEED } from './json-tokens.ts';

/** Gets lines from pieces of any length. */
export interface LineTaker {
  /** Whole lines of `bytes`, each with its line feed: from the one that begins at `from` to the one that ends at `to`. */
  take(bytes: Uint8Array, from: number, to: number): void;
  /** In their place, a line of more than `maxLineBytes`. */
  takeLonger(): void;
}

/** A line inside of one piece is not too long, so it is the same in whatever pieces the lines come. */
const PIECE_BYTES = 1024 * 1024;

/** Puts lines together that come in pieces. In memory are one piece and one line. */
export class WholeLines {
  readonly #taker: LineTaker;
  readonly #maxLineBytes: number;
  /** The beginning of a line whose end has not come yet. */
  #line: Uint8Array[] = [];
  #lineBytes = 0;

  constructor(taker: LineTaker, maxLineBytes: number) {
    this.#taker = taker;
    this.#maxLineBytes = Math.max(maxLineBytes, PIECE_BYTES);
  }

  /** Whether the end of a line has not come yet. */
  get isCut(): boolean {
    return this.#lineBytes > 0;
  }

  /** @param chunk Nobody may write it any more. */
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
    this.#lineBytes += bytes.length;
    if (this.#lineBytes <= this.#maxLineBytes) this.#line.push(bytes);
    else this.#line = [];
  }

  #takeKept(): void {
    const line = this.#line;
    const isTooLong = this.#lineBytes > this.#maxLineBytes;
    this.#line = [];
    this.#lineBytes = 0;
    if (isTooLong) {
      this.#taker.takeLonger();
      return;
    }
    const bytes = Buffer.concat(line);
    this.#taker.take(bytes, 0, bytes.length);
  }
}
