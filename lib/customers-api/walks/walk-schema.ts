import * as v from 'valibot';
import { count, maybe, text } from '../../stored.ts';
import type { EndRule, ListWalk } from '../walk-state.ts';
import type { FastWalk } from './fast-walk.ts';
import { SET_ORDERS, WALK_KINDS, type WalkCounts, type WalkEnd, type WalkProof } from './taken.ts';
import type { VerifiedWalk } from './verified-walk.ts';

/** The state of a walk that is not over, and what it showed at its end, as they are stored between two steps. */

type EveryMember<T> = { readonly [Name in keyof Required<T>]: v.GenericSchema<unknown, T[Name]> };

export const EndRuleSchema = v.picklist([
  'empty-page',
  'total-pages',
  'total',
  'no-next-page',
  'no-more',
  'refused-past-end',
  'last-page-repeated',
] satisfies EndRule[]);

const listEntries = {
  firstPage: count,
  nextPage: count,
  records: count,
  largestPageRecords: count,
  lastPageRecords: count,
  emptyPagesInRow: count,
  distinctRecords: maybe(text),
  firstFingerprint: maybe(text),
  recentFingerprints: v.array(text),
  lastCurrentPage: maybe(v.number()),
  lastTotal: maybe(v.number()),
  lastCount: maybe(v.number()),
  lastTotalPages: maybe(v.number()),
  more: maybe(v.array(EndRuleSchema)),
  alwaysMore: maybe(v.array(EndRuleSchema)),
  countsReached: maybe(v.boolean()),
  perPage: maybe(v.number()),
};

const ListWalkSchema = v.object(listEntries);

const counts = v.object({
  answers: count,
  dropped: count,
  skipped: count,
  gaps: count,
  recovered: count,
  frontChecks: count,
  tailChecks: count,
  passes: count,
});
const order = v.picklist(['rising', 'falling', 'by-last-edit', 'fixed', 'unstable', 'unknown']);

const idOrder = v.picklist(['one', 'rising', 'falling', 'none']);

const found = v.object({
  rules: v.array(EndRuleSchema),
  contradictions: v.array(text),
  outweighed: maybe(EndRuleSchema),
  missing: count,
});

const FastWalkSchema = v.object({
  kind: v.literal('fast'),
  list: ListWalkSchema,
  idKey: maybe(text),
});

const VerifiedWalkSchema = v.object({
  kind: v.literal('verified'),
  maxPasses: v.number(),
  setOrder: maybe(v.picklist(SET_ORDERS)),
  idKey: maybe(text),
  stage: v.picklist(['first', 'chain', 'confirm', 'tail', 'front', 'pages', 'backward']),
  list: ListWalkSchema,
  size: count,
  covered: count,
  plan: v.array(v.object({ start: count, size: count })),
  tail: text,
  front: text,
  newFront: maybe(text),
  takesSizes: v.boolean(),
  idOrder,
  dated: v.array(
    v.object({ name: text, kind: v.picklist(['created', 'edited']), order: idOrder, idOrder }),
  ),
  gap: maybe(v.object({ tries: count, low: maybe(count), high: maybe(count) })),
  held: maybe(count),
  lastId: maybe(text),
  endWasAhead: v.boolean(),
  stored: count,
  cameToFront: count,
  frontFromRow: maybe(count),
  found: maybe(found),
  totalAtEnd: maybe(count),
  hasIds: v.boolean(),
  shown: maybe(v.picklist(['backward', 'equal-passes'])),
  pass: v.object({
    isWhole: v.boolean(),
    digest: text,
    before: maybe(text),
    mostAnswers: maybe(count),
  }),
  backward: maybe(
    v.object({
      page: count,
      tries: count,
      isEndKnown: v.boolean(),
      low: maybe(text),
      high: maybe(text),
      floor: maybe(text),
      rows: count,
      leastRows: maybe(count),
    }),
  ),
  open: v.array(text),
  order,
  counts,
});

/**
 * The walk of an earlier version, which knew no kinds of walks, is a fast one.
 *
 * @public
 */
export const WalkSchema = v.union([
  VerifiedWalkSchema,
  FastWalkSchema,
  v.pipe(
    ListWalkSchema,
    v.transform((list): FastWalk => ({ kind: 'fast', list })),
  ),
]);

/** @public */
export const WalkProofSchema = v.object({
  kind: v.picklist(WALK_KINDS),
  order,
  by: maybe(v.picklist(['one-answer', 'chain', 'backward', 'equal-passes'])),
  open: v.array(text),
  repeats: v.variant('kind', [
    v.object({ kind: v.literal('harmless') }),
    v.object({ kind: v.literal('moved'), withinRows: count, frontFromRow: maybe(count) }),
  ]),
  counts,
  lastTotal: maybe(count),
  leastRecords: maybe(count),
});

listEntries satisfies EveryMember<ListWalk>;
counts.entries satisfies EveryMember<WalkCounts>;
found.entries satisfies EveryMember<Omit<WalkEnd, 'proof'>>;
VerifiedWalkSchema.entries satisfies EveryMember<VerifiedWalk>;
WalkProofSchema.entries satisfies EveryMember<WalkProof>;
