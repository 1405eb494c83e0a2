import type { RowMarks } from './row-marks.ts';

export interface Link {
  /** Whether nothing that kept its place lies between the known rows and those of the page. */
  readonly isLinked: boolean;
  /** Rows of the page that are known, wherever they are. */
  readonly shared: number;
  /** Positions on the page of known rows whose text has not changed, ascending. */
  readonly unchanged: readonly number[];
  /** Which of the known rows is the first on the page; 0 if none is. */
  readonly firstKnown: number;
  /** Position after the last row that is known. */
  readonly afterShared: number;
}

/**
 * Compares a page with the last rows of what was read. They are linked if they share a row that has not changed, if
 * all shared rows are in the same order on both sides, and if no more strangers are among them than shared rows:
 * records that were added or removed meanwhile. Where each answer has an order of its own, rows are shared by chance,
 * and then hardly ever in this way.
 */
export function linkRows(known: RowMarks, page: RowMarks): Link {
  const unchanged: number[] = [];
  let shared = 0;
  let isInOrder = true;
  let first: { readonly known: number; readonly page: number } | undefined;
  let last = { known: -1, page: -1 };
  for (let row = 0; row < page.length; row++) {
    const place = known.lastWithIdOf(page, row);
    if (place < 0) continue;
    shared++;
    if (place <= last.known) isInOrder = false;
    last = { known: place, page: row };
    first ??= last;
    if (page.hasSameText(row, known, place)) unchanged.push(row);
  }
  const strangers = first === undefined ? 0 : strangersAround(first, last, shared, known.length);
  return {
    isLinked: unchanged.length > 0 && isInOrder && strangers <= shared,
    shared,
    unchanged,
    firstKnown: first?.known ?? 0,
    afterShared: last.page + 1,
  };
}

interface Place {
  readonly known: number;
  readonly page: number;
}

/** Rows that only one side has, in the range that both cover. */
function strangersAround(first: Place, last: Place, shared: number, knownRows: number): number {
  // Before the first known row, a page holds rows that are remembered no longer.
  const before = first.known === 0 ? 0 : first.page;
  const onPage = last.page - first.page + 1 - shared;
  const known = knownRows - first.known - shared;
  return before + onPage + known;
}
