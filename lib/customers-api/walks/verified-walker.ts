import { defined } from '../../defined.ts';
import { lastPageHint } from '../list-signs.ts';
import { endOnRefusal } from '../list-walk.ts';
import type { Page, Refusal, Unavailable } from '../outcome.ts';
import { pageAhead } from './fast-walker.ts';
import { nextWindow, type Window } from './next-window.ts';
import {
  askBefore,
  askBeforeEnd,
  isBeforeNext,
  missedBefore,
  refusedFirstAgain,
  takeBefore,
  takeFirstAgain,
} from './page-before.ts';
import { afterEnd, takeConfirmation } from './seek-end.ts';
import { pageBackward, refusedBackward, takeBackward } from './take-backward.ts';
import { isFrontAsked, refusedSecond, takeFirst, takeSecond, withIdsOf } from './take-first.ts';
import { checkFront } from './take-front.ts';
import {
  askAgain,
  endPass,
  endUnequal,
  isEndBehind,
  isReadAgain,
  readPages,
  takePass,
} from './take-pass.ts';
import { takeWindow } from './take-window.ts';
import type { PageAsk, Taken } from './taken.ts';
import { proofOf } from './walk-proof.ts';
import type { VerifiedWalk } from './walk-schema.ts';
import { counted, type Step } from './walk-step.ts';
import type { Walker } from './walker.ts';

/**
 * Reads a list by windows that share rows with their neighbours, and its front and its end again where records may
 * have moved there; by passes where windows cannot be had. docs/walk-proofs.md has the argument.
 */
export class VerifiedWalker implements Walker {
  #walk: VerifiedWalk;
  /** How many asks after the next one were handed out, and whether the next one was before it was the next. */
  #ahead = 0;
  #wasAhead = false;

  constructor(walk: VerifiedWalk) {
    this.#walk = walk;
  }

  get state(): VerifiedWalk {
    return this.#walk;
  }

  ask(ahead: number): PageAsk | undefined {
    const asked = this.#asked(ahead);
    if (asked !== undefined) this.#ahead = Math.max(this.#ahead, ahead);
    return asked;
  }

  take(page: Page): Taken {
    const walk = this.#answered();
    const idKey = walk.idKey ?? (page.recordCount > 0 ? page.idKey : undefined);
    const before = withIdsOf({ ...walk, ...defined({ idKey }) }, page);
    return this.#moveOn(this.#stepOf(before, page));
  }

  refused(refusal: Refusal): Taken | undefined {
    const step = this.#refusedStep(refusal);
    return step && this.#moveOn(step);
  }

