import {
  isUnreadable,
  listingOf,
  readable,
  type UnreadableItemError,
} from '../steps/unreadable-item.ts';
import { type ExportLine, type QueuedExport, queuedIn, waitingIn } from './export-line.ts';
import type { ExportState, HistoryPlace } from './export-state.ts';
import type { HistoryQuery, Ledger } from './ports.ts';

interface HistoryPage {
  /** Those that wait for their turn, in this order; none on further pages. */
  readonly queued: readonly QueuedExport[];
  /** Newest start first. */
  readonly exports: readonly ExportState[];
  /** What of this page cannot be read. */
  readonly unreadable: readonly UnreadableItemError[];
  /** Where the next page begins; `undefined` on the last page. */
  readonly next: HistoryPlace | undefined;
}

/**
 * One page of a connection's exports, for one query of an index and one read per export. The cost does not grow
 * with the history, unless it is that of one list.
 *
 * The index may lag. So the first page also reads the line and shows an export that started a moment ago. An export
 * that started and ended within the lag is missing.
 *
 * @param query `limit`: most exports, 1 or more. `after`: the `next` of the previous page; its export may have expired
 * since.
 */
export async function readHistory(
  ledger: Pick<Ledger, 'listExports' | 'readLine' | 'readExport'>,
  connection: string,
  query: HistoryQuery,
): Promise<HistoryPage> {
  const { limit, after, list } = query;
  const [listed, line] = await Promise.all([
    // One more than asked for shows whether there is a next page.
    ledger.listExports(connection, { ...query, limit: limit + 1 }),
    after === undefined ? readable(ledger.readLine(connection)) : undefined,
  ]);
  const places = withHead(listed.items, isUnreadable(line) ? undefined : line, list);
  const page = places.slice(0, limit);
  // The index may name an expired export, and the head of the line may not be written yet: that one waits still.
  const read = await Promise.all(
    page.map((each) => readable(ledger.readExport(connection, each.exportId))),
  );
  const { items, unreadable } = listingOf(read);
  const unwritten = page.filter((_, index) => read[index] === undefined);
  const queued =
    line === undefined || isUnreadable(line)
      ? []
      : [
          ...unwritten.flatMap(({ exportId }) => waitingIn(line, exportId) ?? []),
          ...queuedIn(line),
        ];
  return {
    queued: queued.filter((each) => list === undefined || each.list === list),
    exports: items,
    unreadable: [...(isUnreadable(line) ? [line] : []), ...listed.unreadable, ...unreadable],
    next: places.length > limit ? page.at(-1) : undefined,
  };
}

/** Newest first. With equal times the id decides, so that no export is skipped between two pages. */
export function compareByStart(a: HistoryPlace, b: HistoryPlace): number {
  if (a.startedAtMs !== b.startedAtMs) return b.startedAtMs - a.startedAtMs;
  if (a.exportId === b.exportId) return 0;
  return a.exportId < b.exportId ? 1 : -1;
}

function withHead(
  listed: readonly HistoryPlace[],
  line: ExportLine | undefined,
  list: string | undefined,
): readonly HistoryPlace[] {
  const head = line?.entries[0];
  const isListed = listed.some(({ exportId }) => exportId === head?.exportId);
  if (head === undefined || isListed || (list !== undefined && head.list !== list)) return listed;
  const place = { startedAtMs: head.sinceMs, exportId: head.exportId };
  return [...listed, place].sort(compareByStart);
}
