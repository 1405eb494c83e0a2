import { defined } from '../../defined.ts';
import { advanceWalk, type Found, foundIn, startWalk, type WalkDecision } from '../list-walk.ts';
import type { Page } from '../outcome.ts';
import { passDigest } from '../record-hashes.ts';
import { backwardFrom } from './begin-backward.ts';
import { idOrderIn, withOrder } from './id-order.ts';
import type { ListWalk } from './list-walk-schema.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { type Answered, counted, type Step } from './walk-step.ts';

/** Goes on page after page from the answer that shows that windows cannot be had. */
export function readPages(
  walk: VerifiedWalk,
  reason: string,
  taken: Answered = { kind: 'dropped', next: 'anew' },
): Step {
  return { walk: toPages(walk, reason), taken: { ...taken, next: 'anew' } };
}

/** Goes on page after page: from the last one to the first if that proves more, else from the first row that is not read. */
export function toPages(walk: VerifiedWalk, reason: string): VerifiedWalk {
  const { gap: _gap, held: _held, ...others } = walk;
  // Windows before would make it another pass than those after it.
  const isWhole = walk.pass.isWhole && walk.counts.answers <= 2;
  const forward: VerifiedWalk = {
    ...others,
    stage: 'pages',
    plan: [],
    list: listFrom(walk),
    pass: { ...walk.pass, isWhole },
    open: [...walk.open, reason],
  };
  return backwardFrom(forward) ?? forward;
}

function listFrom({ list, size, covered }: VerifiedWalk): ListWalk {
  const { firstPage, perPage, emptyPagesInRow, lastTotal, ...rest } = list;
  const pagesRead = size === 0 ? 1 : Math.max(1, Math.floor(covered / size));
  // Nothing but the first page was taken.
  if (pagesRead === 1 && list.nextPage === firstPage + 1 && list.records === size) return list;
  const { firstFingerprint, distinctRecords, alwaysMore } = rest;
  return {
    ...startWalk(firstPage, perPage),
    nextPage: firstPage + pagesRead,
    records: pagesRead * size,
    largestPageRecords: size,
    lastPageRecords: size,
    emptyPagesInRow,
    ...defined({ lastTotal, firstFingerprint, distinctRecords, alwaysMore }),
  };
}

export function takePass(walk: VerifiedWalk, page: Page, wasAhead: boolean): Step {
  const { walk: list, decision } = advanceWalk(walk.list, page, mayMove(walk));
  if (decision.kind === 'refused') {
    return isReadAgain(walk) ? endUnequal(walk, decision.message) : { walk, taken: decision };
  }
  if (wasAhead && isToBeLast(decision, page, list)) return askAgain(walk);
  const kind = decision.takeRecords ? 'page' : 'dropped';
  // Windows ended in the middle of the first page, or this is not the first pass.
  const again = Math.max(0, (walk.reached ?? walk.covered) - walk.list.records);
  const hasRows = decision.takeRecords && page.recordCount > 0;
  const digest = hasRows ? passDigest(digestAt(walk), page.recordHashes) : walk.pass.digest;
  const stored = walk.stored + (decision.takeRecords ? page.recordCount : 0);
  const idOrder = withOrder(walk.idOrder, idOrderIn(page));
  const endWasAhead = walk.endWasAhead && isShort(page, list);
  const read = { ...walk, list, stored, idOrder, endWasAhead, pass: { ...walk.pass, digest } };
  if (isEnd(decision, page, list)) return endPass(read, decision, kind, again);
  if (read.counts.answers < (read.pass.mostAnswers ?? Infinity)) {
    const backward = backwardFrom(read);
    const next = backward === undefined ? 'on' : 'anew';
    return { walk: backward ?? read, taken: { kind, again, next } };
  }
  const walkOver = { ...read, counts: counted(read, { passes: 1 }) };
  return { walk: walkOver, taken: { kind, again, next: 'anew', isOver: true } };
}

/**
 * The digest with the number of pages before the place to which a pass has come, where their rows do not tell it. Where
 * pages have gaps, a removed record moves others to another page, and equal ids alone would hide that.
 */
function digestAt({ pass, list, size }: VerifiedWalk, isEnd = false): string {
  const pages = list.nextPage - list.firstPage - list.emptyPagesInRow;
  const rows = pages * size;
  // The last page need not be full.
  const isTold = isEnd ? list.records <= rows : list.records === rows;
  return isTold ? pass.digest : passDigest(pass.digest, Uint32Array.of(pages));
}

/**
 * Whether the list ends with the page, or before it. Counts can be older than the records beside them, as those of a
 * cache are, or end at a cap, and an API may cut other pages than it is asked for: so the page after one with records is
 * asked for, whatever they say, but for a page that is not full and reaches the total to the record.
 */
export function isEnd(decision: WalkDecision, page: Page, list: ListWalk): decision is End {
  if (isShort(page, list) && decision.kind === 'end' && decision.rules.includes('total'))
    return true;
  return isBehindEnd(decision, page);
}

function isShort({ recordCount }: Page, { largestPageRecords }: ListWalk): boolean {
  return recordCount < largestPageRecords;
}

