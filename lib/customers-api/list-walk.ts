import { defined } from '../defined.ts';
import type { Page } from './outcome.ts';

/**
 * What must be remembered between the pages of one list, as plain JSON, so that a walk can go on in
 * another process.
 */
export interface ListWalk {
  readonly firstPage: number;
  /** The page to ask for next. */
  readonly nextPage: number;
  /** Records of all pages so far. */
  readonly records: number;
  readonly largestPageRecords: number;
  readonly lastPageRecords: number;
  readonly emptyPagesInRow: number;
  readonly firstFingerprint?: string;
  /** The latest fingerprints, shortened, newest last. */
  readonly recentFingerprints: readonly string[];
  readonly lastEdgeIds?: string;
  readonly lastCurrentPage?: number;
  /** What the latest page said of the whole, for the question whether a page lies past the end. */
  readonly lastTotal?: number;
  readonly lastCount?: number;
  /** What said on the latest page that more follow: then nothing but more pages is the end. */
  readonly more?: readonly EndRule[];
  /** What has said so on every page: it says nothing of this one. */
  readonly alwaysMore?: readonly EndRule[];
  /** Whether the total and the number of pages were both reached with the latest page that has records. */
  readonly countsReached?: boolean;
  /** `per_page` of all requests of the walk; a page number means nothing under another one. */
  readonly perPage?: number;
}

/** Why a list is taken to be over. */
export type EndRule =
  | 'empty-page'
  | 'total-pages'
  | 'total'
  | 'no-next-page'
  | 'no-more'
  | 'refused-past-end'
  | 'last-page-repeated';

export type WalkDecision =
  | { readonly kind: 'more'; readonly takeRecords: true }
  | {
      readonly kind: 'end';
      /** Every rule that says so. */
      readonly rules: readonly EndRule[];
      /** What contradicts it, by less than a page: the list changed while it was read. */
      readonly contradictions: readonly string[];
      /** The one sign against it, if stronger ones outweigh it. */
      readonly outweighed?: EndRule;
      /** Records that a total promises beyond those received. */
      readonly missing: number;
      /** Whether this page's records belong to the list. */
      readonly takeRecords: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly reason: 'not-advancing' | 'contradiction';
      readonly message: string;
    };

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

// A server that filters after cutting pages may send an empty one in the middle; more in a row than
// this is a list that does not advance.
const MAX_EMPTY_PAGES_IN_ROW = 3;

/**
 * Decides what the page `walk.nextPage` means for the walk: take it and go on, end, or stop because
 * the answers cannot be a list. An end needs evidence and no contradiction; a short page and a missing
 * `meta` are no evidence, since servers clamp `per_page` and omit blocks.
 */
export function advanceWalk(
  walk: ListWalk,
  page: Page,
): { walk: ListWalk; decision: WalkDecision } {
  const counted = afterPage(walk, page);
  const { last, more } = signalsOf(counted, page);
  const next = withSigns(counted, page, more);
  const repeated = decideRepeated(walk, page);
  if (repeated !== undefined) return { walk, decision: repeated };
  if (page.page === walk.firstPage && hasPageBefore(page)) {
    return { walk, decision: firstPageTooLate(page) };
  }
  if (page.recordCount === 0) return { walk: next, decision: decideEmpty(next, page, more) };
  const ends = last.length > 0 && more.length === 0;
  return {
    walk: next,
    decision: ends
      ? { kind: 'end', rules: last, contradictions: [], missing: 0, takeRecords: true }
      : { kind: 'more', takeRecords: true },
  };
}

/**
 * Decides whether an error answer to a page after the first means that the list ended before it. It
 * does when the page before announced no more, and a count was reached or it was shorter than the others.
 *
 * @param status The answer's status; 400, 404, 410, 416 and 422 are in use for this.
 */
