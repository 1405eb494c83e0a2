import type { Page } from '../outcome.ts';
import { type Window, windowAround } from './next-window.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { counted, type Step } from './walk-step.ts';

/**
 * Windows that are asked for in front of the same held one. Each gets on by half a page, so that three bridge a page
 * and a half; a list that moved further between two answers is searched, see `afterGap`. With one, lists of 50 records
 * a page and three changes a request took up to a tenth more requests; with five, as many (`npm run bench -- walks`).
 */
const MOST_IN_FRONT = 3;

/**
 * The window shares no row with what was read. It is held, as is all that was asked for behind it, and one window more
 * is asked for in front of it, around the place where the two should meet. Nearly always that one shares rows with
 * both. A search instead asks anew for all that is under way, some six to nine requests.
 *
 * @returns `undefined` where the place has to be searched for.
 */
export function holdWindow(walk: VerifiedWalk, window: Window, page: Page): Step | undefined {
  const { stage, gap, plan, held = 0, covered, size } = walk;
  const isInFront = plan.length > 1;
  // A short one is at the end of the list or behind it, and nothing was asked for behind it.
  const isShort = page.recordCount < window.size;
  if (stage !== 'chain' || gap !== undefined || isInFront || isShort) return undefined;
  if (held === MOST_IN_FRONT) return undefined;
  // It is taken later, and counted then.
  const counts = counted(walk, { gaps: held === 0 ? 1 : 0, answers: -1 });
  return {
    walk: { ...walk, counts, held: held + 1, plan: [windowAround(covered, size), window] },
    taken: { kind: 'held', next: 'in-front' },
  };
}
