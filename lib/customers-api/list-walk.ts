import { defined } from '../defined.ts';
import { estimatedRecords, withRecords } from './distinct-records.ts';
import { hasPageBefore, outweighedSign, signalsOf, withSigns } from './list-signs.ts';
import type { Page, Refusal } from './outcome.ts';
import type { EndRule, ListWalk } from './walks/list-walk-schema.ts';
import type { NoList, WalkEnd } from './walks/taken.ts';

export type WalkDecision =
  | { readonly kind: 'more'; readonly takeRecords: true }
  /** `takeRecords`: whether this page's records belong to the list. */
  | (Found & { readonly kind: 'end'; readonly takeRecords: boolean })
  | NoList;

/** What an end shows, which is what is told of it. */
export type Found = Omit<WalkEnd, 'proof'>;

export function foundIn({ rules, contradictions, missing, outweighed }: Found): Found {
  return { rules, contradictions, missing, ...defined({ outweighed }) };
}

/** The state before the first page. */
export function startWalk(firstPage: number, perPage?: number): ListWalk {
  return {
    ...defined({ perPage }),
    firstPage,
    nextPage: firstPage,
    records: 0,
    largestPageRecords: 0,
    lastPageRecords: 0,
    emptyPagesInRow: 0,
    recentFingerprints: [],
  };
}

/** Whether a page has as many records as were asked for, or as it says that a page has: more may follow then. */
export function isFull({ perPage }: ListWalk, { recordCount, evidence }: Page): boolean {
  const most = Math.min(perPage ?? Infinity, evidence.perPage ?? Infinity);
  return recordCount > 0 && recordCount >= most;
}

// A server that filters after cutting pages may send an empty one in the middle; more in a row than
// this is a list that does not advance.
const MAX_EMPTY_PAGES_IN_ROW = 3;

/**
 * Decides what the page `walk.nextPage` means for the walk: take it and go on, end, or stop because
 * the answers cannot be a list. An end needs evidence and no contradiction; a short page and a missing
 * `meta` are no evidence, since servers clamp `per_page` and omit blocks.
 *
 * @param mayMove Whether a page that is equal to an earlier one is taken, but for two in a row: the list may have moved
 * by whole pages between two answers.
 */
export function advanceWalk(
  walk: ListWalk,
  page: Page,
  mayMove = false,
): { walk: ListWalk; decision: WalkDecision } {
  const counted = afterPage(walk, page);
  const { last, more } = signalsOf(counted, page);
  const isSaidLast = last.length > 0 && more.length === 0;
  const next = {
    ...withSigns(counted, page, more),
    isSaidLast: isSaidLast || (more.length === 0 && isOnlyPageByTotal(counted, page)),
  };
  const repeated = decideRepeated(walk, page, mayMove);
  if (repeated !== undefined) return { walk, decision: repeated };
  if (page.page === walk.firstPage && page.recordCount > 0 && hasPageBefore(page)) {
    return { walk, decision: firstPageTooLate(page) };
  }
  if (page.recordCount === 0) return { walk: next, decision: decideEmpty(next, page, more) };
  // Behind a page that was said to be the last it tells a list that goes on from one that begins again, see `isEnd`.
  const isJudged = !isSaidLast || walk.isSaidLast === true;
  if (isJudged && next.distinctRecords !== undefined && repeatsMostly(next, next.distinctRecords)) {
    return { walk, decision: repeating(next, page) };
  }
  if (!isSaidLast) return { walk: next, decision: { kind: 'more', takeRecords: true } };
  const ending = { rules: last, contradictions: [], missing: 0 } as const;
  return { walk: next, decision: { kind: 'end', ...ending, takeRecords: true } };
}

/** A full page may be one of many, and a total of as many records a count of it. */
function isOnlyPageByTotal(walk: ListWalk, page: Page): boolean {
  return hasOnePage(walk) && walk.lastTotal === page.recordCount && !isFull(walk, page);
}

function hasOnePage({ nextPage, firstPage }: ListWalk): boolean {
  return nextPage - firstPage === 1;
}

/** Fewer cannot tell a list that repeats itself from one that moved. */
const MIN_RECORDS_TO_JUDGE = 64;
/**
 * A list that repeats itself ends when it was read two and a half times. A server that gives each record on two pages
 * is below it. A list that does not repeat itself would have to be misjudged by nine standard errors.
 */
const MIN_DISTINCT_SHARE = 0.4;

