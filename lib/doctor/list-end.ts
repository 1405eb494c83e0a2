import { isRefusedPage, isSamePage, type ReadHistory } from './read-history.ts';

/** So far behind no list of pages that anybody reads goes on. */
export const FAR_PAGES = 100_000;

/** What the list has, and what comes behind its end. */
export interface ListEnd {
  /** Pages of the compared size that have records; absent where the end was not found. */
  readonly pages?: number;
  /** Records of all pages; absent where the end was not found. */
  readonly records?: number;
  readonly pastEnd: 'empty' | 'refused' | 'repeats' | 'records';
  /** Of `refused`. */
  readonly status?: number;
}

/**
 * How many pages there seem to be: by evidence; else by a number around the records that is the same on both pages
 * and larger than what was received. A guess, which the last page and the one behind it confirm.
 */
export function likelyPages(history: ReadHistory, firstPage: number): number | undefined {
  const seen = history.seenAt(firstPage);
  if (seen === undefined) return undefined;
  const { recordCount, evidence } = seen.page;
  const second = history.seenAt(firstPage + 1);
  const pagesFor = (total: number) => Math.ceil(total / Math.max(1, recordCount));
  const { total, totalPages } = evidence;
  if (total !== undefined && total > recordCount) return pagesFor(total);
  if (totalPages !== undefined) return totalPages >= 1 ? totalPages : undefined;
  if (second === undefined || second.page.recordCount === 0) return undefined;
  const received = recordCount + second.page.recordCount;
  const constant = [...seen.envelope.numbers].filter(
    ([path, value]) => second.envelope.numbers.get(path) === value && value >= received,
  );
  const [only, ...others] = constant;
  return only !== undefined && others.length === 0 ? pagesFor(only[1]) : undefined;
}

/** @returns `undefined` while no page behind the end was asked for. */
export function listEndOf(history: ReadHistory, firstPage: number): ListEnd | undefined {
  const seen = history.seenAt(firstPage);
  if (seen === undefined) return undefined;
  const { recordCount } = seen.page;
  if (recordCount === 0) return { pages: 0, records: 0, pastEnd: 'empty' };
  const asked = history.reads
    .filter(({ asked: { page, perPage } }) => page > firstPage && perPage === history.perPage)
    .map(({ asked: { page } }) => page);
  const pages = [...new Set(asked)].sort((a, b) => a - b);
  const kinds = pages.flatMap((page) => {
    const pastEnd = pastEndAt(history, firstPage, page);
    return pastEnd === undefined ? [] : [{ page, ...pastEnd }];
  });
  const firstBehind = kinds.find(({ pastEnd }) => pastEnd !== 'records');
  const furthest = kinds.at(-1);
  if (firstBehind === undefined) {
    const isFar = furthest !== undefined && furthest.page - firstPage >= FAR_PAGES;
    return isFar ? { pastEnd: 'records' } : undefined;
  }
  const { page: behind, pastEnd, status } = firstBehind;
  const how = status === undefined ? { pastEnd } : { pastEnd, status };
  const last = history.pageAt(behind - 1);
  const count = behind - firstPage;
  if (last === undefined || last.recordCount === 0 || count > FAR_PAGES) return how;
  return { pages: count, records: (count - 1) * recordCount + last.recordCount, ...how };
}

type PastEnd = Pick<ListEnd, 'pastEnd' | 'status'>;

function pastEndAt(history: ReadHistory, firstPage: number, page: number): PastEnd | undefined {
  const outcome = history.outcomeAt(page);
  if (outcome === undefined) return undefined;
  if (outcome.kind === 'refused') {
    return isRefusedPage(outcome) ? { pastEnd: 'refused', status: outcome.status ?? 0 } : undefined;
  }
  if (outcome.page.recordCount === 0) return { pastEnd: 'empty' };
  const isRepeated = history.compared.some(
    ({ read: { asked }, seen }) =>
      asked.page >= firstPage && asked.page < page && isSamePage(seen.page, outcome.page),
  );
  return { pastEnd: isRepeated ? 'repeats' : 'records' };
}

/** Whether the second page has the records of the first one. */
export function ignoresPage(history: ReadHistory, firstPage: number): boolean {
  return isSamePage(history.pageAt(firstPage), history.pageAt(firstPage + 1));
}