  failed(outcome: Unavailable): Taken | undefined {
    // What the caller ended is no failure of the API.
    if (outcome.reason === 'aborted') return undefined;
    const step = missedBefore(this.#answered(), outcome);
    return step && this.#moveOn(step);
  }

  #asked(ahead: number): PageAsk | undefined {
    const { stage, list, idKey, gap, isOnlyPage, endWasAhead, before } = this.#walk;
    if (before === 'asked' || before === 'first') return ahead > 0 ? undefined : this.#askBefore();
    if (ahead > 0 && (isOnlyPage === true || endWasAhead)) return undefined;
    if (isFrontAsked(this.#walk)) return this.#askForFirst();
    // The last one is asked for when all before it were answered, see `takePass`.
    if (stage === 'pages' || isOnlyPage === true) {
      if (ahead > 0 && mayEndPass(this.#walk, ahead)) return undefined;
      return pageAhead(list, ahead, idKey, 1);
    }
    // Where the list went on is not known before the gap is closed.
    if (ahead > 0 && gap !== undefined) return undefined;
    if (stage === 'chain') {
      const window = this.#windowAt(ahead);
      if (window === undefined || (ahead > 0 && this.#mayBeLast(window))) return undefined;
      return this.#askFor(window);
    }
    // A page that is asked for before the one after it was answered can lose rows to it unseen.
    if (ahead > 0) return undefined;
    if (stage === 'backward') {
      return { page: pageBackward(this.#walk), ...defined({ perPage: list.perPage, idKey }) };
    }
    const [window] = this.#walk.plan;
    // The first page and the front are asked for as a walk page by page does.
    return window === undefined ? this.#askForFirst() : this.#askFor(window);
  }

  #askForFirst(): PageAsk {
    const { list, idKey } = this.#walk;
    return { page: list.firstPage, ...defined({ perPage: list.perPage, idKey }) };
  }

  #askBefore(): PageAsk {
    const first = this.#askForFirst();
    return isBeforeNext(this.#walk) ? { ...first, page: first.page - 1, isProbe: true } : first;
  }

  #askFor({ start, size }: Window): PageAsk {
    const { list, idKey } = this.#walk;
    return { page: list.firstPage + start / size, perPage: size, ...defined({ idKey }) };
  }

  /** Each begins where the one before ends, so that it is the same one whenever it is asked for. */
  #windowAt(ahead: number): Window | undefined {
    const { plan, size } = this.#walk;
    let window = plan[Math.min(ahead, plan.length - 1)];
    for (let at = plan.length; at <= ahead && window !== undefined; at++) {
      window = nextWindow(window.start + window.size, size);
    }
    return window;
  }

  /** The window at the end of the list is asked for when all others are answered: records may move there. */
  #mayBeLast({ start, size }: Window): boolean {
    const { lastTotal, lastTotalPages, largestPageRecords } = this.#walk.list;
    const total =
      lastTotal ?? (lastTotalPages === undefined ? undefined : lastTotalPages * largestPageRecords);
    return total !== undefined && start + size >= total;
  }

  #stepOf(walk: VerifiedWalk, page: Page): Step {
    if (walk.before === 'asked') return takeBefore(walk, page);
    if (walk.before === 'first') return takeFirstAgain(walk, page);
    if (walk.isOnlyPage === true) return takeSecond(walk, page);
    switch (walk.stage) {
      case 'first':
        return askBefore(takeFirst(walk, page), page);
      case 'chain':
      case 'tail':
        return takeWindow(walk, page, this.#wasAhead);
      case 'confirm':
        return takeConfirmation(walk, page);
      case 'front':
        return checkFront(walk, page);
      case 'pages':
        return takePass(walk, page, this.#wasAhead);
      case 'backward':
        return takeBackward(walk, page);
    }
  }

  #answered(): VerifiedWalk {
    return { ...this.#walk, counts: counted(this.#walk, { answers: 1 }) };
  }

  #refusedStep(refusal: Refusal): Step | undefined {
    const { status = 0 } = refusal;
    const walk = this.#answered();
    const { stage, list, isOnlyPage } = walk;
    if (walk.before === 'asked') return missedBefore(walk, refusal);
    if (walk.before === 'first') return refusedFirstAgain(walk, status);
    if (isOnlyPage === true) return refusedSecond(walk, refusal);
    const end = endOnRefusal(list, refusal);
    if (stage === 'backward') return refusedBackward(walk, refusal);
    if (stage === 'first') return undefined;
    if (stage === 'front') return endUnequal(walk, refusedAgain(status));
    if (end?.kind === 'end' && stage !== 'chain') {
      if (stage !== 'pages') return afterEnd(walk, end, { kind: 'dropped', next: 'anew' });
      const isTooEarly = this.#wasAhead && isEndBehind(list);
      return isTooEarly ? askAgain(walk) : endPass(walk, end, 'dropped');
    }
    if (stage === 'pages' && isReadAgain(walk)) return endUnequal(walk, refusedAgain(status));
    if (stage === 'pages' || status < 400 || status > 499) return undefined;
    return readPages(walk, refusedSize(status));
  }

  #moveOn({ walk, taken }: Step): Taken {
    if (taken.kind === 'refused') return taken;
    if (taken.kind === 'held') {
      // What is asked for in front of it comes after all that was asked for.
      this.#ahead++;
      this.#wasAhead = false;
      this.#walk = walk;
      return taken;
    }
    const isAnew = taken.next === 'anew';
    this.#wasAhead = !isAnew && this.#ahead > 0;
    this.#ahead = isAnew ? 0 : Math.max(0, this.#ahead - 1);
    const counts = taken.kind === 'dropped' ? counted(walk, { dropped: 1 }) : walk.counts;
    this.#walk = { ...walk, counts };
    const { isOver, ...rest } = taken;
    if (isOver !== true || walk.found === undefined) return rest;
    const proof = proofOf(this.#walk);
    const asking = proof.by === undefined ? undefined : askBeforeEnd(this.#walk);
    if (asking === undefined) return { ...rest, end: { ...walk.found, proof } };
    this.#walk = asking;
    return { ...rest, next: 'anew' };
  }
}

/**
 * Whether the list ended with that page, or in front of it, when it was read before, and no answer of this pass has told of
 * its end yet.
 */
function mayEndPass(walk: VerifiedWalk, ahead: number): boolean {
  const { list, size, covered } = walk;
  if (!isReadAgain(walk) || lastPageHint(list) !== undefined) return false;
  return (list.nextPage - list.firstPage + ahead + 1) * size >= covered;
}

function refusedSize(status: number): string {
  return `The API answered a page of another size with status ${status}, so that its pages cannot be made to share records.`;
}

function refusedAgain(status: number): string {
  return `The API answered with status ${status}.`;
}
