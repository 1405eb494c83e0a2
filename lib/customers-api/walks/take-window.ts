import { defined } from '../../defined.ts';
import { COUNTLESS, withRecords } from '../distinct-records.ts';
import { advanceWalk } from '../list-walk.ts';
import type { Page } from '../outcome.ts';
import { passDigest } from '../record-hashes.ts';
import { endIdTexts } from '../record-places.ts';
import { afterGap, hasSpentAll } from './after-gap.ts';
import { isAsAsked, isCutOtherwise, NO_WINDOW, otherSize } from './as-asked.ts';
import { holdWindow } from './hold-window.ts';
import type { IdOrder } from './id-order.ts';
import { type Link, linkRows } from './link-rows.ts';
import type { ListWalk } from './list-walk-schema.ts';
import { nextWindow, type Window } from './next-window.ts';
import { RowMarks } from './row-marks.ts';
import { afterEnd, seekEnd } from './seek-end.ts';
import { frontWith, TAIL_ROWS } from './take-first.ts';
import { isEnd, readPages } from './take-pass.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { type Answered, counted, type Step, withOrderIn } from './walk-step.ts';

/** A window of the chain, or one of the check at its end. */
export function takeWindow(answered: VerifiedWalk, page: Page, wasAhead: boolean): Step {
  const walk = withOrderIn(answered, page);
  const [window, ...later] = walk.plan;
  if (window === undefined) return readPages(walk, NO_WINDOW);
  if (!isAsAsked(walk, window, page)) return readPages(walk, otherSize(window, page));
  const marks = RowMarks.of(page);
  const known = RowMarks.parse(walk.tail);
  const link = linkRows(known, marks);
  if (!link.isLinked) {
    if (isCutOtherwise(walk, window, page)) return readPages(walk, otherSize(window, page));
    const hasGap = (walk.gap ?? walk.held) !== undefined;
    // It was asked for to share many rows: so many are not edited at once.
    const isRewritten = link.shared > 1 && link.unchanged.length === 0;
    if (hasGap && isRewritten) return readPages(withoutGap(walk), REWRITTEN);
    return holdWindow(walk, window, page) ?? afterGap(walk, window, page);
  }
  const { walk: list, decision } = advanceWalk(evidenceBefore(walk.list, window), page);
  if (decision.kind === 'refused') return readPages(walk, decision.message);
  const linked = withRows(walk, page, { window, later, link, list, known, marks });
  const taken = {
    kind: link.unchanged.length === page.recordCount ? 'dropped' : 'page',
    skip: link.unchanged,
    shared: link.shared,
    again: Math.max(link.afterShared, (walk.reached ?? 0) - window.start),
    next: 'on',
  } as const;
  if (isEnd(decision, page, list)) return afterEnd(linked, decision, taken, wasAhead);
  const hasNothingNew = link.afterShared === page.recordCount;
  // One that was looked for, or asked for in front of another one, may end anywhere.
  const isSought = (walk.gap ?? walk.held) !== undefined;
  // A full window does not show what stands behind it now: the next one does, which begins in front of its end. But a
  // first page that had the same records before the page behind it was empty has had them all the time.
  const endsAsBefore =
    walk.stage === 'tail'
      ? window.start === 0 && !isSought && walk.list.recentFingerprints.includes(page.fingerprint)
      : !(isSought && walk.takesSizes) && linked.covered <= walk.covered;
  const isAllRead = hasNothingNew && endsAsBefore;
  return (
    seekEnd(linked, page, { window, taken, isAllRead, wasAhead }) ??
    goOn(walk, linked, taken, hasNothingNew)
  );
}

/** What looked like a gap was none. */
function withoutGap(walk: VerifiedWalk): VerifiedWalk {
  return { ...walk, counts: counted(walk, { gaps: -1 }) };
}

/** The next window, behind one that does not end the list. */
function goOn(
  before: VerifiedWalk,
  walk: VerifiedWalk,
  taken: Answered,
  hasNothingNew: boolean,
): Step {
  // A window begins before the end of what was read and ends behind it, so it has new rows wherever `page` is known.
  // One that was held, or asked for in front of it, need not.
  const isPlain = walk.stage === 'chain' && (before.gap ?? before.held) === undefined;
  if (isPlain && hasNothingNew) return readPages(walk, STANDING, taken);
  if (hasSpentAll(walk)) return readPages(walk, TOO_FAST, taken);
  if (walk.plan.length > 0) return { walk: { ...walk, ...defined({ held: before.held }) }, taken };
  const next = nextWindow(walk.covered, walk.size);
  if (next === undefined) return readPages(walk, NO_WINDOW, taken);
  return { walk: { ...walk, plan: [next] }, taken };
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
  const { gap: _gap, held: _held, lastId: _lastId, reached: _reached, ...others } = walk;
  const covered = window.start + rows;
  const reached = Math.max(walk.covered, walk.reached ?? 0);
  return {
    ...others,
    list: {
      ...list,
      ...defined({ firstFingerprint: walk.list.firstFingerprint }),
      distinctRecords: withRecords(walk.list.distinctRecords, page.recordHashes),
    },
    covered,
    ...(reached > covered && { reached }),
    plan: later,
    tail: `${tailAfter(known, marks, link)}`,
    front: frontWith(walk.front, marks),
    takesSizes: walk.takesSizes || (rows === window.size && rows !== walk.size),
    ...lastIdOf(walk.idOrder, page),
    stored: walk.stored + rows - skipped,
    pass: { ...walk.pass, digest: digestAfter(walk, page, link) },
    counts: counted(walk, { skipped, recovered: recoveredBy(walk, window, link, rows) }),
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

const REWRITTEN =
  'Records that came on two pages had another text on each, as those with a signed link or the present time have, so that pages cannot be made to share records.';

const STANDING =
  'A page had nothing but records that were read before, so that pages cannot be made to share records.';