function repeatsMostly({ records }: ListWalk, distinctRecords: string): boolean {
  if (records < MIN_RECORDS_TO_JUDGE) return false;
  return estimatedRecords(distinctRecords) < MIN_DISTINCT_SHARE * records;
}

function repeating({ records, distinctRecords = '' }: ListWalk, { page }: Page): WalkDecision {
  const distinct = Math.round(estimatedRecords(distinctRecords));
  return {
    kind: 'refused',
    reason: 'not-advancing',
    message: `Of ${records} records up to page ${page} only about ${distinct} are different: the list repeats itself and does not end. Check whether the API knows the parameter page for this resource, and whether idKey names the member that tells one record from another; if the API goes back to its first page after the last one, name the member that tells the number of pages in metaKeys.totalPages.`,
  };
}

/**
 * Decides whether an error answer to a page after the first means that the list ended before it. It
 * does when the page before announced no more, and a count was reached or it was shorter than the others. Behind an only
 * page it does when that was said to be the last, or is not full and has as many records as the total.
 */
export function endOnRefusal(walk: ListWalk, refusal: Refusal): WalkDecision | undefined {
  if (!isPastEnd(refusal) || !looksComplete(walk)) return undefined;
  return endAfterLast(walk, 'refused-past-end');
}

/** The list ended with the page before: this answer has no records of it. */
function endAfterLast(walk: ListWalk, rule: EndRule): WalkDecision {
  return {
    kind: 'end',
    ...weighed([rule], outweighedSign(walk)),
    contradictions: [],
    missing: 0,
    takeRecords: false,
  };
}

/** Statuses by which APIs refuse a page after the last one. */
const PAST_END = [400, 404, 410, 416, 422];

/** Whether the API answers a page after the last one so. A proxy in front of it may answer 404 to any page. */
export function isPastEnd({ status = 0, hasErrorBody, reason, apiCode }: Refusal): boolean {
  // In the body of a 2xx codes have meanings of their own, but for this one.
  if (reason === 'error-body') return apiCode === '404';
  return hasErrorBody === true && PAST_END.includes(status);
}

function afterPage(walk: ListWalk, page: Page): ListWalk {
  const { total, count, currentPage, totalPages } = page.evidence;
  const isEmpty = page.recordCount === 0;
  return {
    ...walk,
    nextPage: walk.nextPage + 1,
    records: walk.records + page.recordCount,
    largestPageRecords: Math.max(walk.largestPageRecords, page.recordCount),
    lastPageRecords: isEmpty ? walk.lastPageRecords : page.recordCount,
    emptyPagesInRow: isEmpty ? walk.emptyPagesInRow + 1 : 0,
    firstFingerprint: walk.firstFingerprint ?? page.fingerprint,
    recentFingerprints: [...walk.recentFingerprints, page.fingerprint].slice(-PAGES_REMEMBERED),
    distinctRecords: withRecords(walk.distinctRecords, page.recordHashes),
    ...defined({
      lastCurrentPage: currentPage,
      lastTotal: total,
      lastCount: count,
      lastTotalPages: totalPages,
    }),
  };
}

function weighed(
  rules: readonly EndRule[],
  outweighed: EndRule | undefined,
): Pick<Extract<WalkDecision, { kind: 'end' }>, 'rules' | 'outweighed'> {
  if (outweighed === undefined) return { rules };
  return { rules: [...rules, 'total-pages', 'total'], outweighed };
}

/** An empty page ends the list unless other evidence insists that there is more. */
function decideEmpty(walk: ListWalk, page: Page, more: readonly EndRule[]): WalkDecision {
  const outweighed = outweighedSign(walk);
  const insists = more.filter((rule) => rule !== 'total');
  if (insists.length > 0 && outweighed === undefined) {
    if (walk.emptyPagesInRow < MAX_EMPTY_PAGES_IN_ROW) return { kind: 'more', takeRecords: true };
    return contradiction(
      `${walk.emptyPagesInRow} empty pages in a row up to page ${page.page}, although the answer says that more follow (${insists.join(', ')})`,
    );
  }
  const stated = page.evidence.total ?? walk.lastTotal;
  const total = stated ?? countOfList(walk, page);
  if (isLastOfPages(walk, page) && total !== 0) {
    return contradiction(
      `page ${page.page} is empty, although it should be the last of ${page.evidence.totalPages}`,
    );
  }
  const missing = (total ?? walk.records) - walk.records;
  const told = `page ${page.page} is empty after ${walk.records} records, but the reported ${stated === undefined ? 'count' : 'total'} is ${total}`;
  // Fewer than a page may have been removed while the list was read; a whole page must not be missing.
  if (missing > 0 && missing >= walk.largestPageRecords) return contradiction(told);
  return {
    kind: 'end',
    ...weighed(['empty-page'], outweighed),
    contradictions: missing === 0 ? [] : [told],
    missing: Math.max(0, missing),
    takeRecords: true,
  };
}

