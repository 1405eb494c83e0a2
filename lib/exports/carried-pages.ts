import type { Page } from '../customers-api/outcome.ts';
import type { Walker } from '../customers-api/walks/walker.ts';
import type { ExportState } from './export-state.ts';

/**
 * The wait for the end of a window of a minute, the longest one that many APIs have, and for the queue. Of an older page
 * the list may have moved far, and the process that has it is often gone: it is asked for again.
 */
export const MAX_CARRIED_MS = 75_000;

/** A page that waits for those before it, or `undefined` for one that is to be asked for. */
export type CarriedPage =
  | {
      readonly page: Page;
      /** Whether it belongs together with the page in front of it: once at least both came without a wait between them. */
      readonly isLinked: boolean;
    }
  | undefined;

interface Kept {
  readonly place: string;
  readonly atMs: number;
  readonly pages: readonly CarriedPage[];
}

/**
 * Pages that came behind a throttled one, for the next step of the same export: they are not asked for again when that
 * runs in this process, as it does where the environment of a function is used again. Elsewhere it begins
 * without them. Those of one export at a time are kept.
 */
export class CarriedPages {
  #kept: Kept | undefined;

  /** @param pages What is to be asked for from `state` on, in this order. */
  keep(state: ExportState, keyVersion: string, pages: readonly CarriedPage[], atMs: number): void {
    this.#release();
    this.#kept = { place: placeOf(state, keyVersion), atMs, pages };
  }

  /** @returns Those that were kept where exactly this state ended, with the same key; each of them once. */
  take(state: ExportState, keyVersion: string, nowMs: number): readonly CarriedPage[] {
    const kept = this.#kept;
    const isYoung = kept !== undefined && Math.abs(nowMs - kept.atMs) <= MAX_CARRIED_MS;
    if (isYoung && kept.place === placeOf(state, keyVersion)) {
      this.#kept = undefined;
      return kept.pages;
    }
    this.#release();
    return [];
  }

  #release(): void {
    for (const each of this.#kept?.pages ?? []) each?.page.release?.();
    this.#kept = undefined;
  }
}

/**
 * Those that the walk asks for in their places. It must know of each: what was asked for before the answers in front of it
 * came does not count as the end of a list. The memory of the others is given back.
 */
export function wantedPages(
  carried: readonly CarriedPage[],
  ask: Walker['ask'],
): readonly CarriedPage[] {
  const unwanted = carried.findIndex((_, ahead) => ask(ahead) === undefined);
  if (unwanted < 0) return carried;
  for (const each of carried.slice(unwanted)) each?.page.release?.();
  return carried.slice(0, unwanted);
}

/** What is asked for next follows from the walk alone. */
function placeOf({ connection, exportId, organizationId, walk }: ExportState, keyVersion: string) {
  return JSON.stringify([connection, exportId, organizationId, keyVersion, walk]);
}
