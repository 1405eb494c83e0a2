import { ReadBudget } from './read-budget.ts';

export interface BodyBuffer {
  readonly bytes: Uint8Array;
  /** Gives the memory to a later body: none of `bytes` may be read any more. Without effect a second time. */
  readonly release: () => void;
}

/** The least that is lent: most pages of 100 records fit. */
const LEAST_BYTES = 64 * 1024;
/** Memory of larger bodies is not kept: they are exceptions. */
const MOST_BYTES_OF_ONE = 1024 * 1024;
/** The largest ones of as many pages as an export has under way. */
const MOST_BYTES_KEPT = 16 * 1024 * 1024;

/**
 * The memory that bodies are read into. What was released is used again: a page waits for those before it
 * and so outlives V8's young generation, and then only a collection of the whole heap frees it. Such
 * collections are half as frequent this way.
 */
export class BodyBuffers {
  /** By size: `LEAST_BYTES`, and twice as much, and so on. */
  readonly #kept = new Map<number, Uint8Array[]>();
  #keptBytes = 0;
  /** Of the bodies that are read into it. */
  readonly budget = new ReadBudget();

  /** Memory for one body; what is in it is left from another. */
  take(atLeastBytes: number): BodyBuffer {
    let size = LEAST_BYTES;
    while (size < atLeastBytes) size *= 2;
    const kept = this.#kept.get(size)?.pop();
    if (kept !== undefined) this.#keptBytes -= size;
    return this.#lend(kept ?? Buffer.allocUnsafeSlow(size));
  }

  /**
   * The first bytes of a buffer as a body. A short one gets memory of its own, so that who keeps bodies
   * without releasing them keeps at most twice what they take.
   */
  body(buffer: BodyBuffer, length: number): BodyBuffer {
    const bytes = buffer.bytes.subarray(0, length);
    if (length * 2 > buffer.bytes.length) return { bytes, release: buffer.release };
    const copy = new Uint8Array(bytes);
    buffer.release();
    return { bytes: copy, release: () => {} };
  }

  #lend(memory: Uint8Array): BodyBuffer {
    let isLent = true;
    const release = () => {
      if (isLent) this.#keep(memory);
      isLent = false;
    };
    return { bytes: memory, release };
  }

  #keep(memory: Uint8Array): void {
    const size = memory.length;
    if (size > MOST_BYTES_OF_ONE || this.#keptBytes + size > MOST_BYTES_KEPT) return;
    const same = this.#kept.get(size) ?? [];
    same.push(memory);
    this.#kept.set(size, same);
    this.#keptBytes += size;
  }
}
