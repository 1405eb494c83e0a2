import * as v from 'valibot';
import { count, maybe, type Stored, text } from '../../stored.ts';
import { EndRuleSchema, ListWalkSchema, WalkCountsSchema } from './list-walk-schema.ts';
import { SET_ORDERS, WALK_KINDS, type WalkEnd, type WalkProof } from './taken.ts';

/** The state of a walk that is not over, and what it showed at its end, as they are stored between two steps. */

type EveryMember<T> = { readonly [Name in keyof Required<T>]: v.GenericSchema<unknown, T[Name]> };

/** One pass over the list, page after page. */
export type FastWalk = Stored<typeof FastWalkSchema>;

const FastWalkSchema = v.object({
  kind: v.literal('fast'),
  list: ListWalkSchema,
  idKey: maybe(text),
});

const order = v.picklist(['rising', 'falling', 'by-last-edit', 'fixed', 'unstable', 'unknown']);

/** How the ids of some rows follow each other; `one`: fewer than two. */
const idOrder = v.picklist(['one', 'rising', 'falling', 'none']);

/** A member with the time at which a record was made or last edited. */
const datedMember = v.object({
  name: text,
  kind: v.picklist(['created', 'edited']),
  /** How it goes on from record to record, and the id where it is equal. */
  order: idOrder,
  idOrder,
});

const found = v.object({
  rules: v.array(EndRuleSchema),
  contradictions: v.array(text),
  outweighed: maybe(EndRuleSchema),
  missing: count,
});

/** A walk that shows that it missed nothing, as far as that can be shown. */
export type VerifiedWalk = Stored<typeof VerifiedWalkSchema>;

const VerifiedWalkSchema = v.object({
  kind: v.literal('verified'),
  maxPasses: v.number(),
  /** The order that the list is said to have. */
  setOrder: maybe(v.picklist(SET_ORDERS)),
  idKey: maybe(text),
  stage: v.picklist([
    /** The first page is asked for. */
    'first',
    /** Windows that share rows, up to the end of the list. */
    'chain',
    /** The page after a short one, which ends the list if it is empty. */
    'confirm',
    /** Windows from the last known rows to the end, after all others were answered. */
    'tail',
    /** Windows from the first row on, until a row is known that has not changed. */
    'front',
    /** Page after page, where windows cannot be had. */
    'pages',
    /** From the last page to the first, where windows cannot be had and records are only added at the end. */
    'backward',
  ]),
  /** What the answers say of the end of the list; of `pages`, also which page is next. */
  list: ListWalkSchema,
  /** Rows of the largest page; 0 before the first one. */
  size: count,
  /** Rows of the list that are read, from the first on. */
  covered: count,
  /** The most that were, where the last window ended in front of them: they are not in `tail`. */
  reached: maybe(count),
  /** The next window; two if the second one is held: it was answered, and shared no row with what was read. */
  plan: v.array(v.object({ start: count, size: count })),
  /** Marks of the last rows that were read, and of the first ones. */
  tail: text,
  front: text,
  /** The front as the present check found it, for the check after it. */
  newFront: maybe(text),
  /** Whether a window was taken whole at a size that only this walk asks for. */
  takesSizes: v.boolean(),
  idOrder,
  /** By which all records so far are in order. */
  dated: v.array(datedMember),
  /** A search for the place to which the last known row has moved, since a window shared no row with what was read. */
  gap: maybe(
    v.object({
      tries: count,
      /** Starts of windows that were too near to the front of the list, and to its end. */
      low: maybe(count),
      high: maybe(count),
    }),
  ),
  /** Windows that were asked for in front of the held one. */
  held: maybe(count),
  /** The id of the last row that was read, if the rows are in order of their ids. */
  lastId: maybe(text),
  /** Whether the window, or page, at the end was asked for before all others were answered. */
  endWasAhead: v.boolean(),
  stored: count,
  /** Rows that were stored before the front was read again. */
  frontFromRow: maybe(count),
  /** What was found at the end of the list. */
  found: maybe(found),
  /** The first page is full and said to be the only one: the page behind it, and then itself again, are asked for before that is believed. */
  isOnlyPage: maybe(v.boolean()),
  /**
   * Page 0 is asked for behind page 1; or it was, and has other records or did not come. `by-total`: it is not, as long
   * as the total is reached to the record; else page 1 is asked for at the end, `first`, and then page 0.
   */
  before: maybe(v.picklist(['by-total', 'first', 'asked', 'others'])),
  /** How page 0 failed; then an empty text, once the first page came again; then how page 0 failed again. */
  beforeTries: maybe(v.array(text)),
  /** Marks of page 0 where its front is not on page 1; then of page 1, which came again. */
  beforePages: maybe(v.array(text)),
  /**
   * The total that the answer at the end of the list reported, or the least that its number of pages can have; in a
   * further pass, that of the pass before.
   */
  totalAtEnd: maybe(count),
  /** Whether all records of the first page have one, each another. */
  hasIds: v.boolean(),
  /** By what else than its windows the list is shown to be complete. */
  shown: maybe(v.picklist(['backward', 'equal-passes'])),
  /** A whole pass, page after page, see `take-pass.ts`. */
  pass: v.object({
    /** Whether it began at the first page. */
    isWhole: v.boolean(),
    /** Of all ids so far, in their order. */
    digest: text,
    /** Of the pass before. */
    before: maybe(text),
    /** Answers of the whole walk after which this pass is given up; absent for the first one, which is to reach the end. */
    mostAnswers: maybe(count),
  }),
  /** The way from the last page to the first, and then once more over what was added at the end, see `take-backward.ts`. */
  backward: maybe(
    v.object({
      /** The page that is asked for, counted from 0. */
      page: count,
      /** Pages that were asked for to find the end of the list. */
      tries: count,
      /** Whether the end of the list was found; before, the way goes up. */
      isEndKnown: v.boolean(),
      /** The lowest and the highest id of this way down, and the highest of the one before. */
      low: maybe(text),
      high: maybe(text),
      floor: maybe(text),
      /** Different records on both ways, and how many the list has according to the answers at its end. */
      rows: count,
      leastRows: maybe(count),
    }),
  ),
  /** What cannot be shown, as sentences. */
  open: v.array(text),
  order,
  counts: WalkCountsSchema,
});

/** @public */
export const WalkSchema = v.union([VerifiedWalkSchema, FastWalkSchema]);

/** @public */
export const WalkProofSchema = v.object({
  kind: v.picklist(WALK_KINDS),
  order,
  by: maybe(v.picklist(['one-answer', 'chain', 'backward', 'equal-passes'])),
  open: v.array(text),
  repeats: v.variant('kind', [
    v.object({ kind: v.literal('harmless') }),
    v.object({
      kind: v.literal('moved'),
      frontFromRow: maybe(count),
      mayBeEqual: maybe(v.literal(true)),
    }),
  ]),
  counts: WalkCountsSchema,
  lastTotal: maybe(count),
  leastRecords: maybe(count),
});

found.entries satisfies EveryMember<Omit<WalkEnd, 'proof'>>;
WalkProofSchema.entries satisfies EveryMember<WalkProof>;
