import { advanceWalk, foundIn, isPastEnd, type WalkDecision } from '../list-walk.ts';
import type { Page, Refusal } from '../outcome.ts';
import { idTexts } from '../record-places.ts';
import { isRising, lastPage, leastRowsOf } from './begin-backward.ts';
import { idOrderOf, stepBetween, withOrder } from './id-order.ts';
import { linkRows } from './link-rows.ts';
import { RowMarks } from './row-marks.ts';
import { TAIL_ROWS } from './take-first.ts';
import { anotherPass, isEnd, isWorthAnother } from './take-pass.ts';
import { evidenceBefore, MAX_ID_CHARACTERS } from './take-window.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { type Answered, counted, type Step } from './walk-step.ts';

type Backward = NonNullable<VerifiedWalk['backward']>;
type Reading = VerifiedWalk & { readonly backward: Backward };
type Kind = Pick<Answered, 'kind' | 'skip'>;

/** Pages that may be asked for beside the one that was named as the last, until the end of the list is found. */
const MAX_TRIES = 8;

const NOTHING: Kind = { kind: 'dropped' };

/**
 * A page on the way from the end of the list to its first row. It was asked for when the page after it was answered: so
 * no deletion can have moved a row from it to a page that was read.
 */
export function takeBackward(answered: VerifiedWalk, page: Page): Step {
  const walk = reading(answered);
  const { backward, size } = walk;
  const start = backward.page * size;
  const { walk: list, decision: told } = advanceWalk(
    evidenceBefore(walk.list, { start, size }),
    page,
  );
  const decision = isPastTotal(page, start) ? PAST_TOTAL : told;
  if (decision.kind === 'refused') return giveUp(walk, decision.message, NOTHING);
  const ids = idTexts(page.ndjson, page.recordCount, page.idKey);
  const marks = RowMarks.of(page);
  const skip = storedRows(walk, marks);
  const added = page.recordCount - skip.length;
  const kind: Kind = added === 0 ? NOTHING : { kind: 'page', skip };
  const idOrder = withOrder(walk.idOrder, idOrderOf(ids));
  const read: Reading = {
    ...walk,
    list,
    idOrder,
    stored: walk.stored + added,
    counts: counted(walk, { skipped: skip.length }),
  };
  if (!isRising(idOrder) || ids.some(({ length }) => length > MAX_ID_CHARACTERS)) {
    return giveUp(read, NOT_RISING, kind);
  }
  if (!backward.isEndKnown && !isEnd(decision, page, list)) return goUp(read, kind);
  const known = backward.isEndKnown ? read : withEnd(read, decision);
  return goDown(withRows(known, ids, marks), kind, ids[0]);
}

/** The page that is asked for on this way. */
export function pageBackward(walk: VerifiedWalk): number {
  return walk.list.firstPage + reading(walk).backward.page;
}

/** @returns `undefined` if the refusal does not say that the list ended before: it stays an error. */
export function refusedBackward(answered: VerifiedWalk, refusal: Refusal): Step | undefined {
  const walk = reading(answered);
  const { backward, list } = walk;
  if (!isPastEnd(refusal) || backward.page === 0) return undefined;
  // Behind an only page that is full and is not said to be the last one: the API may refuse all others.
  const isBehindOnly = backward.page === 1 && backward.tries > 0;
  if (isBehindOnly && list.isSaidLast !== true) return undefined;
  if (backward.low !== undefined) return giveUp(walk, GONE, NOTHING);
  const tried = withTry(walk);
  if (tried.backward.tries > MAX_TRIES) return giveUp(walk, NO_END, NOTHING);
  const found = { rules: ['refused-past-end'], contradictions: [], missing: 0 } as const;
  const ended = { ...tried, found, backward: { ...tried.backward, isEndKnown: true } };
  return goDown(ended, NOTHING, undefined);
}

/** @param walk Of the stage `backward`. */
function reading(walk: VerifiedWalk): Reading {
  const { backward } = walk;
  if (backward === undefined) throw new Error('The walk goes backward, but from no page.');
  return { ...walk, backward };
}

/** More pages follow than the answers before said. */
function goUp(walk: Reading, kind: Kind): Step {
  const tried = withTry(walk);
  const { backward } = tried;
  if (backward.tries > MAX_TRIES) return giveUp(walk, NO_END, kind);
  return {
    walk: { ...tried, backward: { ...backward, page: backward.page + 1 } },
    taken: { ...kind, next: 'on' },
  };
}

/** The page before, unless the first row of all, or a row of the first way down, is reached. */
function goDown(walk: Reading, kind: Kind, first: string | undefined): Step {
  const { backward } = walk;
  const { page, floor } = backward;
  const isDown = floor !== undefined && first !== undefined && !isBefore(floor, first);
  if (page === 0 || isDown) return endWay(walk, kind);
  return {
    walk: { ...walk, backward: { ...backward, page: page - 1 } },
    taken: { ...kind, next: 'on' },
  };
}

