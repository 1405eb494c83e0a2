import type { EvidenceName, MetaKeys } from '../customers-api/list-evidence.ts';
import { hasPageBefore, signalsOf } from '../customers-api/list-signs.ts';
import { startWalk } from '../customers-api/list-walk.ts';
import type { Page } from '../customers-api/outcome.ts';
import type { EndRule } from '../customers-api/walks/list-walk-schema.ts';
import { type ListEnd, listEndOf } from './list-end.ts';
import { isSamePage, type ReadHistory } from './read-history.ts';

/** A member whose meaning is known by its name. */
interface MetaName {
  readonly evidence: EvidenceName;
  readonly path: string;
}

export interface MetaFindings {
  readonly names: readonly MetaName[];
  /** What is to be set, since a name says something else than it usually does, or none is known. */
  readonly metaKeys: MetaKeys;
  /** Why, of each member of `metaKeys`. */
  readonly reasons: readonly { readonly evidence: EvidenceName; readonly reason: MetaReason }[];
}

export type MetaReason =
  /** It says that the list is over where it goes on. */
  | 'ends-too-early'
  /** It says that more follow where nothing does. */
  | 'never-ends'
  /** It is the same on two different pages. */
  | 'does-not-follow-the-page'
  /** It names a page before the first one. */
  | 'before-the-first-page'
  /** It is less than was received. */
  | 'less-than-received'
  /** It counts the records of its own page. */
  | 'counts-one-page'
  /** Its value is what the whole list was found to have. */
  | 'counted';

const EVIDENCE_OF: Readonly<Partial<Record<EndRule, EvidenceName>>> = {
  'total-pages': 'totalPages',
  'no-more': 'hasMore',
  'no-next-page': 'nextPage',
  total: 'total',
};

/** A page, and how many records the list has up to its end. */
interface PlacedPage {
  readonly page: Page;
  readonly ordinal: number;
  readonly recordsUpTo: number;
}

export function metaFindingsOf(history: ReadHistory, firstPage: number): MetaFindings {
  const names = new Map<string, MetaName>();
  for (const { seen } of history.pages) {
    for (const [evidence, places] of seen.envelope.places) {
      for (const { path } of places) names.set(`${evidence} ${path}`, { evidence, path });
    }
  }
  const end = listEndOf(history, firstPage);
  const wrong = wrongEvidence(history, firstPage, end);
  const counted = countedMembers(history, firstPage, { end, wrong });
  const settings = new Map<EvidenceName, { readonly value: string | false; reason: MetaReason }>();
  for (const [name, reason] of wrong) settings.set(name, { value: false, reason });
  for (const [name, path] of counted) settings.set(name, { value: path, reason: 'counted' });
  return {
    names: [...names.values()],
    metaKeys: Object.fromEntries([...settings].map(([name, { value }]) => [name, value])),
    reasons: [...settings].map(([evidence, { reason }]) => ({ evidence, reason })),
  };
}

function wrongEvidence(
  history: ReadHistory,
  firstPage: number,
  end: ListEnd | undefined,
): ReadonlyMap<EvidenceName, MetaReason> {
  const wrong = new Map<EvidenceName, MetaReason>();
  const pages = placedPages(history, firstPage);
  const say = (rules: readonly EndRule[], reason: MetaReason) => {
    for (const rule of rules) {
      const evidence = EVIDENCE_OF[rule];
      if (evidence !== undefined && !wrong.has(evidence)) wrong.set(evidence, reason);
    }
  };
  for (const placed of pages) {
    const goesOn = pages.some(({ ordinal }) => ordinal > placed.ordinal);
    if (goesOn) say(signsOn(placed, firstPage).last, 'ends-too-early');
    const { total } = placed.page.evidence;
    const isAfterFirst = placed.ordinal > 1;
    if (isAfterFirst && total !== undefined && total < placed.recordsUpTo) {
      wrong.set('total', 'less-than-received');
    }
  }
  say(insisting(history, firstPage, end), 'never-ends');
  if (countsOnePage(history)) wrong.set('total', 'counts-one-page');
  const [first, second] = pages;
  if (first !== undefined && second !== undefined) {
    const { currentPage } = first.page.evidence;
    if (currentPage !== undefined && currentPage === second.page.evidence.currentPage) {
      wrong.set('currentPage', 'does-not-follow-the-page');
    }
  }
  if (first !== undefined && hasPageBefore(first.page)) {
    wrong.set('previousPage', 'before-the-first-page');
  }
  return wrong;
}

