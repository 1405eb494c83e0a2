import { deferred } from '../deferred.ts';

/** Bodies that are being read take so much together, whatever an API sends: four times the longest single one. */
const MOST_BYTES = 64 * 1024 * 1024;

interface BodyRead {
  /**
   * Resolves when there is room for a longer buffer: the body that began first always has it, another one waits until
   * others are over. `undefined` when there is room at once.
   *
   * @throws What the signal was aborted with.
   */
  grow(bytes: number, signal: AbortSignal): Promise<void> | undefined;
  /** Call it when the body is over, in whatever way. */
  end(): void;
}

/** What all bodies that are being read at the same time may take. */
export class ReadBudget {
  /** In the order in which they began. */
  readonly #bytesOf = new Map<BodyRead, number>();
  #ended = deferred<void>();

  begin(bytes: number): BodyRead {
    const read: BodyRead = {
      grow: (newBytes, signal) => {
        if (!this.#hasRoom(read, newBytes)) return this.#wait(read, newBytes, signal);
        this.#bytesOf.set(read, newBytes);
        return undefined;
      },
      end: () => {
        this.#bytesOf.delete(read);
        this.#ended.resolve();
        this.#ended = deferred<void>();
      },
    };
    this.#bytesOf.set(read, bytes);
    return read;
  }

  #hasRoom(read: BodyRead, newBytes: number): boolean {
    const [first] = this.#bytesOf.keys();
    if (first === read) return true;
    let bytes = newBytes;
    for (const [other, its] of this.#bytesOf) bytes += other === read ? 0 : its;
    return bytes <= MOST_BYTES;
  }

  async #wait(read: BodyRead, newBytes: number, signal: AbortSignal): Promise<void> {
    const aborted = deferred<void>();
    const wake = () => aborted.resolve();
    signal.addEventListener('abort', wake);
    try {
      while (!this.#hasRoom(read, newBytes)) {
        await Promise.race([this.#ended.promise, aborted.promise]);
        signal.throwIfAborted();
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
    this.#bytesOf.set(read, newBytes);
  }
}
