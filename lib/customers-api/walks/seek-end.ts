import { defined } from '../../defined.ts';
import { outweighedSign } from '../list-signs.ts';
import { advanceWalk, type Found, foundIn } from '../list-walk.ts';
import type { Page } from '../outcome.ts';
import { isSizeShown, isSizeTold, NO_WINDOW, otherSize } from './as-asked.ts';
import type { ListWalk } from './list-walk-schema.ts';
import { type Window, windowHolding } from './next-window.ts';
import { isBehindEnd, readPages } from './take-pass.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { type Answered, counted, type Step } from './walk-step.ts';

interface LastWindow {
  readonly window: Window;
  readonly taken: Answered;
  /** It ends where the rows that were read before end, and has no others. */
  readonly isAllRead: boolean;
  /** Whether it was asked for before all windows before it were answered. */
  readonly wasAhead: boolean;
}

/**
 * Looks for the end of the list behind a window whose evidence does not show it.
 *
 * @param walk With the rows of the window.
 * @returns `undefined` for a window that does not look like the last one.
 */
export function seekEnd(
  walk: VerifiedWalk,
  page: Page,
  { window, taken, isAllRead, wasAhead }: LastWindow,
): Step | undefined {
  const isShort = page.recordCount < window.size;
  const { list, stage, found } = walk;
  if (!isShort && !isAllRead) return undefined;
  if (stage === 'tail' && found !== undefined) return afterEnd(walk, found, taken, false);
  // Either the list ends here and its answers do not say so, or the API cuts other pages than it is asked for.
  const insists = (list.more ?? []).length > 0 && outweighedSign(list) === undefined;
  if (isShort && insists) return readPages(walk, otherSize(window, page), taken);
  if (isShort && !isSizeShown(walk, window, page)) {
    // One behind it is held, and was full: the list does not end here. Asked for again, both would come without end.
    if (walk.plan.length > 0) return readPages(walk, otherSize(window, page), taken);
    const again = windowHolding(walk.covered - 1, walk.size);
    return { walk: { ...walk, plan: [again] }, taken: { ...taken, next: 'anew' } };
  }
  const confirm: VerifiedWalk = {
    ...walk,
    stage: 'confirm',
    // A window that was not full ended with the last row of a full page. Rows behind that page can move onto it before
    // the page after it is asked for, which is empty then.
    list: isShort ? list : { ...list, isSaidLast: true },
    plan: [{ start: window.start + window.size, size: window.size }],
    endWasAhead: wasAhead || !isShort || !isSizeTold(window, page),
  };
  return { walk: confirm, taken: { ...taken, next: 'anew' } };
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
  const found: VerifiedWalk = {
    ...walk,
    endWasAhead: wasAhead,
    found: foundIn(end),
    ...defined({ totalAtEnd: leastAtEnd(walk.list) }),
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

/** Without a total, the pages that the answer tells of have this many rows at least: all but the last one are full. */
function leastAtEnd({ lastTotal, lastTotalPages = 0, largestPageRecords }: ListWalk) {
  if (lastTotal !== undefined || lastTotalPages < 2) return lastTotal;
  return (lastTotalPages - 1) * largestPageRecords + 1;
}
