import { defined } from '../../defined.ts';
import { type ListWalk, startWalk } from '../walk-state.ts';
import type { DatedMember } from './dated-order.ts';
import type { IdOrder } from './id-order.ts';
import type { Window } from './next-window.ts';
import {
  NO_COUNTS,
  type SetOrder,
  type Taken,
  type WalkCounts,
  type WalkEnd,
  type WalkOrder,
} from './taken.ts';

/** A walk that shows that it missed nothing, as far as that can be shown. */
export interface VerifiedWalk {
  readonly kind: 'verified';
  readonly maxPasses: number;
  /** The order that the list is said to have. */
  readonly setOrder?: SetOrder;
  readonly idKey?: string;
  /**
   * - `first`: the first page is asked for.
   * - `chain`: windows that share rows, up to the end of the list.
   * - `confirm`: the page after a short one, which ends the list if it is empty.
   * - `tail`: windows from the last known rows to the end, after all others were answered.
   * - `front`: windows from the first row on, until a row is known that has not changed.
   * - `pages`: page after page, where windows cannot be had.
   * - `backward`: from the last page to the first, where windows cannot be had and records are only added at the end.
   */
  readonly stage: 'first' | 'chain' | 'confirm' | 'tail' | 'front' | 'pages' | 'backward';
  /** What the answers say of the end of the list; of `pages`, also which page is next. */
  readonly list: ListWalk;
  /** Rows of the largest page; 0 before the first one. */
  readonly size: number;
  /** Rows of the list that are read, from the first on. */
  readonly covered: number;
  /** The next window; two if the second one is held: it was answered, and shared no row with what was read. */
  readonly plan: readonly Window[];
  /** Marks of the last rows that were read, and of the first ones. */
  readonly tail: string;
  readonly front: string;
  /** The front as the present check found it, for the check after it. */
  readonly newFront?: string;
  /** Whether a window was taken whole at a size that only this walk asks for. */
  readonly takesSizes: boolean;
  readonly idOrder: IdOrder;
  /** Members with times, by which all records so far are in order. */
  readonly dated: readonly DatedMember[];
  readonly gap?: Gap;
  /** Windows that were asked for in front of the held one. */
  readonly held?: number;
  /** The id of the last row that was read, if the rows are in order of their ids. */
  readonly lastId?: string;
  /** Whether the window at the end was asked for before all others were answered. */
  readonly endWasAhead: boolean;
  readonly stored: number;
  /** Rows that came to the front while the list was read. */
  readonly cameToFront: number;
  /** Rows that were stored before the front was read again. */
  readonly frontFromRow?: number;
  /** What was found at the end of the list. */
  readonly found?: Omit<WalkEnd, 'proof'>;
  /** The total that the answer at the end of the list reported. */
  readonly totalAtEnd?: number;
  readonly pass: Pass;
  /** Of the stage `backward`, and only of it. */
  readonly backward?: Backward;
  /** Whether all records of the first page have one, each another. */
  readonly hasIds: boolean;
  /** By what else than its windows the list is shown to be complete. */
  readonly shown?: 'backward' | 'equal-passes';
  /** What cannot be shown, as sentences. */
  readonly open: readonly string[];
  readonly order: WalkOrder;
  readonly counts: WalkCounts;
}

/** A search for the place to which the last known row has moved, since a window shared no row with what was read. */
export interface Gap {
  readonly tries: number;
  /** Starts of windows that were too near to the front of the list, and to its end. */
  readonly low?: number;
  readonly high?: number;
}

/** A whole pass, page after page, see `take-pass.ts`. */
interface Pass {
  /** Whether it began at the first page. */
  readonly isWhole: boolean;
  /** Of all ids so far, in their order. */
  readonly digest: string;
  /** Of the pass before. */
  readonly before?: string;
  /** Answers of the whole walk after which this pass is given up; absent for the first one, which is to reach the end. */
  readonly mostAnswers?: number;
}

/** The way from the last page to the first, and then once more over what was added at the end, see `take-backward.ts`. */
export interface Backward {
  /** The page that is asked for, counted from 0. */
  readonly page: number;
  /** Pages that were asked for to find the end of the list. */
  readonly tries: number;
  /** Whether the end of the list was found; before, the way goes up. */
  readonly isEndKnown: boolean;
  /** The lowest and the highest id of this way down, and the highest of the one before. */
  readonly low?: string;
  readonly high?: string;
  readonly floor?: string;
  /** Different records on both ways, and how many the list has according to the answers at its end. */
  readonly rows: number;
  readonly leastRows?: number;
}

export function startVerified(options: {
  readonly firstPage: number;
  readonly perPage?: number;
  readonly idKey?: string;
  readonly maxPasses: number;
  readonly order?: SetOrder;
}): VerifiedWalk {
  const { firstPage, perPage, idKey, maxPasses, order } = options;
  return {
    kind: 'verified',
    maxPasses,
    ...defined({ idKey, setOrder: order }),
    stage: 'first',
    list: startWalk(firstPage, perPage),
    size: 0,
    covered: 0,
    plan: [],
    tail: '',
    front: '',
    takesSizes: false,
    idOrder: 'one',
    dated: [],
    endWasAhead: false,
    stored: 0,
    cameToFront: 0,
    hasIds: true,
    pass: { isWhole: true, digest: '' },
    open: [],
    order: 'unknown',
    counts: NO_COUNTS,
  };
}

/** What an answer makes of a walk. */
export interface Step {
  readonly walk: VerifiedWalk;
  readonly taken: Verdict;
}

/** As `Taken`, before the end has its proof. */
type Verdict = Answered | Extract<Taken, { readonly kind: 'held' | 'refused' }>;

/** An answer behind which the walk goes on, or is over. */
export interface Answered {
  readonly kind: 'page' | 'dropped';
  readonly skip?: readonly number[];
  readonly shared?: number;
  readonly next: 'on' | 'anew';
  readonly isOver?: boolean;
}

export function counted(
  walk: VerifiedWalk,
  more: { readonly [Name in keyof WalkCounts]?: number },
): WalkCounts {
  const counts: Record<keyof WalkCounts, number> = { ...walk.counts };
  for (const name of COUNTS) counts[name] += more[name] ?? 0;
  return counts;
}

const COUNTS = [
  'answers',
  'dropped',
  'skipped',
  'gaps',
  'recovered',
  'frontChecks',
  'tailChecks',
  'passes',
] as const satisfies readonly (keyof WalkCounts)[];
