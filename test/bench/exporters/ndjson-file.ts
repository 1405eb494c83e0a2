import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';

export interface NdjsonFileOptions {
  /** @default 1, the level that our own parts have */
  readonly gzipLevel?: number | undefined;
  /** For records that JSON.stringify cannot take. @default JSON.stringify */
  readonly textOf?: (record: unknown) => string;
}

/** One gzip file with a line for each record. */
export function createNdjsonFile(
  folder: string,
  { gzipLevel = constants.Z_BEST_SPEED, textOf = JSON.stringify }: NdjsonFileOptions = {},
) {
  const gzip = createGzip({ level: gzipLevel });
  const file = gzip.pipe(createWriteStream(join(folder, 'customers.ndjson.gz')));
  return {
    /** A page at a time: a write for each record takes a third more time. */
    write: async (records: readonly unknown[]): Promise<void> => {
      const text = records.map((record) => `${textOf(record)}\n`).join('');
      if (!gzip.write(text)) await once(gzip, 'drain');
    },
    end: async (): Promise<void> => {
      gzip.end();
      await finished(file);
    },
  };
}
