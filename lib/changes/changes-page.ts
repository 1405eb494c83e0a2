import { type ChangeKind, parseChangeLine } from './change.ts';
import { blockLines, blocksFrom } from './change-blocks.ts';
import type { ChangesFile } from './changes-summary.ts';

export interface ChangesAsk {
  /** As many lines are passed over, counted over all files. */
  readonly line: number;
  readonly limit: number;
  /** Only of this kind. @default - of all */
  readonly kind?: ChangeKind | undefined;
  readonly withRecords: boolean;
  /** Most bytes of a page, as a text in a JSON text. */
  readonly maxBytes: number;
}

interface ChangesPage {
  /** Each as JSON text, with every digit as it was received. */
  readonly changes: readonly string[];
  /** The line from which the next page goes on; absent when no change follows. */
  readonly next?: number;
}

/** About a MiB of text each, 10 ms to fetch and 10 ms to unpack: a page takes a second. Where all kinds are asked for one is enough as a rule. */
const MAX_BLOCKS = 40;

/**
 * Reads one page of changes. Its time and memory do not depend on how many changes there are: blocks without a change of
 * the kind are passed over unread, and one block is held at a time.
 *
 * @param readBytes Some bytes of an object: the first inclusive, the last exclusive.
 * @throws RangeError when a file is not as its summary says; what `readBytes` throws.
 */
export async function readChangesPage(
  files: readonly ChangesFile[],
  ask: ChangesAsk,
  readBytes: (key: string, from: number, to: number) => Promise<Uint8Array>,
): Promise<ChangesPage> {
  const { line, limit, kind, maxBytes } = ask;
  const changes: string[] = [];
  let bytes = 0;
  let blocks = 0;
  for (const block of blocksFrom(files, line)) {
    if (kind !== undefined && block[kind] === 0) continue;
    if (changes.length > 0 && (changes.length === limit || blocks === MAX_BLOCKS)) {
      return { changes, next: Math.max(line, block.firstLine) };
    }
    blocks += 1;
    const lines = await blockLines(await readBytes(block.key, block.from, block.to), block);
    for (const [index, text] of lines.entries()) {
      const at = block.firstLine + index;
      if (at < line || (kind !== undefined && !text.startsWith(`{"change":"${kind}"`))) continue;
      const shown = shownChange(text, ask);
      bytes += Buffer.byteLength(JSON.stringify(shown));
      if (changes.length > 0 && (changes.length === limit || bytes > maxBytes)) {
        return { changes, next: at };
      }
      changes.push(shown);
    }
  }
  return { changes };
}

/** A record that alone is more than an answer holds is `null`. */
function shownChange(text: string, { withRecords, maxBytes }: ChangesAsk): string {
  const fits = withRecords && Buffer.byteLength(JSON.stringify(text)) <= maxBytes;
  if (fits) return text;
  const change = parseChangeLine(text);
  if (change === undefined) throw new RangeError('expected a change in a line of changes');
  const head = text.slice(0, -(change.record.length + ENDING.length));
  return withRecords ? `${head}${MEMBER}null}` : `${head}}`;
}

/** What is around the record, the last member of a line. */
const MEMBER = ',"record":';
const ENDING = `${MEMBER}}`;
