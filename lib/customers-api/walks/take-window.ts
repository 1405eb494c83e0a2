import { defined } from '../../defined.ts';
import { COUNTLESS, withRecords } from '../distinct-records.ts';
import { outweighedSign } from '../list-signs.ts';
import { advanceWalk, type Found, foundIn } from '../list-walk.ts';
import type { Page } from '../outcome.ts';
import { endIdTexts } from '../record-places.ts';
import type { ListWalk } from '../walk-state.ts';
import { afterGap, hasSpentAll } from './after-gap.ts';
import { isAsAsked, isCutOtherwise, isSizeShown, otherSize } from './as-asked.ts';
import { orderedOn } from './dated-order.ts';
import { holdWindow } from './hold-window.ts';
import { type IdOrder, idOrderIn, withOrder } from './id-order.ts';
import { type Link, linkRows } from './link-rows.ts';
import { nextWindow, type Window, windowHolding } from './next-window.ts';
import { passDigest } from './pass-digest.ts';
import { RowMarks } from './row-marks.ts';
import { TAIL_ROWS } from './take-first.ts';
import { isBehindEnd, isEnd, readPages } from './take-pass.ts';
import { type Answered, counted, type Step } from './verified-walk.ts';
import type { VerifiedWalk } from './walk-schema.ts';

/** A window of the chain, or one of the check at its end. */
export function takeWindow(walk: VerifiedWalk, page: Page, wasAhead: boolean): Step {
  const [window, ...later] = walk.plan;
  if (window === undefined) return readPages(walk, NO_WINDOW);
  if (!isAsAsked(walk, window, page)) return readPages(walk, otherSize(window, page));
  const marks = RowMarks.of(page);
  const known = RowMarks.parse(walk.tail);
  const link = linkRows(known, marks);
  if (!link.isLinked) {
    if (isCutOtherwise(walk, window, page)) return readPages(walk, otherSize(window, page));
    return holdWindow(walk, window, page) ?? afterGap(walk, window, page);
  }
  const { walk: list, decision } = advanceWalk(evidenceBefore(walk.list, window), page);
  if (decision.kind === 'refused') return readPages(walk, decision.message);
  const rows = page.recordCount;
  const skipped = link.unchanged.length;
  const linked = withRows(walk, page, { window, later, link, list, known, marks });
  const taken = {
    kind: skipped === rows ? 'dropped' : 'page',
    skip: link.unchanged,
    shared: link.shared,
    next: 'on',
  } as const;
  if (isEnd(decision, page, list)) return afterEnd(linked, decision, taken, wasAhead);
  const isShort = rows < window.size;
  const isAtEnd = walk.stage === 'tail' && walk.found !== undefined;
  // Either the list ends here and its answers do not say so, or the API cuts other pages than it is asked for.
  const insists = (list.more ?? []).length > 0 && outweighedSign(list) === undefined;
  if (isShort && insists && !isAtEnd) return readPages(linked, otherSize(window, page), taken);
  if (isShort && !isSizeShown(walk, window, page)) {
    const again = windowHolding(linked.covered - 1, walk.size);
    return { walk: { ...linked, plan: [again] }, taken: { ...taken, next: 'anew' } };
  }
  const hasNothingNew = link.afterShared === rows;
  const isAllRead = !isShort && hasNothingNew && window.start + window.size <= walk.covered;
  if ((isShort || isAllRead) && isAtEnd) return afterEnd(linked, walk.found, taken, false);
  if (isShort || isAllRead) {
    const after = { start: window.start + window.size, size: window.size };
    // A window that was not full ended with the last row of a full page. Rows behind that page can move onto it before
    // the page after it is asked for, which is empty then.
    const confirm = {
      ...linked,
      stage: 'confirm',
      list: isAllRead ? { ...linked.list, isSaidLast: true } : linked.list,
      plan: [after],
      endWasAhead: wasAhead || isAllRead,
    } as const;
    return { walk: confirm, taken: { ...taken, next: 'anew' } };
  }
  // A window begins before the end of what was read and ends behind it, so it has new rows wherever `page` is known.
  // One that was held, or asked for in front of it, need not.
  const isPlain = walk.stage === 'chain' && walk.gap === undefined && walk.held === undefined;
  if (isPlain && hasNothingNew) return readPages(linked, STANDING, taken);
  if (hasSpentAll(linked)) return readPages(linked, TOO_FAST, taken);
  if (later.length > 0) return { walk: { ...linked, ...defined({ held: walk.held }) }, taken };
  const next = nextWindow(linked.covered, linked.size);
  if (next === undefined) return readPages(linked, NO_WINDOW, taken);
  return { walk: { ...linked, plan: [next] }, taken };
}

