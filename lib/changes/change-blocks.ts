import { gunzip } from 'node:zlib';
import { fromCallback } from '../deferred.ts';
import { LINE_FEED } from '../json/json-tokens.ts';
import type { ChangesFile } from './changes-summary.ts';

interface PlacedBlock {
  /** Of its file. */
  readonly key: string;
  /** Its first byte in the file. */
  readonly from: number;
  /** The byte after its last one. */
  readonly to: number;
  /** Counted from 0 over all files. */
  readonly firstLine: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/**
 * The blocks that hold a line, or lines after it: so changes are read from any line on.
 *
 * @param line Counted from 0 over all files: as many lines are passed over.
 */
export function* blocksFrom(
  files: readonly Pick<ChangesFile, 'key' | 'blocks'>[],
  line: number,
): Generator<PlacedBlock, void> {
  let firstLine = 0;
  for (const { key, blocks } of files) {
    let from = 0;
    for (const [bytes, added, changed, removed] of blocks) {
      const to = from + bytes;
      const afterLines = firstLine + added + changed + removed;
      if (afterLines > line) yield { key, from, to, firstLine, added, changed, removed };
      from = to;
      firstLine = afterLines;
    }
  }
}

/**
 * The lines of a block, each without its line break.
 *
 * @param bytes Those of the file from `from` up to `to`.
 * @throws RangeError when there are not as many as its counts say: the file is not the one that they were made of.
 */
export async function blockLines(
  bytes: Uint8Array,
  { key, added, changed, removed }: PlacedBlock,
): Promise<readonly string[]> {
  const text = await fromCallback<Buffer>((done) => gunzip(bytes, done));
  const lines: string[] = [];
  for (
    let start = 0, end = text.indexOf(LINE_FEED);
    end >= 0;
    end = text.indexOf(LINE_FEED, start)
  ) {
    lines.push(text.toString('utf8', start, end));
    start = end + 1;
  }
  const expected = added + changed + removed;
  if (lines.length === expected && text.at(-1) === LINE_FEED) return lines;
  throw new RangeError(`${key}: expected ${expected} changes in a block, got ${lines.length}`);
}
