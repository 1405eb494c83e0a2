import { defined } from '../../defined.ts';
import { isFull } from '../list-walk.ts';
import type { Page, Refused, Unavailable } from '../outcome.ts';
import { linkRows } from './link-rows.ts';
import type { ListWalk } from './list-walk-schema.ts';
import { RowMarks } from './row-marks.ts';
import { FRONT_ROWS, frontWith } from './take-first.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { type Answered, counted, type Step } from './walk-step.ts';

/**
 * Whether pages may be counted from 0 while the first one is 1, and nothing shows it: page 1 would be the second one.
 * What is named the last page shows nothing: of pages that are counted from 0, it is one less than their number.
 */
export function mayHaveBefore(list: ListWalk, page: Page): boolean {
  const { total = 0, totalPages, previousPage } = page.evidence;
  const isOnly = total === page.recordCount && totalPages === 1 && !isFull(list, page);
  const isTold = previousPage === 'none' || total > page.recordCount || (total > 0 && isOnly);
  return list.firstPage === 1 && !isTold;
}

/** Asks for page 0 behind the first page, before anything else moves the list. */
export function askBefore({ walk, taken }: Step, page: Page): Step {
  const isByTotal = walk.list.firstPage === 1 && page.evidence.previousPage !== 'none';
  if (taken.kind !== 'page' || !isByTotal) return { walk, taken };
  if (!mayHaveBefore(walk.list, page)) return { walk: { ...walk, before: 'by-total' }, taken };
  // Without ids only one answer shows anything.
  if (!walk.hasIds && walk.isOnlyPage !== true) return { walk, taken };
  const { isOver: _isOver, ...others } = taken;
  return { walk: { ...walk, before: 'asked' }, taken: { ...others, next: 'anew' } };
}

/**
 * Where a total showed that page 1 is the first one, and other rows came than it says, it was wrong: page 0 is asked for
 * at the end, behind page 1.
 *
 * @returns `undefined` if that is not needed.
 */
export function askBeforeEnd(walk: VerifiedWalk): VerifiedWalk | undefined {
  const { before, stage, list, covered, totalAtEnd, backward } = walk;
  if (before !== 'by-total') return undefined;
  const isFits =
    stage === 'front'
      ? totalAtEnd === covered
      : list.lastTotal === (stage === 'backward' ? backward?.rows : list.records);
  return isFits ? undefined : { ...walk, before: 'first' };
}

/** Page 1 at the end, with which page 0 is compared then. */
export function takeFirstAgain(walk: VerifiedWalk, page: Page): Step {
  return dropped({ ...walk, before: 'asked', front: frontWith(undefined, RowMarks.of(page)) });
}

/** Page 0 is asked for next, and not once more the first page. */
export function isBeforeNext({ before, beforeTries, beforePages }: VerifiedWalk): boolean {
  return before === 'asked' && beforeTries?.length !== 1 && beforePages?.length !== 1;
}

/** It came before, so that the list was emptied, or the API answers by turns. */
export function refusedFirstAgain(walk: VerifiedWalk, status: number): Step {
  return onward({ ...walk, beforeTries: [`page 1: ${status}`] }, 'others');
}

/**
 * Page 0: many APIs answer it as page 1, others without records. Or the first page, once more. Page 0 of an API that counts
 * from 0 shares rows with page 1 too, where rows move between the two. So where the front of page 0 is not on page 1, that
 * is asked for again: what was added meanwhile in front of a first page is on it then. Then page 0 is, for the last time.
 */