interface LinkedWindow {
  readonly window: Window;
  /** Those that are asked for behind it. */
  readonly later: readonly Window[];
  readonly known: RowMarks;
  readonly marks: RowMarks;
  readonly link: Link;
  /** With the evidence of its page. */
  readonly list: ListWalk;
}

/** The walk with the rows of a window that shares rows with what was read. */
function withRows(
  walk: VerifiedWalk,
  page: Page,
  { window, later, known, marks, link, list }: LinkedWindow,
): VerifiedWalk {
  const rows = page.recordCount;
  const skipped = link.unchanged.length;
  const idOrder = withOrder(walk.idOrder, idOrderIn(page));
  const { gap: _gap, held: _held, lastId: _lastId, ...others } = walk;
  return {
    ...others,
    list: {
      ...list,
      ...defined({ firstFingerprint: walk.list.firstFingerprint }),
      distinctRecords: withRecords(walk.list.distinctRecords, page.recordHashes),
    },
    covered: window.start + rows,
    plan: later,
    tail: `${tailAfter(known, marks, link)}`,
    takesSizes: walk.takesSizes || (rows === window.size && rows !== walk.size),
    idOrder,
    dated: orderedOn(walk.dated, page),
    ...lastIdOf(idOrder, page),
    stored: walk.stored + rows - skipped,
    pass: { ...walk.pass, digest: digestAfter(walk, page, link) },
    counts: counted(walk, { skipped, recovered: recoveredBy(walk, window, link, rows) }),
  };
}

/** The page after a short one. */
export function takeConfirmation(walk: VerifiedWalk, page: Page): Step {
  const { walk: list, decision } = advanceWalk(walk.list, page);
  if (isBehindEnd(decision, page)) {
    return afterEnd({ ...walk, list }, decision, { kind: 'dropped', next: 'anew' });
  }
  const [window] = walk.plan;
  return readPages(walk, window === undefined ? NO_WINDOW : otherSize(window, page));
}

/** The end of the list was found: what is left to be checked? */
export function afterEnd(
  walk: VerifiedWalk,
  end: Found,
  taken: Answered,
  wasAhead = walk.endWasAhead,
): Step {
  const { lastTotal } = walk.list;
  const found: VerifiedWalk = {
    ...walk,
    endWasAhead: wasAhead,
    found: foundIn(end),
    ...defined({ totalAtEnd: lastTotal }),
  };
  return {
    walk: wasAhead
      ? {
          ...found,
          stage: 'tail',
          endWasAhead: false,
          plan: [windowHolding(walk.covered - 1, walk.size)],
          counts: counted(found, { tailChecks: 1 }),
        }
      : {
          ...found,
          stage: 'front',
          plan: [],
          frontFromRow: found.stored,
          counts: counted(found, { frontChecks: 1 }),
        },
    taken: { ...taken, next: 'anew' },
  };
}

/** The evidence as if the rows before the window had come page by page. */
export function evidenceBefore(list: ListWalk, { start, size }: Window): ListWalk {
  const { lastCurrentPage: _page, firstFingerprint: _first, ...rest } = list;
  return {
    ...rest,
    nextPage: list.firstPage + start / size,
    records: start,
    largestPageRecords: size,
    lastPageRecords: size,
    recentFingerprints: [],
    // Rows come again where others were added in front; that it gets on is known by the rows that are shared.
    distinctRecords: COUNTLESS,
  };
}

/** A longer id would make the state too large. */
export const MAX_ID_CHARACTERS = 64;

function lastIdOf(order: IdOrder, page: Page): { readonly lastId?: string } {
  if (order === 'none' || page.recordCount === 0) return {};
  const { last: lastId } = endIdTexts(page.ndjson, page.idKey);
  return lastId.length <= MAX_ID_CHARACTERS ? { lastId } : {};
}

/** The last rows as they were read last: those before the page, and the page. */
function tailAfter(known: RowMarks, page: RowMarks, { firstKnown }: Link): RowMarks {
  if (page.length >= TAIL_ROWS) return page.last(TAIL_ROWS);
  return known.first(firstKnown).followedBy(page).last(TAIL_ROWS);
}

/** Of the rows that are new, so that it is the digest of a pass if the list stands still. */
function digestAfter({ pass }: VerifiedWalk, { recordHashes }: Page, link: Link): string {
  return passDigest(pass.digest, recordHashes.subarray(2 * link.afterShared));
}

/** Rows at places that were read before the rows moved there. */
function recoveredBy({ covered }: VerifiedWalk, { start }: Window, link: Link, rows: number) {
  return Math.max(0, Math.min(covered - start, rows) - link.afterShared);
}

const TOO_FAST =
  'The list grew faster than it could be read within maxPasses. Export it when it changes less, or set maxPasses to more.';

const STANDING =
  'A page had nothing but records that were read before, so that pages cannot be made to share records.';

const NO_WINDOW =
  'No size of a page lets the next one share records with what was read. Set perPage to 16 or more.';
