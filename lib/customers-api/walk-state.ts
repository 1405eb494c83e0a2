import { defined } from '../defined.ts';

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
  /** About how many different records there were, see `distinct-records.ts`. */
  readonly distinctRecords?: string;
  readonly firstFingerprint?: string;
  /** Fingerprints of the latest pages with records, newest last. */
  readonly recentFingerprints: readonly string[];
  readonly lastCurrentPage?: number;
  /** What the latest page said of the whole, for the question whether a page lies past the end. */
  readonly lastTotal?: number;
  readonly lastCount?: number;
  readonly lastTotalPages?: number;
  /** What said on the latest page that more follow: then nothing but more pages is the end. */
  readonly more?: readonly EndRule[];
  /** What has said so on every page: it says nothing of this one. */
  readonly alwaysMore?: readonly EndRule[];
  /** Whether the latest page was said to be the last one, and nothing spoke against it. */
  readonly isSaidLast?: boolean;
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