/** A count of more records than any page has, or than came so far, is none of a page, and none of what came so far. */
function countOfList(walk: ListWalk, { evidence }: Page): number | undefined {
  const count = evidence.count ?? walk.lastCount ?? 0;
  const most = Math.max(walk.largestPageRecords, walk.perPage ?? 0, evidence.perPage ?? 0);
  return count > Math.max(most, walk.records) ? count : undefined;
}

/**
 * A last page has records; without any the pages are counted from another number than `firstPage`. But many APIs count one
 * page of a list without records: that is the first one where none can be before it.
 */
function isLastOfPages({ firstPage }: ListWalk, { page, evidence }: Page): boolean {
  const { totalPages, previousPage, currentPage } = evidence;
  const isFirst = previousPage === 'none' || (page === 0 && currentPage === 0);
  if (page === firstPage && isFirst) return false;
  return page - firstPage + 1 === totalPages;
}

/** A page equal to the one before, or to the first one, or with its number, is the API not following `page`. */
function decideRepeated(walk: ListWalk, page: Page, mayMove: boolean): WalkDecision | undefined {
  if (page.recordCount === 0 || walk.firstFingerprint === undefined) return undefined;
  const hasSameRecords = isIn(walk, walk.recentFingerprints, page.fingerprint);
  const hasSameNumber = isSamePageNumber(walk, page);
  if (!hasSameRecords && !hasSameNumber) return undefined;
  // From the third page on it is known that `page` works; then an API that answers a page past the end
  // with the last or first one is believed, if the list looks complete by another sign too.
  const isPageUsed = page.page >= walk.firstPage + 2;
  // With its number alone and other records it is another page, by counts that end too early.
  if (isPageUsed && looksComplete(walk)) {
    return hasSameRecords ? endAfterLast(walk, 'last-page-repeated') : undefined;
  }
  if (isPageUsed && mayMove && !hasSameNumber && !endsWithRepeat(walk)) return undefined;
  return {
    kind: 'refused',
    reason: 'not-advancing',
    message: `Page ${page.page} has the same records as an earlier page: the list does not advance. Expected other records or an empty page. Check firstPage (now ${walk.firstPage}) and whether the API knows the parameter page for this resource; if the API repeats its last page, name the member that tells the number of pages in metaKeys.totalPages; if the page number in its answers means something else, set metaKeys.currentPage to false.`,
  };
}

function isSamePageNumber({ lastCurrentPage }: ListWalk, { evidence }: Page): boolean {
  return evidence.currentPage !== undefined && evidence.currentPage === lastCurrentPage;
}

/** Of a walk that has more than its first page. */
function endsWithRepeat(walk: ListWalk): boolean {
  const last = walk.recentFingerprints.at(-1);
  return last !== undefined && isIn(walk, walk.recentFingerprints.slice(0, -1), last);
}

function isIn({ firstFingerprint }: ListWalk, known: readonly string[], one: string): boolean {
  return one === firstFingerprint || known.includes(one);
}

// Short circles are noticed with their first page, longer ones by their records; the state stays small.
const PAGES_REMEMBERED = 16;

function looksComplete(walk: ListWalk): boolean {
  // Of an only page, a count may be of it alone, while the API refuses all others.
  const countReached =
    !hasOnePage(walk) && (walk.lastTotal === walk.records || walk.lastCount === walk.records);
  const isShort = walk.lastPageRecords < walk.largestPageRecords;
  const insists = (walk.more ?? []).length > 0 && outweighedSign(walk) === undefined;
  const isTold = walk.isSaidLast === true || countReached;
  return walk.records > 0 && !insists && (isTold || isShort);
}

function firstPageTooLate(page: Page): WalkDecision {
  return contradiction(
    `page ${page.page} was asked for as the first page, but the answer says that a page comes before it; set firstPage to ${page.page - 1} if the API counts from there`,
  );
}

function contradiction(what: string): WalkDecision {
  return {
    kind: 'refused',
    reason: 'contradiction',
    message: `The answers contradict each other: ${what}. Nothing is taken to be complete. Check firstPage and metaKeys, or set the wrong one in metaKeys to false.`,
  };
}
