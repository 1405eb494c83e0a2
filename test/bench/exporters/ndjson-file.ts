import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';

/**
 * One gzip file with a line for each record, at the level that our own parts have.
 *
 * @param textOf For records that JSON.stringify cannot take.
 */
export function createNdjsonFile(
  folder: string,
  textOf: (record: unknown) => string = JSON.stringify,
) {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
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
