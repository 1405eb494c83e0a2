import {
  isUnreadable,
  listingOf,
  readable,
  type UnreadableItemError,
} from '../steps/unreadable-item.ts';
import type { ActiveExport, ExportState, HistoryPlace } from './export-state.ts';
import type { Ledger } from './ports.ts';

export interface HistoryPage {
  /** Newest start first. */
  readonly exports: readonly ExportState[];
  /** What of this page cannot be read. */
  readonly unreadable: readonly UnreadableItemError[];
  /** Where the next page begins; `undefined` on the last page. */
  readonly next: HistoryPlace | undefined;
}

/**
 * One page of a connection's exports, for one query of an index and one read per export. The cost does not grow
 * with the history.
 *
 * The index may lag. So the first page also reads the active-export item and shows an export that started a
 * moment ago. An export that started and ended within the lag is missing.
 *
 * @param limit Most exports, 1 or more.
 * @param after The `next` of the previous page; its export may have expired since.
 */
export async function readHistory(
  ledger: Pick<Ledger, 'listExports' | 'readActive' | 'readExport'>,
  connection: string,
  limit: number,
  after?: HistoryPlace,
): Promise<HistoryPage> {
  const [listed, active] = await Promise.all([
    // One more than asked for shows whether there is a next page.
    ledger.listExports(connection, limit + 1, after),
    after === undefined ? readable(ledger.readActive(connection)) : undefined,
  ]);
  const places = withActive(listed.items, isUnreadable(active) ? undefined : active);
  const page = places.slice(0, limit);
  // The index may name an expired export, and an export may not be written yet when it is active already.
  const read = await Promise.all(
    page.map((each) => readable(ledger.readExport(connection, each.exportId))),
  );
  const { items, unreadable } = listingOf(read);
  return {
    exports: items,
    unreadable: [...(isUnreadable(active) ? [active] : []), ...listed.unreadable, ...unreadable],
    next: places.length > limit ? page.at(-1) : undefined,
  };
}

/** Newest first. With equal times the id decides, so that no export is skipped between two pages. */
export function compareByStart(a: HistoryPlace, b: HistoryPlace): number {
  if (a.startedAtMs !== b.startedAtMs) return b.startedAtMs - a.startedAtMs;
  if (a.exportId === b.exportId) return 0;
  return a.exportId < b.exportId ? 1 : -1;
}

function withActive(
  listed: readonly HistoryPlace[],
  active: ActiveExport | undefined,
): readonly HistoryPlace[] {
  if (active === undefined || listed.some(({ exportId }) => exportId === active.exportId)) {
    return listed;
  }
  const place = { startedAtMs: active.sinceMs, exportId: active.exportId };
  return [...listed, place].sort(compareByStart);
}
