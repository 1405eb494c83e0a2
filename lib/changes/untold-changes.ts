import { hash } from 'node:crypto';
import { errorName } from '../errors.ts';
import { type Change, parseChangeLine } from './change.ts';
import { blockLines, blocksFrom } from './change-blocks.ts';
import type { ChangeState } from './change-state.ts';
import { type ChangesFile, type ChangesSummary, parseChangesSummary } from './changes-summary.ts';
import type { PublishPorts } from './ports.ts';

/** What is stored is not what was compared: no repetition helps. */
export class ChangesDamagedError extends Error {
  override readonly name = 'ChangesDamagedError';
  readonly code = 'CHANGES_DAMAGED';

  constructor(key: string, what: string) {
    super(
      `${key} ${what}. Fetch the version back that was written, and release the changes; or discard them.`,
    );
  }
}

/** @throws ChangesDamagedError; what the store throws. */
export async function storedSummary(
  { store }: Pick<PublishPorts, 'store'>,
  { summary: { key, sha256 } }: ChangeState,
): Promise<ChangesSummary & { readonly idKey: string }> {
  const bytes = await checked(store, key, sha256);
  const summary = parseChangesSummary(Buffer.from(bytes).toString());
  const { idKey } = summary ?? {};
  if (summary !== undefined && idKey !== undefined) return { ...summary, idKey };
  throw new ChangesDamagedError(key, 'is no summary of changes of this version');
}

/** Changes that follow each other in the files. */
interface ChangeRun {
  /** The place of the first one among all changes, from 0. */
  readonly first: number;
  readonly changes: readonly Change[];
}

/**
 * The changes from a place on, block by block: one file of some megabytes and one block of it are in memory.
 *
 * @param next As many changes are passed over, without reading them.
 */
export async function* changesFrom(
  { store }: Pick<PublishPorts, 'store'>,
  files: readonly ChangesFile[],
  next: number,
): AsyncGenerator<ChangeRun, void> {
  let file: { readonly key: string; readonly bytes: Uint8Array } | undefined;
  for (const block of blocksFrom(files, next)) {
    const { key, from, to, firstLine } = block;
    if (file?.key !== key) {
      const sha256 = files.find((each) => each.key === key)?.sha256;
      file = { key, bytes: await checked(store, key, sha256) };
    }
    const read = await blockLines(file.bytes.subarray(from, to), block).catch((error: unknown) => {
      throw new ChangesDamagedError(key, `is damaged (${errorName(error)})`);
    });
    const passed = Math.max(0, next - firstLine);
    const changes = read.slice(passed).map((line) => changeOf(key, line));
    yield { first: firstLine + passed, changes };
  }
}

function changeOf(key: string, line: string): Change {
  const change = parseChangeLine(line);
  if (change !== undefined) return change;
  throw new ChangesDamagedError(key, 'has a line that is no change');
}

async function checked(
  store: PublishPorts['store'],
  key: string,
  sha256: string | undefined,
): Promise<Uint8Array> {
  const bytes = await store.readWhole(key);
  if (bytes === undefined) throw new ChangesDamagedError(key, 'is not there');
  if (hash('sha256', bytes) === sha256) return bytes;
  throw new ChangesDamagedError(key, 'is not as it was written: its SHA-256 is another one');
}
