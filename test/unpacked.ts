import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Compression, compressionOf } from '../lib/exports/compression.ts';

/** What a part holds, by other calls than ours. @param key As it is named. */
export function unpacked(key: string, stored: Uint8Array): Buffer {
  const unpack = compressionOf(key) === 'zstd' ? zstdDecompressSync : gunzipSync;
  return unpack(stored);
}

/** A part with this text, as others compress it. */
export function packed(compression: Compression, text: string | Uint8Array): Buffer {
  return compression === 'zstd' ? zstdCompressSync(text) : gzipSync(text);
}
