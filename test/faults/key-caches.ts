type Freshness = 'cached' | 'fresh';

/** As `createKeyStore` keeps a key. */
const KEY_MAX_AGE_MS = 60_000;

/** The key as each process knows it: read a moment ago, or up to a minute ago. */
export class KeyCaches {
  readonly #processes: number;
  readonly #known = new Map<number, { readonly keyVersion: string; readonly atMs: number }>();

  /** @param processes Take turns as workers; with 0 each worker reads the key itself. */
  constructor(processes: number) {
    this.#processes = processes;
  }

  /** @param keyVersion Of the secret now. */
  read(
    worker: number,
    freshness: Freshness,
    keyVersion: string | undefined,
    nowMs: number,
  ): string | undefined {
    if (this.#processes === 0) return keyVersion;
    const process = worker % this.#processes;
    const known = this.#known.get(process);
    const isRecent = known !== undefined && nowMs - known.atMs < KEY_MAX_AGE_MS;
    if (freshness === 'cached' && isRecent) return known.keyVersion;
    if (keyVersion === undefined) this.#known.delete(process);
    else this.#known.set(process, { keyVersion, atMs: nowMs });
    return keyVersion;
  }
}
