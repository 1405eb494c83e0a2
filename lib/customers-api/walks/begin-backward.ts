import { lastPageHint } from '../list-signs.ts';
import type { VerifiedWalk } from './walk-schema.ts';

/**
 * Begins at the last page, if the list can be shown to be complete that way: an operator says that records are only
 * added at its end, ids speak for it, and the answers name the last page.
 *
 * @returns `undefined` if it cannot.
 */
export function backwardFrom(walk: VerifiedWalk): VerifiedWalk | undefined {
  const { setOrder, hasIds, idOrder, list, counts } = walk;
  const page = lastPage(walk);
  const isSaid = setOrder === 'appended' && hasIds && isRising(idOrder);
  // It is tried once, before any pass is over.
  if (!isSaid || page === undefined || counts.passes > 0) return undefined;
  // What comes past the end is told by the other answers, not by the first page.
  const { firstFingerprint: _first, ...others } = list;
  const backward = { page, tries: 0, isEndKnown: false, rows: 0 };
  return { ...walk, stage: 'backward', list: others, backward };
}

/** According to the latest answer, counted from 0. */
export function lastPage({ list }: Pick<VerifiedWalk, 'list'>): number | undefined {
  const last = lastPageHint(list);
  return last === undefined ? undefined : Math.max(0, last - list.firstPage);
}

/** Rows of the list according to the latest answer, or the fewest that so many pages can have. */
export function leastRowsOf({ list, size }: VerifiedWalk): number {
  const { lastTotal, lastTotalPages = 0 } = list;
  return lastTotal ?? Math.max(0, lastTotalPages - 1) * size + 1;
}

/** Rows of pages with one row each have no order. */
export function isRising(order: VerifiedWalk['idOrder']): boolean {
  return order === 'rising' || order === 'one';
}