/** Whether the list ended before the page, which has no records of its own. */
export function isBehindEnd(decision: WalkDecision, page: Page): decision is End {
  return decision.kind === 'end' && (page.recordCount === 0 || !decision.takeRecords);
}

type End = Extract<WalkDecision, { kind: 'end' }>;

/** A page that came twice proves nothing, and records that are added behind all others move none to a later page. */
function mayMove(walk: VerifiedWalk): boolean {
  return !isReadAgain(walk) && walk.setOrder !== 'appended';
}

/** Whether the list was read to its end before, so that this pass only is to show that nothing is missing. */
export function isReadAgain({ pass }: VerifiedWalk): boolean {
  return pass.mostAnswers !== undefined;
}

/** A further pass, or a check of the front, cannot be ended: what was read before stays, and is not shown. */
export function endUnequal(walk: VerifiedWalk, message: string): Step {
  const open = [
    ...walk.open,
    `The list was read to its end, but could not be read again: ${message}`,
  ];
  const counts = counted(walk, { passes: walk.stage === 'pages' ? 1 : 0 });
  return {
    walk: { ...walk, open, counts },
    taken: { kind: 'dropped', next: 'anew', isOver: true },
  };
}

/**
 * The page that ends a pass is to be answered last. A record that is not read yet can move behind pages that were answered
 * when others are added in front of it, and in the next pass over the same place when some are removed.
 */
function isToBeLast(decision: WalkDecision, page: Page, list: ListWalk): boolean {
  if (isBehindEnd(decision, page)) return isEndBehind(list);
  const mayBeLast = isShort(page, list) && (list.more ?? []).length === 0;
  return mayBeLast && (isEnd(decision, page, list) || !isEndBehind(list));
}

/**
 * Whether only the answer behind the last page shows how long the list is: that page is full, or one before it was not
 * either, as where the API leaves records out of pages that are cut already.
 */
export function isEndBehind(list: ListWalk): boolean {
  const { records, lastPageRecords: last, largestPageRecords: largest } = list;
  const pages = list.nextPage - list.firstPage - list.emptyPagesInRow;
  return last === largest || records - last < (pages - 1) * largest;
}

export function askAgain(walk: VerifiedWalk): Step {
  // It is counted when it comes again.
  const counts = counted(walk, { answers: -1, dropped: -1 });
  return { walk: { ...walk, counts, endWasAhead: true }, taken: { kind: 'dropped', next: 'anew' } };
}

/** A pass is over: was it the same as the one before, or is there to be another one? */
export function endPass(walk: VerifiedWalk, end: Found, kind: 'page' | 'dropped', again = 0): Step {
  const { isWhole, before } = walk.pass;
  const digest = digestAt(walk, true);
  const { nextPage, firstPage, records: covered, lastTotal } = walk.list;
  const counts = counted(walk, { passes: 1 });
  const ended: VerifiedWalk = { ...walk, found: foundIn(end), counts };
  const over = { kind, again, next: 'on', isOver: true } as const;
  // Windows may have ended behind more rows than they have read, if one moved among those that they shared.
  const isAsLong = walk.covered === covered;
  if (isWhole && digest === before && isAsLong)
    return { walk: { ...ended, shown: 'equal-passes' }, taken: over };
  // With the page behind the last one, which each pass asks for, also where that is refused or the last one again.
  const pages = nextPage - firstPage + (kind === 'dropped' ? 1 : 0);
  if (!isWorthAnother(ended, pages)) return { walk: ended, taken: over };
  const read = { ...ended, covered, ...defined({ totalAtEnd: lastTotal }) };
  const next = anotherPass(read, isWhole ? digest : undefined, pages);
  return { walk: next, taken: { kind, again, next: 'anew' } };
}

/**
 * Begins at the first page again.
 *
 * @param pages As many as the list had when it was read to its end; absent if it was not.
 */
export function anotherPass(
  walk: VerifiedWalk,
  before: string | undefined,
  pages?: number,
): VerifiedWalk {
  const { firstPage, perPage } = walk.list;
  const mostAnswers =
    pages === undefined ? undefined : Math.ceil(walk.maxPasses * pages) + ANSWERS_TO_END;
  return {
    ...walk,
    stage: 'pages',
    plan: [],
    list: startWalk(firstPage, perPage),
    pass: { isWhole: true, digest: '', ...defined({ before, mostAnswers }) },
  };
}

/** Whether a pass of so many pages may still be made, and could show anything. */
export function isWorthAnother(walk: VerifiedWalk, pages: number): boolean {
  const { hasIds, counts, maxPasses, stage, pass } = walk;
  // A remainder that was read page by page is compared with nothing: it takes two passes more.
  const needed = stage === 'pages' && !pass.isWhole ? 2 * pages : pages;
  return hasIds && pages > 0 && counts.answers + needed <= maxPasses * pages + SPARE_ANSWERS;
}

/**
 * Answers beyond `maxPasses` passes: a list that grows does not end a pass before its end, and one of a few pages takes as
 * many again to begin and to end. With four of them 3 passes are enough for a list that stands still, whatever its length;
 * with eight 2 are for one of a few pages.
 */
const SPARE_ANSWERS = 8;
/** A pass over a list that grows faster than it is read has no end. */
const ANSWERS_TO_END = 16;
