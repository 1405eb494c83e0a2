import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import type { Compression } from './compression.ts';
import { oneFrame } from './zstd-frame.ts';

/** A quarter of the calls that Node's default of 16 KiB makes for the same bytes. */
const PACKED_CHUNK_BYTES = 64 * 1024;

/** Fewer, larger pieces than Node's 16 KiB: each costs a switch between threads. */
const PIECE_BYTES = 256 * 1024;

/**
 * 8 MiB, which RFC 8878 section 3.1.1.1.2 recommends to decoders; Node's default is 128 MiB, which a file of some
 * bytes could have a reader of ours allocate. Ours have 512 KiB.
 */
const MAX_WINDOW_LOG = 23;

/** Node.js API, `zlib.createZstdCompress`. */
const NEEDED_NODE = '22.15';

/** Zstandard is not in the Node.js that runs. */
export class NoZstdError extends Error {
  override readonly name = 'NoZstdError';
  readonly code = 'NO_ZSTD';

  constructor() {
    super(
      `Files compressed by zstd need Node.js ${NEEDED_NODE} or newer, and this is ${process.version}. Use a newer one, or let exports be compressed by gzip.`,
    );
  }
}

/** @throws NoZstdError when this Node.js cannot read and write it. */
export function requirePacking(compression: Compression): void {
  if (compression === 'zstd' && !('createZstdCompress' in zlib)) throw new NoZstdError();
}

/**
 * Compresses into one gzip member (RFC 1952) or one zstd frame (RFC 8878). Level 1 of gzip takes about half the
 * CPU time of Node's default, level 6; level 1 of zstd a third of that of gzip's level 1, and its parts are smaller
 * (docs/performance.md).
 */
export function createPacker(compression: Compression): Transform {
  requirePacking(compression);
  const { constants } = zlib;
  if (compression === 'gzip') {
    return zlib.createGzip({
      level: constants.Z_BEST_SPEED,
      memLevel: constants.Z_MAX_MEMLEVEL,
      chunkSize: PACKED_CHUNK_BYTES,
    });
  }
  return zlib.createZstdCompress({
    params: {
      [constants.ZSTD_c_compressionLevel]: 1,
      // As gzip has its CRC: zstd leaves it out by default, and a flipped bit would pass for data.
      [constants.ZSTD_c_checksumFlag]: 1,
    },
    chunkSize: PACKED_CHUNK_BYTES,
  });
}

/**
 * Unpacks what a packer made, some at a time.
 *
 * @param stored An error of it is passed on. It is read no further when the caller leaves.
 * @throws NoZstdError; an error that {@link isBroken} knows for bytes that are cut, flipped or of another form.
 */
export async function* unpack(
  stored: AsyncIterable<Uint8Array>,
  compression: Compression,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<Buffer, void> {
  const unpacker = createUnpacker(compression, pieceBytes);
  const bytes = compression === 'zstd' ? oneFrame(stored) : stored;
  const isDone = pipeline(Readable.from(bytes, { objectMode: false }), unpacker);
  // The loop throws what it is rejected with; a caller that leaves is no failure.
  isDone.catch(() => undefined);
  for await (const piece of unpacker) yield piece;
}

function createUnpacker(compression: Compression, chunkSize: number): Transform {
  requirePacking(compression);
  if (compression === 'gzip') return zlib.createGunzip({ chunkSize });
  const params = { [zlib.constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG };
  return zlib.createZstdDecompress({ params, chunkSize });
}

/** Whether what was to be unpacked is not whole. Such codes begin so (Node.js API, "zlib constants"). */
export function isBroken(error: unknown): boolean {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && /^Z(?:STD)?_/.test(String(error.code));
}
