import { defined } from '../../defined.ts';
import type { Page } from '../outcome.ts';
import { hasSpentAll } from './after-gap.ts';
import { checkedBy } from './dated-order.ts';
import { linkRows } from './link-rows.ts';
import { nextWindow } from './next-window.ts';
import { RowMarks } from './row-marks.ts';
import { frontWith, TAIL_ROWS } from './take-first.ts';
import { anotherPass, isWorthAnother } from './take-pass.ts';
import { orderOf } from './walk-proof.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { type Answered, counted, type Step, withOrderIn } from './walk-step.ts';

/** A list whose front changes faster than it can be read is given up after so many looks. */
const MAX_CHECKS = 8;

/**
 * The list was read to its end. Where an edited record moves to the front, it may have left before it was read. So
 * the front is read again, until a row is there that was there before and has not changed: what was edited since is
 * in front of it. A check of one answer shows one moment; a longer one is repeated.
 */
export function checkFront(answered: VerifiedWalk, page: Page): Step {
  const walk = withOrderIn(answered, page);
  const marks = RowMarks.of(page);
  const isBegin = walk.newFront === undefined;
  const known = RowMarks.parse(walk.front);
  const front = linkRows(known, marks);
  const { unchanged } = front;
  const lastKnown = anchorOf(walk, known, marks, unchanged);
  const rows = lastKnown ?? page.recordCount;
  const link = isBegin ? front : linkRows(RowMarks.parse(walk.tail), marks);
  if (!isBegin && !link.isLinked) return again(walk, 'dropped', []);
  const stored = new Set([...unchanged, ...link.unchanged]);
  const skip = Array.from({ length: page.recordCount }, (_, row) => row).filter(
    (row) => row >= rows || stored.has(row),
  );
  const added = page.recordCount - skip.length;
  const total = page.evidence.total;
  const checked = lastKnown === undefined ? walk.dated : checkedBy(walk.dated, page, unchanged);
  const read: VerifiedWalk = {
    ...withDated(walk, checked),
    list: total === undefined ? walk.list : { ...walk.list, lastTotal: total },
    stored: walk.stored + added,
    counts: counted(walk, { skipped: skip.length }),
  };
  const kind = added === 0 ? 'dropped' : 'page';
  if (lastKnown !== undefined) {
    if (isBegin) {
      return endChain(read, { kind, skip, shared: link.shared });
    }
    return again({ ...read, front: frontWith(walk.newFront, marks) }, kind, skip);
  }
  return goOn(read, page, marks, { kind, skip, next: 'anew' });
}

/**
 * Times by which all records are in order, but too coarse for a check to show all edits, speak against `by-last-edit` as it
 * is set: an edited record stands where they put it, and not at the front or the end.
 */
function withDated(
  { setOrder, ...walk }: VerifiedWalk,
  dated: VerifiedWalk['dated'],
): VerifiedWalk {
  const isCoarse = setOrder === 'by-last-edit' && dated.length < walk.dated.length;
  return { ...walk, dated, ...(!isCoarse && defined({ setOrder })) };
}

/** Of the rows of a page, or of those that are remembered of it, so many may be in front of all edits, see {@link anchorOf}. */
const MAX_AHEAD_SHARE = 0.75;

/**
 * The last row that was there before, if nothing that was edited since can be behind it. Rows with a time later than now
 * stay in front of all edits, which then stand where other remembered rows were. So the page has to end with a known
 * row, or to have one that stood behind all that may be ahead. So it is in every list: rows by a last edit that is not
 * shown can be in the order of their ids and times of creation all the same.
 */
function anchorOf(
  { size }: VerifiedWalk,
  known: RowMarks,
  page: RowMarks,
  unchanged: readonly number[],
): number | undefined {
  const last = unchanged.at(-1);
  if (last === undefined || last === page.length - 1) return last;
  const mostAhead = MAX_AHEAD_SHARE * Math.min(size, known.length);
  return known.lastWithIdOf(page, last) >= mostAhead ? last : undefined;
}

/** The front was read at one moment: the list is shown to be complete, unless nothing shows its order. */
function endChain(
  walk: VerifiedWalk,
  taken: {
    readonly kind: 'page' | 'dropped';
    readonly skip: readonly number[];
    readonly shared: number;
  },
): Step {
  const pages = Math.ceil(walk.covered / walk.size);
  if (orderOf(walk) === 'unknown' && isWorthAnother(walk, pages)) {
    const pass = anotherPass(walk, walk.counts.gaps > 0 ? undefined : walk.pass.digest, pages);
    return { walk: pass, taken: { ...taken, next: 'anew' } };
  }
  return { walk, taken: { ...taken, next: 'on', isOver: true } };
}

/** No row of this window was there before: the next one. */
function goOn(walk: VerifiedWalk, page: Page, marks: RowMarks, taken: Answered): Step {
  const [window] = walk.plan;
  const covered = (window?.start ?? 0) + page.recordCount;
  const isEnd = page.recordCount < (window?.size ?? walk.size);
  const next = nextWindow(covered, walk.size);
  if (isEnd || next === undefined || hasSpentAll(walk)) return giveUp(walk, taken);
  const newFront = frontWith(walk.newFront, marks);
  return {
    walk: { ...walk, newFront, tail: `${marks.last(TAIL_ROWS)}`, plan: [next] },
    taken,
  };
}

function again(
  { newFront: _newFront, ...walk }: VerifiedWalk,
  kind: 'page' | 'dropped',
  skip: readonly number[],
): Step {
  const taken = { kind, skip, next: 'anew' } as const;
  if (walk.counts.frontChecks >= MAX_CHECKS || hasSpentAll(walk)) return giveUp(walk, taken);
  const counts = counted(walk, { frontChecks: 1 });
  return { walk: { ...walk, plan: [], counts }, taken };
}

function giveUp(walk: VerifiedWalk, taken: Answered): Step {
  const open = [...walk.open, RESTLESS];
  return { walk: { ...walk, open }, taken: { ...taken, isOver: true } };
}

const RESTLESS =
  'The front of the list changed faster than it could be read again, so records that moved there meanwhile can be missing. Export the list when it changes less.';
