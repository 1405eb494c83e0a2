/** A body in memory that can be used again. */
export interface BodyBuffer {
  readonly bytes: Uint8Array;
  /** Gives the memory to a later body: none of `bytes` may be read any more. Without effect a second time. */
  readonly release: () => void;
}

/** Sizes are multiples of it: pages of a list differ by some bytes only. */
const STEP_BYTES = 64 * 1024;
/** Memory of larger bodies is not kept: they are exceptions. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** As many as an export has pages under way, one that is being copied into its part, and a spare one. */
const MAX_KEPT = 18;

/**
 * The memory that bodies are read into. What was released is used again: a page waits for those before it
 * and so outlives V8's young generation, and then only a collection of the whole heap frees it. Without this a
 * worker of 512 MB did one for every 70 pages of 50 KB, and now does for every 150.
 */
export class BodyBuffers {
  readonly #kept: Uint8Array[] = [];
  /** What each one in `#kept` has: the size of the largest that was released. */
  #keptBytes = STEP_BYTES;

  /** Memory for one body; what is in it is left from another. */
  take(atLeastBytes: number): BodyBuffer {
    const bytes = Math.max(this.#keptBytes, Math.ceil(atLeastBytes / STEP_BYTES) * STEP_BYTES);
    const kept = bytes === this.#keptBytes ? this.#kept.pop() : undefined;
    return this.#lend(kept ?? Buffer.allocUnsafeSlow(bytes));
  }

  /**
   * The first bytes of a buffer as a body. A short one gets memory of its own, so that who keeps bodies
   * without releasing them keeps at most twice what they take.
   */
  body(buffer: BodyBuffer, length: number): BodyBuffer {
    const bytes = buffer.bytes.subarray(0, length);
    if (length * 2 > buffer.bytes.length) return { bytes, release: buffer.release };
    const copy = Uint8Array.from(bytes);
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
    if (memory.length < this.#keptBytes || memory.length > MAX_KEPT_BYTES) return;
    if (memory.length > this.#keptBytes) this.#kept.length = 0;
    this.#keptBytes = memory.length;
    if (this.#kept.length < MAX_KEPT) this.#kept.push(memory);
  }
}
