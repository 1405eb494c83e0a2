import type { ListWalk } from './list-walk-schema.ts';

/**
 * The last page according to the latest answer, so that no later page is requested ahead. This is a guess;
 * `advanceWalk` decides where the list ends.
 */
export function lastPageHint({
  firstPage,
  lastTotalPages,
  lastTotal,
  largestPageRecords,
}: ListWalk): number | undefined {
  if (lastTotalPages !== undefined) return firstPage + lastTotalPages - 1;
  if (lastTotal === undefined || largestPageRecords === 0) return undefined;
  return firstPage + Math.ceil(lastTotal / largestPageRecords) - 1;
}
