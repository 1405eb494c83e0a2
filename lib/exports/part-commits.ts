import type { ExportState } from './export-state.ts';
import type { PartWriter } from './part.ts';

/** Stores a part and commits the state with it; `undefined` when another worker has gone on. */
export type CommitPart = (
  base: ExportState,
  state: ExportState,
  part: PartWriter,
) => Promise<ExportState | undefined>;

/**
 * Commits full parts in their order, one at a time, while the pages of the next one are fetched: nothing else would
 * happen in the time that storing takes.
 */
export class PartCommits {
  readonly #commit: CommitPart;
  readonly #onBroken: () => void;
  #latest: Promise<ExportState | undefined>;

  /**
   * @param base What the ledger holds.
   * @param onBroken Told when a commit failed or was overtaken: what is taken from then on does not count.
   */
  constructor(base: ExportState, commit: CommitPart, onBroken: () => void) {
    this.#commit = commit;
    this.#onBroken = onBroken;
    this.#latest = Promise.resolve(base);
  }

  /**
   * What the ledger holds after all commits, `undefined` when another worker has gone on.
   *
   * @throws What a port threw.
   */
  settled(): Promise<ExportState | undefined> {
    return this.#latest;
  }

  /** @param base What {@link settled} gave: the commit before must be over. */
  begin(base: ExportState, state: ExportState, part: PartWriter): void {
    this.#latest = this.#commit(base, state, part).finally(() => part.discard());
    this.#latest.then((stored) => {
      if (stored === undefined) this.#onBroken();
    }, this.#onBroken);
  }

  /** Resolves when nothing is under way any more, however it ended. */
  async over(): Promise<void> {
    await this.#latest.catch(() => undefined);
  }
}