/** After the first way down the end is read again, with what was added meanwhile; then all is read. */
function endWay(walk: Reading, kind: Kind): Step {
  const { backward } = walk;
  const { high, floor, rows, leastRows = 0 } = backward;
  const page = lastPage(walk);
  if (floor === undefined && high !== undefined && page !== undefined) {
    const again: Backward = { page, tries: 0, isEndKnown: false, floor: high, rows, leastRows };
    const counts = counted(walk, { tailChecks: 1 });
    return { walk: { ...walk, backward: again, counts }, taken: { ...kind, next: 'on' } };
  }
  if (rows < leastRows) return giveUp(walk, tooFew(rows, leastRows), kind, true);
  const counts = counted(walk, { passes: 1 });
  return {
    walk: { ...walk, shown: 'backward', order: 'rising', counts },
    taken: { ...kind, next: 'on', isOver: true },
  };
}

/** Page after page, from the first one, unless all pages were read and two passes more would be too many. */
function giveUp(walk: Reading, reason: string, kind: Kind, isAllRead = false): Step {
  const { backward: _backward, ...others } = walk;
  const open = [...walk.open, reason];
  const forward: VerifiedWalk = {
    ...others,
    stage: 'pages',
    open,
    pass: { isWhole: false, digest: '' },
    counts: counted(walk, { passes: 1 }),
  };
  const pages = 1 + (lastPage(walk) ?? 0);
  if (isAllRead && !isWorthAnother(forward, pages)) {
    return { walk: forward, taken: { ...kind, next: 'on', isOver: true } };
  }
  return {
    walk: anotherPass(forward, undefined, isAllRead ? pages : undefined),
    taken: { ...kind, next: 'anew' },
  };
}

/** The list has become shorter since its last page was named: then a link to a next page says nothing. */
function isPastTotal({ recordCount, evidence: { total } }: Page, start: number): boolean {
  return recordCount === 0 && total !== undefined && start >= total;
}

const PAST_TOTAL: WalkDecision = {
  kind: 'end',
  rules: ['empty-page', 'total'],
  contradictions: [],
  missing: 0,
  takeRecords: true,
};

function withTry(walk: Reading): Reading {
  return { ...walk, backward: { ...walk.backward, tries: walk.backward.tries + 1 } };
}

function withEnd(walk: Reading, decision: WalkDecision): Reading {
  if (decision.kind !== 'end') return walk;
  // The list may have become shorter than it was when its last page was named.
  const contradictions = decision.missing > 0 ? decision.contradictions : [];
  const found = { ...foundIn(decision), contradictions };
  return { ...walk, found, backward: { ...walk.backward, isEndKnown: true } };
}

/** Those that were not read on this way down, nor on the one before, count. */
function withRows(walk: Reading, ids: readonly string[], marks: RowMarks): Reading {
  const { backward } = walk;
  const [first] = ids;
  const last = ids.at(-1);
  if (first === undefined || last === undefined) return walk;
  const { low, floor, high = last } = backward;
  const isNew = (id: string) =>
    (low === undefined || isBefore(id, low)) && (floor === undefined || isBefore(floor, id));
  const lowest = low === undefined || isBefore(first, low) ? first : low;
  const rows = backward.rows + ids.filter(isNew).length;
  const isEnd = low === undefined;
  const told = isEnd ? leastRowsOf(walk) : Infinity;
  const leastRows = Math.min(backward.leastRows ?? Infinity, told);
  return {
    ...walk,
    ...(isEnd && { tail: `${marks.last(TAIL_ROWS)}` }),
    backward: { ...backward, low: lowest, high, rows, leastRows },
  };
}

/** Positions of rows of the first page and of the end of the list that are stored as they are. */
function storedRows({ front, tail }: VerifiedWalk, marks: RowMarks): readonly number[] {
  return linkRows(RowMarks.parse(front).followedBy(RowMarks.parse(tail)), marks).unchanged;
}

function isBefore(id: string, other: string): boolean {
  return stepBetween(id, other) === 'rising';
}

const NOT_RISING =
  'The ids do not rise from the first record to the last, so that order: appended is not true of this list. Unset it.';

const NOT_BACKWARD =
  'so that the list could not be read from the last page to the first. Export it when it changes less.';

const NO_END = `The end of the list was not where the answers said, ${NOT_BACKWARD}`;

const GONE = `More than a page of records was removed between two answers, ${NOT_BACKWARD}`;

function tooFew(rows: number, least: number): string {
  return `From the last page to the first ${rows} different records came, but the API reports ${least} or more: its pages do not hold the records that their numbers say.`;
}
