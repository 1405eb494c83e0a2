import * as v from 'valibot';
import { count, maybe, type Stored, text } from '../../stored.ts';

/** Why a list is taken to be over. */
export type EndRule =
  | 'empty-page'
  | 'total-pages'
  | 'total'
  | 'no-next-page'
  | 'no-more'
  | 'refused-past-end'
  | 'last-page-repeated';

export const EndRuleSchema = v.picklist([
  'empty-page',
  'total-pages',
  'total',
  'no-next-page',
  'no-more',
  'refused-past-end',
  'last-page-repeated',
] satisfies EndRule[]);

/**
 * What must be remembered between the pages of one list, as plain JSON, so that a walk can go on in
 * another process.
 */
export type ListWalk = Stored<typeof ListWalkSchema>;

export const ListWalkSchema = v.object({
  firstPage: count,
  /** The page to ask for next. */
  nextPage: count,
  /** Records of all pages so far. */
  records: count,
  largestPageRecords: count,
  lastPageRecords: count,
  emptyPagesInRow: count,
  /** About how many different records there were, see `distinct-records.ts`. */
  distinctRecords: maybe(text),
  firstFingerprint: maybe(text),
  /** Fingerprints of the latest pages with records, newest last. */
  recentFingerprints: v.array(text),
  lastCurrentPage: maybe(v.number()),
  /** What the latest page said of the whole, for the question whether a page lies past the end. */
  lastTotal: maybe(v.number()),
  lastCount: maybe(v.number()),
  lastTotalPages: maybe(v.number()),
  /** What said on the latest page that more follow: then nothing but more pages is the end. */
  more: maybe(v.array(EndRuleSchema)),
  /** What has said so on every page: it says nothing of this one. */
  alwaysMore: maybe(v.array(EndRuleSchema)),
  /** Whether the latest page was said to be the last one, and nothing spoke against it. */
  isSaidLast: maybe(v.boolean()),
  /** Whether the total and the number of pages were both reached with the latest page that has records. */
  countsReached: maybe(v.boolean()),
  /** `per_page` of all requests of the walk; a page number means nothing under another one. */
  perPage: maybe(v.number()),
});

export type WalkCounts = Stored<typeof WalkCountsSchema>;

export const WalkCountsSchema = v.object({
  /** Answers that were taken. */
  answers: count,
  /** Of them, those of which nothing was stored. */
  dropped: count,
  /** Records that were left out, as they were stored already. */
  skipped: count,
  /** How often two neighbouring windows did not share a record. */
  gaps: count,
  /** Records that a walk page by page would have missed, since they had moved to a page that was read. */
  recovered: count,
  /** Times that the front of the list was read again. */
  frontChecks: count,
  /** Times that the end of the list was read again. */
  tailChecks: count,
  /** Passes over the list, also one that was given up. */
  passes: count,
});
