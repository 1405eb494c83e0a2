import { defined } from '../defined.ts';
import { firstPageOf } from './first-page.ts';
import { FAR_PAGES, ignoresPage, likelyPages, listEndOf } from './list-end.ts';
import { ODD_BY, type PageSizes, pageSizesOf } from './page-sizes.ts';
import { isRefusedPage, type ReadHistory } from './read-history.ts';
import type { DoctorRead, Purpose } from './seen-read.ts';

/** What exports ask for by default. */
const FIRST_PER_PAGE = 100;
/** Where a page of 100 is larger than is read. */
const SMALL_PER_PAGE = 10;
/** More than the largest pages of most APIs, and few enough for one answer. */
const LARGE_PER_PAGE = 1_000;
/** Largest pages of many APIs that refuse more: Shopify's has 250, others 200 or 50. */
const LEAST_USUAL_LIMIT = 50;
const USUAL_LIMITS = [250, 200, LEAST_USUAL_LIMIT];
/** A larger answer is not asked for: it takes long, and an API may count it as more than one request. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What is known of the first page so far; the number that was asked for first, until it is compared. */
export function firstPageSoFar(history: ReadHistory): number {
  return firstPageOf(history)?.number ?? history.base?.read.asked.page ?? 1;
}

/** The next question that is open, most important first; `undefined` when there is none. */
export function nextRead(history: ReadHistory): DoctorRead | undefined {
  if (history.base === undefined) return searchRead(history);
  for (const question of QUESTIONS) {
    const read = question(history);
    if (read === undefined || isAsked(history, read)) continue;
    const { itemsPath, isFoundByRule } = history.base.seen.envelope;
    return isFoundByRule ? read : { ...read, itemsKey: itemsPath };
  }
  return undefined;
}

/** As long as no page came: the list may take no such `per_page`, or begin at page 0 and end there. */
function searchRead(history: ReadHistory): DoctorRead | undefined {
  const last = history.reads.at(-1);
  const first: DoctorRead = { purpose: 'first-answer', page: 1, perPage: FIRST_PER_PAGE };
  if (last === undefined) return first;
  if (last.outcome.kind !== 'refused') return undefined;
  const isTooLarge = last.outcome.reason === 'too-large';
  const others: readonly DoctorRead[] = isTooLarge
    ? [{ purpose: 'smaller-pages', page: 1, perPage: SMALL_PER_PAGE }]
    : [
        { purpose: 'without-per-page', page: 1 },
        { purpose: 'page-zero', page: 0 },
      ];
  if (!isTooLarge && !isRefusedPage(last.outcome)) return undefined;
  return others.find((read) => !isAsked(history, read));
}

type Question = (history: ReadHistory) => DoctorRead | undefined;

const QUESTIONS: readonly Question[] = [
  (history) => readOf(history, 'page-zero', 0),
  (history) => readOf(history, 'page-zero', 1),
  secondPage,
  lastPage,
  pastTheEnd,
  farBehind,
  withPerPage,
  oddSize,
  largerPages,
  usualLimit,
];

/** A page of the compared size. */
function readOf(history: ReadHistory, purpose: Purpose, page: number): DoctorRead {
  return { purpose, page, ...defined({ perPage: history.perPage }) };
}

function isAsked({ reads }: ReadHistory, { page, perPage }: DoctorRead): boolean {
  return reads.some(({ asked }) => asked.page === page && asked.perPage === perPage);
}

/** Whether it is of use to ask for further pages. */
function mayGoOn(history: ReadHistory): boolean {
  const firstPage = firstPageSoFar(history);
  const hasSecond = (history.pageAt(firstPage + 1)?.recordCount ?? 0) > 0;
  return hasSecond && !ignoresPage(history, firstPage);
}

function secondPage(history: ReadHistory): DoctorRead | undefined {
  const firstPage = firstPageSoFar(history);
  const isEmpty = history.pageAt(firstPage)?.recordCount === 0;
  return isEmpty ? undefined : readOf(history, 'second-page', firstPage + 1);
}

function lastPage(history: ReadHistory): DoctorRead | undefined {
  const firstPage = firstPageSoFar(history);
  const pages = likelyPages(history, firstPage);
  if (!mayGoOn(history) || pages === undefined || pages > FAR_PAGES) return undefined;
  return readOf(history, 'last-page', firstPage + pages - 1);
}

function pastTheEnd(history: ReadHistory): DoctorRead | undefined {
  const firstPage = firstPageSoFar(history);
  if (!mayGoOn(history) || listEndOf(history, firstPage) !== undefined) return undefined;
  const first = history.pageAt(firstPage)?.recordCount ?? 0;
  const isEndNear = (history.pageAt(firstPage + 1)?.recordCount ?? 0) < first;
  const pages = isEndNear ? 2 : likelyPages(history, firstPage);
  if (pages === undefined || pages > FAR_PAGES) return undefined;
  return readOf(history, 'past-the-end', firstPage + pages);
}

/** Where nothing says how long the list is, or it is longer than that. */
function farBehind(history: ReadHistory): DoctorRead | undefined {
  const firstPage = firstPageSoFar(history);
  if (!mayGoOn(history) || listEndOf(history, firstPage) !== undefined) return undefined;
  return readOf(history, 'past-the-end', firstPage + FAR_PAGES);
}

/** Exports always ask for a size, so one that is taken is looked for. */
function withPerPage(history: ReadHistory): DoctorRead | undefined {
  const { base } = history;
  if (base === undefined || base.read.asked.perPage !== undefined) return undefined;
  const perPage = base.seen.page.recordCount || LEAST_USUAL_LIMIT;
  return { purpose: 'smaller-pages', page: firstPageSoFar(history), perPage };
}

function oddSize(history: ReadHistory): DoctorRead | undefined {
  const page = firstPageSoFar(history);
  const count = history.pageAt(page)?.recordCount ?? 0;
  // One answer has the whole list: whatever its size is, an export takes it as it is.
  if (!mayGoOn(history) || count <= 2 * ODD_BY) return undefined;
  return { purpose: 'odd-size', page, perPage: count - ODD_BY };
}

function largerPages(history: ReadHistory): DoctorRead | undefined {
  const page = firstPageSoFar(history);
  const first = history.seenAt(page);
  if (!mayGoOn(history) || first === undefined) return undefined;
  const { recordCount } = first.page;
  const { perPage = recordCount } = history;
  // It was lowered already, or a size below is refused.
  if (recordCount < perPage || sizesOf(history)?.refusedFrom !== undefined) return undefined;
  const bytesPerRecord = first.envelope.bytes / recordCount;
  const larger = Math.min(LARGE_PER_PAGE, Math.floor(MOST_BYTES / bytesPerRecord));
  return larger > recordCount ? { purpose: 'larger-pages', page, perPage: larger } : undefined;
}

function usualLimit(history: ReadHistory): DoctorRead | undefined {
  const { refusedFrom = 0, largest = 0 } = sizesOf(history) ?? {};
  const perPage = USUAL_LIMITS.find((size) => size > largest && size < refusedFrom);
  if (perPage === undefined) return undefined;
  return { purpose: 'usual-limit', page: firstPageSoFar(history), perPage };
}

function sizesOf(history: ReadHistory): PageSizes | undefined {
  const page = firstPageSoFar(history);
  return pageSizesOf(history, page, listEndOf(history, page)?.records);
}
