import type { ActiveExport, ExportState, HistoryPlace } from './export-state.ts';
import type { Ledger } from './ports.ts';

export interface HistoryPage {
  /** Newest start first. */
  readonly exports: readonly ExportState[];
  /** After which the next page begins; `undefined` on the last one. */
  readonly next: HistoryPlace | undefined;
}

/**
 * One page of a connection's exports. It costs the same however long the history is: one look into an index
 * and one read for each export.
 *
 * The index may lag behind, so the first page also looks which export runs: one that began a moment ago is
 * shown. Only one that began and ended within the lag is not there yet.
 *
 * @param limit Exports at most, 1 or more.
 * @param after The `next` of the page before; its export may be forgotten by now.
 */
export async function readHistory(
  ledger: Pick<Ledger, 'listExports' | 'readActive' | 'readExport'>,
  connection: string,
  limit: number,
  after?: HistoryPlace,
): Promise<HistoryPage> {
  const [listed, active] = await Promise.all([
    // One more tells whether there is a next page.
    ledger.listExports(connection, limit + 1, after),
    after === undefined ? ledger.readActive(connection) : undefined,
  ]);
  const places = withActive(listed, active);
  const page = places.slice(0, limit);
  const read = await Promise.all(page.map((each) => ledger.readExport(connection, each.exportId)));
  return {
    // The index may name what the ledger has just forgotten, and the item of a start may not be there yet.
    exports: read.filter((state) => state !== undefined),
    next: places.length > limit ? page.at(-1) : undefined,
  };
}

/** Newest first; of equal times the id decides, so that no export is passed over between two pages. */
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
