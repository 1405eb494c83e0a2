import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { compressionOf } from '../../../lib/exports/compression.ts';
import { unpack } from '../../../lib/exports/packing.ts';

/** So much text is in memory at a time, and one line. */
const PIECE_BYTES = 64 * 1024;

/** The text of a part that is stored in a file of the same ending, piece by piece. */
export async function* textIn(part: string): AsyncGenerator<string, void> {
  const decoder = new StringDecoder();
  for await (const piece of unpack(createReadStream(part), compressionOf(part), PIECE_BYTES)) {
    yield decoder.write(piece);
  }
  yield decoder.end();
}

/** Its lines, some at a time, without empty ones. */
export async function* linesIn(part: string): AsyncGenerator<readonly string[], void> {
  let begun = '';
  for await (const text of textIn(part)) {
    const lines = (begun + text).split('\n');
    begun = lines.pop() ?? '';
    yield lines.filter((line) => line !== '');
  }
  if (begun !== '') yield [begun];
}