export function endOnRefusal(walk: ListWalk, status: number): WalkDecision | undefined {
  if (!isPastEndStatus(status) || !looksComplete(walk)) return undefined;
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
export function isPastEndStatus(status: number | undefined): boolean {
  return status !== undefined && [400, 404, 410, 416, 422].includes(status);
}

function afterPage(walk: ListWalk, page: Page): ListWalk {
  const { total, count, currentPage } = page.evidence;
  const isEmpty = page.recordCount === 0;
  return {
    ...walk,
    nextPage: walk.nextPage + 1,
    records: walk.records + page.recordCount,
    largestPageRecords: Math.max(walk.largestPageRecords, page.recordCount),
    lastPageRecords: isEmpty ? walk.lastPageRecords : page.recordCount,
    emptyPagesInRow: isEmpty ? walk.emptyPagesInRow + 1 : 0,
    firstFingerprint: walk.firstFingerprint ?? page.fingerprint,
    recentFingerprints: [...walk.recentFingerprints, shortened(page.fingerprint)].slice(
      -PAGES_REMEMBERED,
    ),
    ...defined({
      lastEdgeIds: page.edgeIds,
      lastCurrentPage: currentPage,
      lastTotal: total,
      lastCount: count,
    }),
  };
}

interface Signals {
  readonly last: readonly EndRule[];
  readonly more: readonly EndRule[];
}

/** What each piece of evidence says on its own; `walk` already includes the page. */
function signalsOf(walk: ListWalk, page: Page): Signals {
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

/** The walk, which includes the page, with what the page says of those that follow. */
function withSigns(walk: ListWalk, page: Page, more: readonly EndRule[]): ListWalk {
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
function outweighedSign({ more = [], alwaysMore, countsReached }: ListWalk): EndRule | undefined {
  const [sign, other] = more;
  if (sign === undefined || other !== undefined || countsReached !== true) return undefined;
  return alwaysMore?.includes(sign) === true ? sign : undefined;
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
  const total = page.evidence.total ?? walk.lastTotal;
  if (isLastOfPages(walk, page) && total !== 0) {
    return contradiction(
      `page ${page.page} is empty, although it should be the last of ${page.evidence.totalPages}`,
    );
  }
  const missing = (total ?? walk.records) - walk.records;
  const told = `page ${page.page} is empty after ${walk.records} records, but the reported total is ${total}`;
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

/** A last page has records; without any the pages are counted from another number than `firstPage`. */
function isLastOfPages({ firstPage }: ListWalk, { page, evidence }: Page): boolean {
  return evidence.totalPages !== undefined && page - firstPage + 1 === evidence.totalPages;
}

/** A page equal to the one before, or to the first one, is the API not following `page`. */
function decideRepeated(walk: ListWalk, page: Page): WalkDecision | undefined {
  if (page.recordCount === 0 || walk.firstFingerprint === undefined) return undefined;
  if (!isKnown(walk, page)) return undefined;
  // From the third page on it is known that `page` works; then an API that answers a page past the end
  // with the last or first one is believed, if the list looks complete by another sign too.
  if (page.page >= walk.firstPage + 2 && looksComplete(walk)) {
    return endAfterLast(walk, 'last-page-repeated');
  }
  return {
    kind: 'refused',
    reason: 'not-advancing',
    message: `Page ${page.page} has the same records as an earlier page: the list does not advance. Expected other records or an empty page. Check firstPage (now ${walk.firstPage}) and whether the API knows the parameter page for this resource; if the API repeats its last page, name the member that tells the number of pages in metaKeys.totalPages; if the page number in its answers means something else, set metaKeys.currentPage to false.`,
  };
}

/** Equal records, or records that begin and end with the same ids, or the same page by its own number. */
function isKnown(walk: ListWalk, { fingerprint, edgeIds, evidence }: Page): boolean {
  return (
    fingerprint === walk.firstFingerprint ||
    walk.recentFingerprints.includes(shortened(fingerprint)) ||
    (edgeIds !== undefined && edgeIds === walk.lastEdgeIds) ||
    (evidence.currentPage !== undefined && evidence.currentPage === walk.lastCurrentPage)
  );
}

// A list that runs in circles does so over a few pages; the state stays small.
const PAGES_REMEMBERED = 16;

/** 48 bits: two of 16 pages look equal by chance once in 10^12. */
function shortened(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}

function looksComplete(walk: ListWalk): boolean {
  const countReached = walk.lastTotal === walk.records || walk.lastCount === walk.records;
  const isShort = walk.lastPageRecords < walk.largestPageRecords;
  const insists = (walk.more ?? []).length > 0 && outweighedSign(walk) === undefined;
  return walk.records > 0 && !insists && (countReached || isShort);
}

function hasPageBefore(page: Page): boolean {
  const { previousPage } = page.evidence;
  if (page.recordCount === 0 || previousPage === undefined || previousPage === 'none') return false;
  return previousPage === 'some' || previousPage < page.page;
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
