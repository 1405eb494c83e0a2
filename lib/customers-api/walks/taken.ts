import type { EndRule, WalkCounts } from './list-walk-schema.ts';

/** What is to be asked for: page `page` of `perPage` records. */
export interface PageAsk {
  readonly page: number;
  /** Absent: not sent, the API decides. */
  readonly perPage?: number;
  /** The member that identifies a record, once it is known. */
  readonly idKey?: string;
  /** Nobody asked for this page, and it need not be there, see `PageRequest`. */
  readonly isProbe?: true;
}

export type Taken =
  | {
      readonly kind: 'page';
      /** Positions of records that are stored already and unchanged, ascending: not to be stored again. */
      readonly skip?: readonly number[];
      /** Records that this page shares with what was read before, and that show that nothing lies between. */
      readonly shared?: number;
      /** Records at its head that end with the last known one: of those that were read before, each comes again. */
      readonly again?: number;
      readonly next: NextAsks;
      readonly end?: WalkEnd;
    }
  /** No record of the page is to be stored. */
  | { readonly kind: 'dropped'; readonly next: NextAsks; readonly end?: WalkEnd }
  /**
   * The page is to be kept as it is. `ask(0)` is another one now, in front of it, that was not asked for yet; the page
   * and all that were asked for behind it are one place further. Who does not keep them asks for them again.
   */
  | { readonly kind: 'held'; readonly next: 'in-front'; readonly end?: undefined }
  | NoList;

/** The answers cannot be a list. */
export interface NoList {
  readonly kind: 'refused';
  readonly reason: 'not-advancing' | 'contradiction';
  readonly message: string;
}

/**
 * - `on`: what was `ask(1)` is `ask(0)` now.
 * - `anew`: all asks ahead have changed, and answers to the earlier ones are to be dropped.
 */
type NextAsks = 'on' | 'anew';

export interface WalkEnd {
  /** Every rule that says that the list is over. */
  readonly rules: readonly EndRule[];
  /** What contradicts it, by less than a page. */
  readonly contradictions: readonly string[];
  /** The one sign against it, if stronger ones outweigh it. */
  readonly outweighed?: EndRule;
  /** Records that a total promises beyond those received. */
  readonly missing: number;
  readonly proof: WalkProof;
}

export type WalkOrder =
  /** By id, over the whole list. */
  | 'rising'
  | 'falling'
  /** An edited record moves to the front or to the end. */
  | 'by-last-edit'
  /** By something else, and no record was seen to move. */
  | 'fixed'
  /** Another one in each answer. */
  | 'unstable'
  | 'unknown';

export const WALK_KINDS = ['verified', 'fast'] as const;

export type WalkKind = (typeof WALK_KINDS)[number];

/** What an operator may know of an order that the records do not show, see `WalkOptions`. */
export const SET_ORDERS = ['fixed', 'by-last-edit', 'appended'] as const;

export type SetOrder = (typeof SET_ORDERS)[number];

/** What the verdict is made of, as plain JSON without data of records. */
export interface WalkProof {
  readonly kind: WalkKind;
  readonly order: WalkOrder;
  /**
   * How it was shown that no record is missing that was there from start to end: by `one-answer` that held the whole
   * list, a `chain` of pages that share records, by reading from the last page to the first (`backward`), or by
   * `equal-passes`.
   */
  readonly by?: 'one-answer' | 'chain' | 'backward' | 'equal-passes';
  /** What remains open, each a whole sentence for a person; empty if it was shown. */
  readonly open: readonly string[];
  /** What was asked of the records that came more than once, see {@link RepeatRule}. */
  readonly repeats: RepeatRule;
  readonly counts: WalkCounts;
  /** The latest total that the API reported. */
  readonly lastTotal?: number;
  /** With fewer different records than this the list is not shown to be complete. */
  readonly leastRecords?: number;
}

/**
 * What a record that came twice says of the proof. A walker cannot know those that lie far apart; who stored them can.
 *
 * - `harmless`: nothing: no record can move.
 * - `moved`: the order moves by something that the walk does not follow, so the list is not shown to be complete;
 *   but not if the second place is among rows that were read again, see `again`, nor if it is among those stored
 *   after the first `frontFromRow` rows and its text has changed, which is an edit, or both places are, or the first one is among
 *   rows that were read again, in front of others. With `mayBeEqual`,
 *   nor if its text is the same, since only an edit moves it.
 */
export type RepeatRule =
  | { readonly kind: 'harmless' }
  | { readonly kind: 'moved'; readonly frontFromRow?: number; readonly mayBeEqual?: true };

export const NO_COUNTS: WalkCounts = {
  answers: 0,
  dropped: 0,
  skipped: 0,
  gaps: 0,
  recovered: 0,
  frontChecks: 0,
  tailChecks: 0,
  passes: 0,
};
