import type { Page } from './outcome.ts';
import type { EndRule, ListWalk } from './walks/list-walk-schema.ts';

interface Signals {
  readonly last: readonly EndRule[];
  readonly more: readonly EndRule[];
}

/** What each piece of evidence says on its own; `walk` already includes the page. */
export function signalsOf(walk: ListWalk, page: Page): Signals {
  const { totalPages, total, nextPage, hasMore } = page.evidence;
  const ordinal = page.page - walk.firstPage + 1;
  const last: EndRule[] = [];
  const more: EndRule[] = [];
  const say = (rule: EndRule, isLast: boolean) => (isLast ? last : more).push(rule);

  if (totalPages !== undefined) say('total-pages', ordinal >= totalPages);
  if (hasMore !== undefined) say('no-more', !hasMore);
  if (nextPage === 'none') last.push('no-next-page');
  // A next page that is not ahead is a list that points to itself: no evidence either way.
  else if (nextPage === 'some' || (nextPage !== undefined && nextPage > page.page)) {
    more.push('no-next-page');
  }
  if (total !== undefined) {
    // On the first page a total equal to the page's own length may be a count of this page; and a
    // total below what was received is wrong or outdated.
    const isAmbiguous = ordinal === 1 && page.recordCount === total && last.length === 0;
    if (!isAmbiguous && total >= walk.records) say('total', total === walk.records);
  }
  return { last, more };
}

/** Whether the evidence says so. */
export function hasPageBefore({ page, evidence: { previousPage } }: Page): boolean {
  if (previousPage === undefined || previousPage === 'none') return false;
  return previousPage === 'some' || previousPage < page;
}

/** The walk, which includes the page, with what the page says of those that follow. */
export function withSigns(walk: ListWalk, page: Page, more: readonly EndRule[]): ListWalk {
  const { alwaysMore = more } = walk;
  return {
    ...walk,
    more,
    alwaysMore: alwaysMore.filter((rule) => more.includes(rule)),
    countsReached: areCountsReached(walk, page),
  };
}

/** An empty page reaches nothing, unless the whole list is empty: some APIs then count no page, others one. */
function areCountsReached(walk: ListWalk, { page, recordCount, evidence }: Page): boolean {
  if (recordCount === 0 && walk.records > 0) return walk.countsReached === true;
  const { total, totalPages } = evidence;
  const pages = page - walk.firstPage + 1;
  const arePagesReached = totalPages === pages || (recordCount === 0 && totalPages === 0);
  return total === walk.records && arePagesReached;
}

/**
 * The only sign that says that more follow, if it says so on every page, and both counts were reached. Some APIs
 * link to a next page whether there is one or not.
 */
export function outweighedSign({
  more = [],
  alwaysMore,
  countsReached,
}: ListWalk): EndRule | undefined {
  const [sign, other] = more;
  if (sign === undefined || other !== undefined || countsReached !== true) return undefined;
  return alwaysMore?.includes(sign) === true ? sign : undefined;
}

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
