import { decodeHead, headBytes, type RunHead } from './record-run.ts';

type ReadBytes = (from: number, to: number) => Promise<Uint8Array>;

interface StoredRun {
  readonly bytes: number;
  readonly read: ReadBytes;
}

/** Reads a run from front to back, some bytes at a time. Of a long record the text is read when it is asked for. */
export class RunReader {
  readonly #run: StoredRun;
  readonly #pieceBytes: number;
  /** The piece that is in memory, and where in the run it begins. */
  #piece: Buffer = Buffer.alloc(0);
  #pieceStart: number;
  /** Where in the run the record begins that comes next. */
  #next: number;
  #head: (RunHead & { readonly start: number; readonly textStart: number }) | undefined;

  /** @param from Where a record begins. @param pieceBytes How much is read at a time. */
  constructor(run: StoredRun, from: number, pieceBytes: number) {
    this.#run = run;
    this.#pieceBytes = pieceBytes;
    this.#pieceStart = from;
    this.#next = from;
  }

  /** The record that stands here; `undefined` at the end. */
  get head(): RunHead | undefined {
    return this.#head;
  }

  /** Where the record that stands here begins; at the end, the end. */
  get position(): number {
    return this.#head?.start ?? this.#next;
  }

  /** Goes to the next record if it is in memory, and to the end if there is none. @returns Whether it did. */
  tryAdvance(): boolean {
    const start = this.#next;
    if (start >= this.#run.bytes) {
      this.#head = undefined;
      return true;
    }
    const at = start - this.#pieceStart;
    const bytes = headBytes(this.#piece, at);
    if (this.#piece.length < at + bytes) return false;
    const head = decodeHead(this.#piece, at);
    this.#head = { ...head, start, textStart: start + bytes };
    this.#next = start + bytes + head.textBytes;
    return true;
  }

  async advance(): Promise<void> {
    let needed = this.#pieceBytes;
    while (!this.tryAdvance()) {
      await this.#load(this.#next, needed);
      // An id is longer than a piece.
      needed = Math.max(needed, headBytes(this.#piece, 0));
    }
  }

  async text(): Promise<Uint8Array> {
    if (this.#head === undefined) throw new RangeError('There is no record at the end of a run.');
    const { textStart, textBytes } = this.#head;
    if (textBytes > this.#pieceBytes) return this.#read(textStart, textStart + textBytes);
    // The records after it come along.
    const isThere = textStart + textBytes <= this.#pieceStart + this.#piece.length;
    if (!isThere) await this.#load(textStart, this.#pieceBytes);
    const at = textStart - this.#pieceStart;
    return this.#piece.subarray(at, at + textBytes);
  }

  async #load(from: number, length: number): Promise<void> {
    const piece = await this.#read(from, Math.min(this.#run.bytes, from + length));
    this.#piece = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#pieceStart = from;
  }

  async #read(from: number, to: number): Promise<Uint8Array> {
    const bytes = await this.#run.read(from, to);
    if (bytes.length === to - from) return bytes;
    throw new Error(`A run has ${bytes.length} bytes from ${from} on, expected ${to - from}.`);
  }
}
