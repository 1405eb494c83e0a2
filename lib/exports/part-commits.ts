import type { ExportState } from './export-state.ts';
import type { PartWriter } from './part.ts';

/** Stores a part and commits the state with it; `undefined` when another worker has continued. */
export type CommitPart = (
  base: ExportState,
  state: ExportState,
  part: PartWriter,
) => Promise<ExportState | undefined>;

/** Commits full parts in order, one at a time, while the pages of the next part are fetched. */
export class PartCommits {
  readonly #commit: CommitPart;
  readonly #onBroken: () => void;
  #latest: Promise<ExportState | undefined>;

  /** @param onBroken Called when a commit fails or is overtaken: later pages do not count. */
  constructor(base: ExportState, commit: CommitPart, onBroken: () => void) {
    this.#commit = commit;
    this.#onBroken = onBroken;
    this.#latest = Promise.resolve(base);
  }

  /** The state in the ledger after all commits; `undefined` when another worker has continued. */
  settled(): Promise<ExportState | undefined> {
    return this.#latest;
  }

  /** @param base The result of {@link settled}: the previous commit must be over. */
  begin(base: ExportState, state: ExportState, part: PartWriter): void {
    this.#latest = this.#commit(base, state, part).finally(() => part.discard());
    this.#latest.then((stored) => {
      if (stored === undefined) this.#onBroken();
    }, this.#onBroken);
  }

  /** Resolves when no commit is running, even after a failure. */
  async over(): Promise<void> {
    await this.#latest.catch(() => undefined);
  }
}
