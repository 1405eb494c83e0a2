/**
 * How the parts of an export are compressed: `gzip` is read by everything, `zstd` takes a third of the time to
 * write (docs/performance.md) and is read by what docs/exports.md names.
 */
export type Compression = (typeof COMPRESSIONS)[number];

export const COMPRESSIONS = ['gzip', 'zstd'] as const;

/** What all exports had before there was a choice. */
export const DEFAULT_COMPRESSION: Compression = 'gzip';

/** Readers such as Athena and DuckDB know by the ending of its name how a file is compressed. */
const ENDINGS: Readonly<Record<Compression, string>> = {
  gzip: '.ndjson.gz',
  zstd: '.ndjson.zst',
};

export function endingOf(compression: Compression): string {
  return ENDINGS[compression];
}

/** @param key Of a part. */
export function compressionOf(key: string): Compression {
  return key.endsWith(ENDINGS.zstd) ? 'zstd' : 'gzip';
}
