import type { ListOutcome, Page, Refusal, Unavailable } from '../outcome.ts';
import type { PageAsk, Taken } from './taken.ts';
import type { FastWalk, VerifiedWalk } from './walk-schema.ts';

/** How far a walk is, as plain JSON of at most 4 KB. */
export type Walk = FastWalk | VerifiedWalk;

/**
 * Reads one list to its end: says what to ask for, and takes the answers in the order of the asks. It decides by
 * nothing but its state and the answers, so that a walk goes on in another process as it would have in this one.
 */
export interface Walker {
  /**
   * The page to ask for, counted from the one that {@link Walker.take} expects next, which is 0 and always there.
   * `undefined`: not to be asked for ahead of earlier answers.
   */
  ask(ahead: number): PageAsk | undefined;
  /** Takes the answer to `ask(0)`. */
  take(page: Page): Taken;
  /**
   * Takes a refusal in answer to `ask(0)`: the list ended before, or the API does not take the size of the page.
   *
   * @returns `undefined` if it is neither: it stays an error.
   */
  refused(refusal: Refusal): Taken | undefined;
  /**
   * Takes a failure in answer to `ask(0)` where the page need not be there.
   *
   * @returns `undefined` if it has to be asked for again.
   */
  failed(outcome: Unavailable): Taken | undefined;
  /** As of the latest answer. */
  readonly state: Walk;
}

/** What a walk takes an answer to `ask(0)` for that is no page. @returns `undefined` if it stays an error. */
export function takenWithoutPage(walker: Walker, outcome: ListOutcome): Taken | undefined {
  if (outcome.kind === 'unavailable') return walker.failed(outcome);
  return outcome.kind === 'refused' ? walker.refused(outcome) : undefined;
}
