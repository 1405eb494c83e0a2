import { compareHeads } from './record-run.ts';
import type { RunReader } from './run-reader.ts';

/** Readers of runs by the record at which they stand: a binary heap. Readers at their end are left out. */
export class ReaderQueue {
  readonly #readers: RunReader[] = [];

  constructor(readers: readonly RunReader[]) {
    for (const reader of readers) this.#append(reader);
  }

  /** The one whose record comes first. */
  get first(): RunReader | undefined {
    return this.#readers[0];
  }

  /** To be called when the first one has gone on. */
  settle(): void {
    const last = this.#readers.pop();
    if (last === undefined) return;
    const [first] = this.#readers;
    if (first === undefined) {
      this.#append(last);
      return;
    }
    if (first.head === undefined) {
      this.#readers[0] = last;
    } else {
      this.#readers.push(last);
    }
    this.#sink();
  }

  #append(reader: RunReader): void {
    if (reader.head === undefined) return;
    const readers = this.#readers;
    readers.push(reader);
    for (let at = readers.length - 1; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2]) if (this.#isBefore(below, least)) least = below;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const oneHead = this.#readers[one]?.head;
    const otherHead = this.#readers[other]?.head;
    if (oneHead === undefined || otherHead === undefined) return false;
    return compareHeads(oneHead, otherHead) < 0;
  }

  #swap(one: number, other: number): void {
    const readers = this.#readers;
    const [first, second] = [readers[one], readers[other]];
    if (first === undefined || second === undefined) return;
    readers[one] = second;
    readers[other] = first;
  }
}