export function takeBefore(walk: VerifiedWalk, page: Page): Step {
  const { beforeTries = [], ...others } = walk;
  if (beforeTries.length === 1) return dropped({ ...walk, beforeTries: [...beforeTries, ''] });
  const { beforePages = [] } = walk;
  const isZero = isBeforeNext(walk);
  if (isZero && isFirstOrNone(walk, page)) return onward(others, undefined);
  const before = RowMarks.parse(beforePages.at(-1) ?? walk.front);
  const marks = RowMarks.of(page);
  const isFirst = isZero ? isFrontOn(before, marks) : isFrontOn(marks, before);
  if (isFirst) return onward(others, undefined);
  const isOther = linkRows(before, marks).shared === 0;
  if (isOther || beforePages.length === 2) return onward(others, 'others');
  return dropped({ ...others, beforePages: [...beforePages, frontWith(undefined, marks)] });
}

/**
 * An API that refuses page 0 by status 4xx counts from 1. So does one that fails by it twice in the same way, and not by
 * the first page in between: a failure that passes says nothing. None is worth more tries than that, since nobody asked
 * for page 0.
 *
 * @returns `undefined` where the first page did not come.
 */
export function missedBefore(walk: VerifiedWalk, { status = 0, reason }: Miss): Step | undefined {
  const { beforeTries = [], ...others } = walk;
  const isRefused = status >= 400 && status < 500 && status !== REQUEST_TIMEOUT;
  const isZero = isBeforeNext(walk);
  // Page 0 came and has other rows: page 1 may be behind the end by now.
  if (walk.beforePages !== undefined && (isZero || isRefused)) return onward(others, 'others');
  if (!isZero) return undefined;
  const how = `${status || reason}`;
  if (isRefused || beforeTries[0] === how) return onward(others, undefined);
  const tried = { ...walk, beforeTries: [...beforeTries, how] };
  return beforeTries.length === 0 ? dropped(tried) : onward(tried, 'others');
}

type Miss = Pick<Refused, 'status'> & { readonly reason?: (Refused | Unavailable)['reason'] };

/** The server gave up waiting for the request, see `reactionTo`. */
const REQUEST_TIMEOUT = 408;

function isFirstOrNone({ list }: VerifiedWalk, page: Page): boolean {
  return page.recordCount === 0 || page.fingerprint === list.firstFingerprint;
}

/** Whether the first row of page 0 is on page 1, and half of those behind it: the others may have moved meanwhile. */
function isFrontOn(first: RowMarks, zero: RowMarks): boolean {
  const front = zero.first(FRONT_ROWS);
  const isAtFront = front.length > 0 && first.lastWithIdOf(front, 0) >= 0;
  return isAtFront && 2 * linkRows(first, front).shared >= front.length;
}

function onward(asked: VerifiedWalk, before: 'others' | undefined): Step {
  const { before: _before, beforePages: _beforePages, ...others } = asked;
  const { walk, taken } = dropped({ ...others, ...defined({ before }) });
  const isOver = walk.found !== undefined && walk.isOnlyPage !== true;
  return { walk, taken: isOver ? { ...taken, isOver } : taken };
}

/** It is no page of the list, or one that is read already. */
function dropped(walk: VerifiedWalk): { readonly walk: VerifiedWalk; readonly taken: Answered } {
  return {
    walk: { ...walk, counts: counted(walk, { answers: -1, dropped: -1 }) },
    taken: { kind: 'dropped', next: 'anew' },
  };
}

/** Why page 0 leaves open whether the first page was read, and whether it is known that it was not. */
export function openBefore({ before, beforeTries }: VerifiedWalk): {
  readonly isSecond: boolean;
  readonly open: readonly string[];
} {
  const isSecond = before === 'others' && beforeTries === undefined;
  if (before !== 'others') return { isSecond, open: [] };
  return { isSecond, open: [isSecond ? BEFORE_FIRST : notShown(beforeTries ?? [])] };
}

const BEFORE_FIRST =
  'Page 0 has other records than page 1. If they are the first ones, the API counts from 0: set firstPage to 0.';

function notShown(tries: readonly string[]): string {
  return `Page 0 did not come (${tries[0]}, then ${tries.at(-1)}), so that the API may count from 0. Export the list again.`;
}
