import { defined } from '../../defined.ts';
import { lastPage } from './begin-backward.ts';
import { openBefore } from './page-before.ts';
import type { WalkOrder, WalkProof } from './taken.ts';
import type { VerifiedWalk } from './walk-schema.ts';

/** What a walk that is over has shown. */
export function proofOf(walk: VerifiedWalk): WalkProof {
  const { list, stage, frontFromRow, counts } = walk;
  const order = orderOf(walk);
  const open = openOf(walk, order);
  const by = open.length === 0 ? shownBy(walk) : undefined;
  const isById = order === 'rising' || order === 'falling';
  const keepsOrder = stage === 'first' || isReadTwice(walk) || (by !== undefined && isById);
  // Where an edit moves a record to the end, or nothing shows whereto, an edited one may come anywhere.
  const isByEdit = isEditShown(walk);
  const isToEnd = isByEdit && walk.dated.some(({ order }) => order === 'rising');
  const isAnywhere = walk.setOrder === 'by-last-edit' || isToEnd;
  const edits = {
    ...defined({ frontFromRow: isAnywhere ? 0 : frontFromRow }),
    ...(isByEdit && { mayBeEqual: true as const }),
  };
  return {
    kind: 'verified',
    order,
    ...defined({ by }),
    open,
    repeats: keepsOrder ? { kind: 'harmless' } : { kind: 'moved', ...edits },
    counts,
    ...defined({ lastTotal: list.lastTotal, leastRecords: leastRecords(walk) }),
  };
}

function openOf(walk: VerifiedWalk, order: WalkOrder): readonly string[] {
  const { isSecond, open } = openBefore(walk);
  // Windows do not fit then, for no other reason.
  return isSecond ? open : [...open, ...openOfStage(walk, order)];
}

function openOfStage(walk: VerifiedWalk, order: WalkOrder): readonly string[] {
  const { open, stage, shown, hasIds } = walk;
  if ((shown !== undefined && hasIds) || stage === 'first') return [];
  if (stage === 'front') return order === 'unknown' ? [...open, NOT_SHOWN] : open;
  if (!hasIds) return open;
  const { setOrder, idOrder } = walk;
  const mayHelp = setOrder !== 'appended' && idOrder === 'rising' && lastPage(walk) !== undefined;
  return mayHelp ? [...open, NOT_EQUAL, MAYBE_APPENDED] : [...open, NOT_EQUAL];
}

function shownBy({ stage, shown }: VerifiedWalk): WalkProof['by'] {
  if (stage === 'first') return 'one-answer';
  return stage === 'front' ? 'chain' : shown;
}

export function orderOf({ order, idOrder, stage, dated, setOrder }: VerifiedWalk): WalkOrder {
  if (stage !== 'front') return order;
  if (idOrder === 'rising' || idOrder === 'falling') return idOrder;
  if (dated.some(({ kind }) => kind === 'created')) return 'fixed';
  if (dated.length > 0) return 'by-last-edit';
  return setOrder === 'appended' ? 'fixed' : (setOrder ?? 'unknown');
}

/** Each pass reads every record once more, which says nothing of their order. */
function isReadTwice({ stage, counts }: VerifiedWalk): boolean {
  return stage === 'pages' && counts.passes > 0 && counts.passes + counts.frontChecks > 1;
}

/** All records are in the order of the time of their last edit, so that none is at a place where it does not belong. */
function isEditShown({ stage, dated }: VerifiedWalk): boolean {
  return stage === 'front' && dated.length > 0 && dated.every(({ kind }) => kind === 'edited');
}

const NOT_SHOWN =
  'The records do not show by what they are ordered: not by id, nor by a time at which they were made or last edited. If an edit can move a record, one that was there from start to end can be missing without a trace. Name an order in the query of the list; or set order to fixed if edits leave records at their places, to by-last-edit if they move them to the front or to the end; or set maxPasses to 3, so that the list is read twice.';

const NOT_EQUAL =
  'No two passes over the list were equal within maxPasses, so that records which moved between them can be missing. Export the list when it changes less, or set maxPasses to more.';

const MAYBE_APPENDED =
  'All ids rose: if records are only ever added at the end of the list, and none comes back in the middle, set order to appended, so that it is read from the last page to the first, once.';

/**
 * Records that were in the list at the end of the chain, or when the front was read last. A record that was added
 * behind the walk is in one of them and was not read; one that was added at its end or in front is not in both.
 */
function leastRecords({ totalAtEnd, list, stage, shown }: VerifiedWalk): number | undefined {
  // Two servers that answer by turns can differ by a record in each pass. And one that came twice in a pass moved, or
  // took the place of one that did: in both passes perhaps. Nothing that the pass before had was gone at its end, so
  // that a total above it tells of what both have missed.
  const { lastTotal = 0 } = list;
  if (shown === 'equal-passes') return Math.max(list.records, lastTotal, totalAtEnd ?? 0);
  if (stage !== 'front' || totalAtEnd === undefined) return undefined;
  return Math.min(totalAtEnd, list.lastTotal ?? totalAtEnd);
}
