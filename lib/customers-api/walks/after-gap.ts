import type { Page } from '../outcome.ts';
import { endIdTexts } from '../record-places.ts';
import { stepBetween } from './id-order.ts';
import { overlapOf, type Window, windowFrom } from './next-window.ts';
import { readPages } from './take-pass.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { counted, type Step } from './walk-step.ts';

type Gap = NonNullable<VerifiedWalk['gap']>;

/** So many windows in a row without a shared row are a list whose order changes from answer to answer. */
const MAX_TRIES = 16;
/** Answers that a walk may need beyond `maxPasses`, to end what it has begun. */
const SPARE_ANSWERS = 16;
const FIRST_STEP_ROWS = 16;

/**
 * More rows moved than the window was to share. So another one is asked for, further to the front if rows were removed,
 * further to the end if rows were added: ids tell which, else totals, else both are tried in turn.
 */
export function afterGap(walk: VerifiedWalk, window: Window, page: Page): Step {
  const { gap: before, held, ...others } = walk;
  const gap = { ...(before ?? { tries: 0 }), ...boundBy(walk, window, page) };
  const tried = { ...gap, tries: gap.tries + 1 };
  const counts = counted(walk, { gaps: before === undefined && held === undefined ? 1 : 0 });
  const searching: VerifiedWalk = { ...others, counts, gap: tried };
  if (gap.tries === MAX_TRIES || hasSpentAll(searching)) {
    return readPages({ ...searching, order: 'unstable' }, UNSTABLE);
  }
  const next = windowFrom(Math.max(0, startAfter(searching, tried, page)), walk.size);
  return {
    walk: { ...searching, plan: [next] },
    taken: { kind: 'dropped', next: 'anew' },
  };
}

export function hasSpentAll({ counts, maxPasses, size, list, covered }: VerifiedWalk): boolean {
  const pages = Math.ceil(Math.max(list.lastTotal ?? 0, covered) / Math.max(1, size));
  return counts.answers > maxPasses * pages + SPARE_ANSWERS;
}

/** By the ids, if they tell on which side of the last known row the window lies. */
function boundBy(
  { idOrder, lastId }: VerifiedWalk,
  { start }: Window,
  page: Page,
): Pick<Gap, 'low' | 'high'> {
  // A window past the end of the list.
  if (page.recordCount === 0) return { high: start };
  if (lastId === undefined || idOrder === 'none' || idOrder === 'one') return {};
  const { first, last } = endIdTexts(page.ndjson, page.idKey);
  if (stepBetween(lastId, first) === idOrder) return { high: start };
  return stepBetween(last, lastId) === idOrder ? { low: start } : {};
}

function startAfter(walk: VerifiedWalk, { tries, low, high }: Gap, page: Page): number {
  const { covered, size } = walk;
  const expected = covered - overlapOf(size);
  if (low !== undefined && high !== undefined) return (low + high) >> 1;
  const moved = movedRows(walk, page);
  // The place is not exact, so it is to be in the middle of the window.
  if (tries === 1 && moved !== 0) return expected + moved - (size >> 1);
  const step = Math.min(FIRST_STEP_ROWS * 2 ** tries, 16 * size);
  if (high !== undefined) return Math.min(high, expected) - step;
  if (low !== undefined) return Math.max(low, expected) + step;
  // Both directions by turns, and twice as far each time.
  const far = FIRST_STEP_ROWS * 2 ** (tries >> 1);
  return tries % 2 === 1 ? expected - far : expected + far - size;
}

/** By the totals, as if what was added or removed were spread over the whole list. */
function movedRows({ list, covered }: VerifiedWalk, { evidence }: Page): number {
  const { total } = evidence;
  const { lastTotal } = list;
  if (total === undefined || lastTotal === undefined || lastTotal === 0) return 0;
  return Math.round(((total - lastTotal) * covered) / lastTotal);
}

const UNSTABLE =
  'Neighbouring pages did not share the records that they should, however far back they were read again: the order of the list changes from answer to answer, or faster than it can be read. Name a fixed order in the query of the list, if the API has one.';
