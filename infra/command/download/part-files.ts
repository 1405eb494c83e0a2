import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { compressionOf, endingOf } from '../../../lib/exports/compression.ts';
import { TEMPORARY } from '../../command-line/disk-error.ts';
import { storeFile } from '../../command-line/out-folder.ts';
import { type RemoteFile, received } from '../stack/export-files.ts';

/** Whether a file is there as it would be downloaded. */
export async function isStored(path: string, { bytes, sha256 }: RemoteFile): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.size !== bytes) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === sha256;
}

export async function* partsIn(
  folder: string,
  files: AsyncIterable<RemoteFile>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let count = 0;
  for await (const file of files) {
    if (file.kind !== 'part') continue;
    count += 1;
    const path = join(folder, `${count}${endingOf(compressionOf(file.key))}`);
    await received(file, signal, (bytes) => storeFile(path, bytes, TEMPORARY));
    yield path;
  }
}
