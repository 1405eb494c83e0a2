import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { compressionOf, endingOf } from '../../../lib/exports/compression.ts';
import { unpack } from '../../../lib/exports/packing.ts';
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

/** So much text is in memory at a time, and one line. */
const PIECE_BYTES = 64 * 1024;

/** The text of a part that is stored in a file of the same ending, piece by piece. @throws The reason of the signal. */
export async function* textIn(part: string, signal?: AbortSignal): AsyncGenerator<string, void> {
  const decoder = new StringDecoder();
  for await (const piece of unpack(createReadStream(part), compressionOf(part), PIECE_BYTES)) {
    signal?.throwIfAborted();
    yield decoder.write(piece);
  }
  yield decoder.end();
}

/** Its lines, some at a time, without empty ones. */
export async function* linesIn(
  part: string,
  signal?: AbortSignal,
): AsyncGenerator<readonly string[], void> {
  let begun = '';
  for await (const text of textIn(part, signal)) {
    const lines = (begun + text).split('\n');
    begun = lines.pop() ?? '';
    yield lines.filter((line) => line !== '');
  }
  if (begun !== '') yield [begun];
}
