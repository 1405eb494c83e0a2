import { advanceWalk, endOnRefusal, foundIn, isFull } from '../list-walk.ts';
import type { Page, Refusal } from '../outcome.ts';
import { isOfId, passDigest } from '../record-hashes.ts';
import { datedMembersOf, orderedOn } from './dated-order.ts';
import { idOrderIn } from './id-order.ts';
import { linkRows } from './link-rows.ts';
import { nextWindow } from './next-window.ts';
import { RowMarks } from './row-marks.ts';
import { isBehindEnd, toPages } from './take-pass.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { counted, type Step } from './walk-step.ts';

/** Rows at the end of what was read that are remembered, to recognize them in the next window. */
export const TAIL_ROWS = 56;
/** Rows at the front; after as many edits of just these it is not recognized any more. */
export const FRONT_ROWS = 32;
/** Smaller pages cannot share rows and still get on. */
const MIN_ROWS = 4;

/** The first page: often the whole list. If not, it shows whether its records have ids, and how long pages are. */
export function takeFirst(walk: VerifiedWalk, page: Page): Step {
  const { walk: list, decision } = advanceWalk(walk.list, page);
  if (decision.kind === 'refused') return { walk, taken: decision };
  const rows = page.recordCount;
  const taken = { kind: 'page', next: 'on' } as const;
  const read: VerifiedWalk = {
    ...walk,
    list,
    size: rows,
    covered: rows,
    stored: rows,
    front: frontWith(undefined, RowMarks.of(page)),
    pass: { isWhole: true, digest: passDigest('', page.recordHashes) },
  };
  if (decision.kind !== 'end') return { walk: afterFirst(read, page), taken };
  const found = foundIn(decision);
  if (!isFull(list, page)) return { walk: { ...read, found }, taken: { ...taken, isOver: true } };
  return { walk: { ...afterFirst(read, page), found, isOnlyPage: true }, taken };
}

/**
 * The rows that are remembered of the front: those of a short page are followed by those of the windows behind it, so that
 * a row which moves to its end, when one before it is removed, is known. Behind a row that has not changed, a window shows
 * what stood behind it.
 */
export function frontWith(front: string | undefined, page: RowMarks): string {
  const known = front === undefined ? page : RowMarks.parse(front);
  if (front === undefined || known.length >= FRONT_ROWS) return `${known.first(FRONT_ROWS)}`;
  const { isLinked, unchanged, afterShared } = linkRows(known, page);
  if (!isLinked || unchanged.at(-1) !== afterShared - 1) return front;
  return `${known.followedBy(page.last(page.length - afterShared)).first(FRONT_ROWS)}`;
}

/**
 * The page behind a first one that is full and was said to be the only one; and then the first one again. Rows behind the
 * first page can move onto it before the page behind it is asked for, which is empty then.
 */
export function takeSecond(walk: VerifiedWalk, page: Page): Step {
  const isSame = page.fingerprint === walk.list.firstFingerprint;
  if (isFrontAsked(walk)) return isSame ? endOnlyPage(walk) : goOnBehindFirst(walk);
  const { decision } = advanceWalk(walk.list, page);
  // An API may answer a page past the end with the last one, which shows it again. Where other records only have its
  // number, that is wrong, or the list has moved.
  if (isSame) return endOnlyPage(walk);
  if (isBehindEnd(decision, page)) return askFrontAgain(walk);
  const isRefused = decision.kind === 'refused' && decision.reason !== 'not-advancing';
  if (isRefused) return { walk, taken: decision };
  return goOnBehindFirst(walk);
}

/** @returns `undefined` if the refusal does not say that the list ended before: it stays an error. */
export function refusedSecond(walk: VerifiedWalk, refusal: Refusal): Step | undefined {
  if (isFrontAsked(walk)) return goOnBehindFirst(walk);
  return endOnRefusal(walk.list, refusal) && askFrontAgain(walk);
}

/** Whether the first page is asked for again, as that behind it is none. */
export function isFrontAsked({ isOnlyPage, counts }: VerifiedWalk): boolean {
  return isOnlyPage === true && counts.frontChecks > 0;
}

function askFrontAgain(walk: VerifiedWalk): Step {
  return {
    walk: { ...walk, counts: counted(walk, { frontChecks: 1 }) },
    taken: { kind: 'dropped', next: 'anew' },
  };
}

function goOnBehindFirst(walk: VerifiedWalk): Step {
  const { found: _found, isOnlyPage: _isOnlyPage, ...onward } = walk;
  return { walk: onward, taken: { kind: 'dropped', next: 'anew' } };
}

function endOnlyPage(walk: VerifiedWalk): Step {
  return {
    walk: { ...walk, stage: 'first' },
    taken: { kind: 'dropped', next: 'on', isOver: true },
  };
}

/** The walk behind a first page that is not the last one. */
function afterFirst(read: VerifiedWalk, page: Page): VerifiedWalk {
  const problem = problemWith(page);
  if (problem !== undefined) return toPages({ ...read, hasIds: false }, problem);
  const { size } = read;
  const idOrder = idOrderIn(page);
  const next = nextWindow(size, size);
  if (next === undefined) return toPages({ ...read, idOrder }, tooSmall(size));
  const marks = RowMarks.of(page);
  return {
    ...read,
    stage: 'chain',
    plan: [next],
    tail: `${marks.last(TAIL_ROWS)}`,
    idOrder,
    dated: orderedOn(datedMembersOf(page), page),
  };
}

/**
 * A later answer can be the first one that shows that ids are none. What was asked for goes on, and shows no more that
 * nothing is missing.
 */
export function withIdsOf(walk: VerifiedWalk, page: Page): VerifiedWalk {
  if (walk.stage === 'first' || !walk.hasIds || page.recordCount === 0) return walk;
  const problem = problemWith(page);
  if (problem === undefined) return walk;
  return { ...walk, hasIds: false, open: [...walk.open, problem] };
}

function problemWith({ recordCount, recordHashes, idKey }: Page): string | undefined {
  if (recordCount === 0) {
    return 'The first page had no records although more follow, so that its pages cannot be made to share records.';
  }
  const lows = recordHashes.filter((_, at) => at % 2 === 0);
  const untold = `(${idKey}), so that nothing tells whether one without was missed or came twice. ${SET_ID_KEY}`;
  const withId = lows.filter(isOfId).length;
  if (withId === 0) {
    return `The records have no id ${untold}`;
  }
  if (withId < recordCount) {
    return `Not all records have an id ${untold}`;
  }
  // Half a hash takes a fifth of the time, and two of a page hardly ever have the same.
  if (new Set(lows).size === recordCount) return undefined;
  const ids = Array.from(lows, (low, at) => `${low} ${recordHashes[2 * at + 1]}`);
  if (new Set(ids).size === recordCount) return undefined;
  return `Two records of one page have the same id (${idKey}). ${SET_ID_KEY}`;
}

const SET_ID_KEY = 'Set idKey to the member that tells one record from another.';

function tooSmall(rows: number): string {
  return `Pages of ${rows} records are too small to share records. Set perPage to ${MIN_ROWS} or more.`;
}
