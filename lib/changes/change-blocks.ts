import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as v from 'valibot';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/**
 * One gzip member of `changes.ndjson.gz`, which is a row of them: its compressed bytes, and how many lines it has of
 * each kind. So the file can be read from any line on, and a reader of removals passes over members without any.
 */
export const ChangeBlockSchema = v.strictTuple([count, count, count, count]);

export type ChangeBlock = readonly [bytes: number, added: number, changed: number, removed: number];

/** A block, and where it is in the file. */
export interface PlacedBlock {
  /** Its first byte. */
  readonly from: number;
  /** The byte after its last one. */
  readonly to: number;
  /** Counted from 0. */
  readonly firstLine: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** The blocks that hold a line, or lines after it. @param line Counted from 0: as many lines are passed over. */
export function* blocksFrom(
  blocks: readonly ChangeBlock[],
  line: number,
): Generator<PlacedBlock, void> {
  let from = 0;
  let firstLine = 0;
  for (const [bytes, added, changed, removed] of blocks) {
    const to = from + bytes;
    const afterLines = firstLine + added + changed + removed;
    if (afterLines > line) yield { from, to, firstLine, added, changed, removed };
    from = to;
    firstLine = afterLines;
  }
}

const NEWLINE = 0x0a;
const unzip = promisify(gunzip);

/**
 * The lines of a block, each without its line break.
 *
 * @param bytes Those of the file from `from` up to `to`.
 * @throws RangeError when there are not as many as its counts say: the file is not the one that they were made of.
 */
export async function blockLines(
  bytes: Uint8Array,
  { added, changed, removed }: PlacedBlock,
): Promise<readonly string[]> {
  const text = await unzip(bytes);
  const lines: string[] = [];
  for (let start = 0, end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, start)) {
    lines.push(text.toString('utf8', start, end));
    start = end + 1;
  }
  const expected = added + changed + removed;
  if (lines.length === expected && text.at(-1) === NEWLINE) return lines;
  throw new RangeError(`a block of changes: expected ${expected} lines, got ${lines.length}`);
}