/** Whether each page names its own records as total, however many they are. */
function countsOnePage({ pages }: ReadHistory): boolean {
  const isOwn = pages.every(({ seen: { page } }) => page.evidence.total === page.recordCount);
  return isOwn && new Set(pages.map(({ seen: { page } }) => page.recordCount)).size > 1;
}

/** Different pages of the compared size that have records, in their order. */
function placedPages(history: ReadHistory, firstPage: number): readonly PlacedPage[] {
  const perPage = history.pageAt(firstPage)?.recordCount ?? 0;
  const placed: PlacedPage[] = [];
  const inOrder = history.compared
    .filter(({ read: { asked } }) => asked.page >= firstPage)
    .sort((a, b) => a.read.asked.page - b.read.asked.page);
  for (const { read, seen } of inOrder) {
    const { page } = seen;
    if (page.recordCount === 0 || placed.some((other) => isSamePage(other.page, page))) continue;
    const ordinal = read.asked.page - firstPage + 1;
    placed.push({ page, ordinal, recordsUpTo: (ordinal - 1) * perPage + page.recordCount });
  }
  return placed;
}

function signsOn({ page, recordsUpTo }: PlacedPage, firstPage: number) {
  return signalsOf({ ...startWalk(firstPage), records: recordsUpTo }, page);
}

/** What would keep an export from ending at the end of the list, as `advanceWalk` weighs it. */
function insisting(
  history: ReadHistory,
  firstPage: number,
  end: ListEnd | undefined,
): readonly EndRule[] {
  if (end === undefined || end.pastEnd === 'records') return [];
  if (end.pages === 0) {
    const page = history.pageAt(firstPage);
    return page === undefined ? [] : signsOn({ page, ordinal: 1, recordsUpTo: 0 }, firstPage).more;
  }
  const last = placedPages(history, firstPage).find(({ ordinal }) => ordinal === end.pages);
  const atLast = last === undefined ? [] : signsOn(last, firstPage).more;
  const { total, totalPages } = last?.page.evidence ?? {};
  const areCountsReached = total === end.records && totalPages === end.pages;
  if (last !== undefined && areCountsReached && atLast.length <= 1) return [];
  if (end.pastEnd !== 'empty') return atLast.filter((rule) => rule !== 'total');
  const behind = history.compared.find(
    ({ read: { asked }, seen }) => asked.page > firstPage && seen.page.recordCount === 0,
  );
  if (behind === undefined) return [];
  const ordinal = behind.read.asked.page - firstPage + 1;
  const recordsUpTo = end.records ?? Number.MAX_SAFE_INTEGER;
  const { more } = signsOn({ page: behind.seen.page, ordinal, recordsUpTo }, firstPage);
  const isShort = total !== undefined && end.records !== undefined && total > end.records;
  const perPage = history.pageAt(firstPage)?.recordCount ?? 0;
  const isFarOff = isShort && total - end.records >= perPage;
  return more.filter((rule) => rule !== 'total' || isFarOff);
}

/** Members that say what the list was found to have, where no usual name does. */
function countedMembers(
  history: ReadHistory,
  firstPage: number,
  { end, wrong }: { end: ListEnd | undefined; wrong: ReadonlyMap<EvidenceName, MetaReason> },
): ReadonlyMap<EvidenceName, string> {
  const counted = new Map<EvidenceName, string>();
  const { pages = 0, records = 0 } = end ?? {};
  // On a list of one page every count is the same.
  if (pages < 2) return counted;
  const compared = history.compared.filter(
    ({ read: { asked }, seen: { page } }) => asked.page >= firstPage && page.recordCount > 0,
  );
  const isAlways = (path: string, value: number) =>
    compared.every(({ seen }) => seen.envelope.numbers.get(path) === value);
  const paths = [...(compared[0]?.seen.envelope.numbers.keys() ?? [])];
  for (const [name, value] of [
    ['total', records],
    ['totalPages', pages],
  ] as const) {
    const isKnown = compared.every(({ seen }) => seen.page.evidence[name] === value);
    if (isKnown && !wrong.has(name)) continue;
    const path = paths.find((each) => isAlways(each, value));
    if (path !== undefined) counted.set(name, path);
  }
  return counted;
}
