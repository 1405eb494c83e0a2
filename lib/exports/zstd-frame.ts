/** What is stored is not one zstd frame from its first byte to its last. */
class NotOneFrameError extends Error {
  override readonly name = 'NotOneFrameError';
  readonly code = 'ZSTD_NOT_ONE_FRAME';
}

/** Bytes of the frame that come next: to be read, or without a bearing on where it ends. */
type Ask = { readonly read: number } | { readonly skip: number };

const MAGIC = 0xfd2fb528;
const HAS_CHECKSUM = 0b100;
const IS_ONE_SEGMENT = 0b10_0000;
const CHECKSUM_BYTES = 4;
const RUN_OF_ONE_BYTE = 1;

/**
 * Passes on what is stored if it is one zstd frame (RFC 8878 section 3.1.1) and nothing else. Node.js 22 takes a frame that
 * is cut for a whole one, and every version leaves out what comes after the first frame, without an error.
 *
 * @throws NotOneFrameError, at the end for one that is cut; what `stored` throws.
 */
export async function* oneFrame(
  stored: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const frame = new FrameEnd();
  for await (const bytes of stored) {
    frame.push(bytes);
    yield bytes;
  }
  if (!frame.isOver) throw new NotOneFrameError('unexpected end of file');
}

/** Where a frame ends whose bytes come piece by piece. */
class FrameEnd {
  readonly #asks = asksOfFrame();
  #ask = this.#asks.next();
  #read: Buffer = Buffer.alloc(0);
  #skipped = 0;

  get isOver(): boolean {
    return this.#ask.done === true;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += this.#take(bytes.subarray(at));
  }

  /** @returns How many of the bytes the frame has asked for. */
  #take(bytes: Uint8Array): number {
    if (this.#ask.done) throw new NotOneFrameError('more bytes after the end of the frame');
    const ask = this.#ask.value;
    if ('skip' in ask) {
      const taken = Math.min(bytes.length, ask.skip - this.#skipped);
      this.#skipped += taken;
      if (this.#skipped === ask.skip) this.#next();
      return taken;
    }
    const taken = Math.min(bytes.length, ask.read - this.#read.length);
    this.#read = Buffer.concat([this.#read, bytes.subarray(0, taken)]);
    if (this.#read.length === ask.read) this.#next();
    return taken;
  }

  #next(): void {
    this.#ask = this.#asks.next(this.#read);
    this.#read = Buffer.alloc(0);
    this.#skipped = 0;
  }
}

function* asksOfFrame(): Generator<Ask, void, Buffer> {
  const start = yield { read: 5 };
  if (start.readUInt32LE() !== MAGIC) throw new NotOneFrameError('not a zstd frame');
  const descriptor = start.readUInt8(4);
  const restOfHeader = restOfHeaderBytes(descriptor);
  if (restOfHeader > 0) yield { skip: restOfHeader };
  for (let isLast = false; !isLast; ) {
    const head = (yield { read: 3 }).readUIntLE(0, 3);
    isLast = (head & 1) === 1;
    const bytes = ((head >> 1) & 0b11) === RUN_OF_ONE_BYTE ? 1 : head >> 3;
    if (bytes > 0) yield { skip: bytes };
  }
  if ((descriptor & HAS_CHECKSUM) !== 0) yield { skip: CHECKSUM_BYTES };
}

/** Window, id of a dictionary and size of the content (section 3.1.1.1). */
function restOfHeaderBytes(descriptor: number): number {
  const isOneSegment = (descriptor & IS_ONE_SEGMENT) !== 0;
  const windowBytes = isOneSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0b11] ?? 0;
  const contentSizeBytes = [isOneSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return windowBytes + dictionaryBytes + contentSizeBytes;
}
