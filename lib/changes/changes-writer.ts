import { hash } from 'node:crypto';
import { constants, gzip } from 'node:zlib';
import { fromCallback } from '../deferred.ts';
import type { Store } from '../exports/ports.ts';
import { type ChangeKind, LINE_END } from './change.ts';
import { type ChangesBlock, type ChangesFile, changesFileKey } from './changes-summary.ts';
import { COMPARE_SIZES, type ComparedExports, type CompareSizes } from './compared-exports.ts';

type ChangeTotals = Readonly<Record<ChangeKind, number>>;

/** Writes changes into files: rows of gzip members. The same changes make the same files. */
export class ChangesWriter {
  readonly #store: Pick<Store, 'put'>;
  readonly #folder: string;
  readonly #sizes: CompareSizes;
  readonly files: ChangesFile[];
  #lines: Uint8Array[] = [];
  #lineBytes = 0;
  #ofBlock = noChanges();
  #members: Uint8Array[] = [];
  #blocks: ChangesBlock[] = [];
  #fileBytes = 0;

  /** @param files Those that are stored already. */
  constructor(
    store: Pick<Store, 'put'>,
    { folder, sizes = COMPARE_SIZES }: Pick<ComparedExports, 'folder' | 'sizes'>,
    files: readonly ChangesFile[],
  ) {
    this.#store = store;
    this.#folder = folder;
    this.#sizes = sizes;
    this.files = [...files];
  }

  /** Whether a file was just stored, so that nothing is in memory. */
  get isAtFileEnd(): boolean {
    return this.#fileBytes + this.#lineBytes === 0;
  }

  /**
   * @param head As `lineHead` makes it.
   * @param record It is copied: of all that was read with it nothing stays in memory.
   */
  async add(kind: ChangeKind, head: string, record: Uint8Array): Promise<void> {
    const line = Buffer.concat([Buffer.from(head), record, Buffer.from(LINE_END)]);
    this.#lines.push(line);
    this.#lineBytes += line.length;
    this.#ofBlock[kind]++;
    if (this.#lineBytes >= this.#sizes.blockBytes) await this.#endBlock();
    if (this.#fileBytes >= this.#sizes.fileBytes) await this.#endFile();
  }

  async end(): Promise<void> {
    if (this.#lineBytes > 0) await this.#endBlock();
    if (this.#fileBytes > 0) await this.#endFile();
  }

  async #endBlock(): Promise<void> {
    const text = Buffer.concat(this.#lines);
    const { added, changed, removed } = this.#ofBlock;
    this.#lines = [];
    this.#lineBytes = 0;
    this.#ofBlock = noChanges();
    const member = await fromCallback<Buffer>((done) =>
      gzip(text, { level: constants.Z_BEST_SPEED }, done),
    );
    this.#fileBytes += text.length;
    this.#members.push(member);
    this.#blocks.push([member.length, added, changed, removed]);
  }

  async #endFile(): Promise<void> {
    const body = Buffer.concat(this.#members);
    const blocks = this.#blocks;
    this.#members = [];
    this.#blocks = [];
    this.#fileBytes = 0;
    const sha256 = hash('sha256', body);
    const key = changesFileKey(this.#folder, this.files.length + 1, sha256);
    const about = { contentType: 'application/x-ndjson', contentEncoding: 'gzip', sha256 } as const;
    await this.#store.put(key, body, about);
    this.files.push({ key, bytes: body.length, sha256, blocks });
  }
}

function noChanges(): Record<ChangeKind, number> {
  return { added: 0, changed: 0, removed: 0 };
}

export function totalsOf(files: readonly ChangesFile[]): ChangeTotals {
  const totals = noChanges();
  for (const [, added, changed, removed] of files.flatMap(({ blocks }) => blocks)) {
    totals.added += added;
    totals.changed += changed;
    totals.removed += removed;
  }
  return totals;
}
