import type { Page } from '../outcome.ts';
import { planWindows, windowFrom } from './plan-windows.ts';
import { readPages } from './take-pass.ts';
import { counted, type Step, type VerifiedWalk } from './verified-walk.ts';

/** So many in a row are a list whose order changes from answer to answer. */
const MAX_TRIES = 12;
/** Requests that a walk may need beyond `maxPasses`, to end what it has begun. */
const SPARE_REQUESTS = 16;
const WIDEST_OVERLAP = 16;
const FIRST_STEP_ROWS = 16;

/**
 * A window shares no row with what was read: more rows moved than it was to share. So another one is asked for,
 * further to the front if rows were removed, further to the end if rows were added: twice as far with each try.
 */
export function afterGap(walk: VerifiedWalk, page: Page): Step {
  const isFirstTry = walk.gapTries === 0;
  const tries = walk.gapTries + 1;
  const counts = counted(walk, { gaps: isFirstTry ? 1 : 0 });
  const overlap = isFirstTry ? Math.min(2 * walk.overlap, WIDEST_OVERLAP, walk.size >> 2) : 0;
  const gap: VerifiedWalk = {
    ...walk,
    counts,
    gapTries: tries,
    overlap: Math.max(walk.overlap, overlap),
  };
  if (tries > MAX_TRIES || hasSpentAll(gap)) {
    return readPages({ ...gap, order: 'unstable' }, UNSTABLE, { kind: 'dropped', next: 'anew' });
  }
  const start = Math.max(0, walk.covered - gap.overlap + shiftOf(gap, page, tries));
  const next = windowFrom(start, walk.size);
  const after = planWindows(next.start + next.size, walk.size, gap.overlap);
  return { walk: { ...gap, plan: [next, ...after] }, taken: { kind: 'dropped', next: 'anew' } };
}

export function hasSpentAll({ counts, maxPasses, size, list, covered }: VerifiedWalk): boolean {
  const pages = Math.ceil(Math.max(list.lastTotal ?? 0, covered) / Math.max(1, size));
  return counts.answers > maxPasses * pages + SPARE_REQUESTS;
}

/** Rows by which the list seems to have moved: by the totals, else in both directions by turns. */
function shiftOf({ list, size }: VerifiedWalk, { evidence }: Page, tries: number): number {
  const change = (evidence.total ?? 0) - (list.lastTotal ?? evidence.total ?? 0);
  const step = Math.min(FIRST_STEP_ROWS * 2 ** (tries >> 1), 8 * size);
  if (change > 0) return tries % 2 === 1 ? Math.min(change, step) : -step;
  return tries % 2 === 1 ? -step : step - size;
}

const UNSTABLE =
  'Neighbouring pages did not share the records that they should, however far back they were read again: the order of the list changes from answer to answer, or faster than it can be read. Name a fixed order in the query of the list, if the API has one.';
