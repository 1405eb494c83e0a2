import { defined } from '../../defined.ts';
import { lastPageHint } from '../list-signs.ts';
import { advanceWalk, endOnRefusal, type Found, foundIn, isFull } from '../list-walk.ts';
import type { Page, Refusal } from '../outcome.ts';
import type { ListWalk } from './list-walk-schema.ts';
import { mayHaveBefore } from './page-before.ts';
import { NO_COUNTS, type PageAsk, type Taken, type WalkEnd } from './taken.ts';
import type { FastWalk } from './walk-schema.ts';
import type { Walker } from './walker.ts';

export class FastWalker implements Walker {
  #walk: FastWalk;

  constructor(walk: FastWalk) {
    this.#walk = walk;
  }

  get state(): FastWalk {
    return this.#walk;
  }

  ask(ahead: number): PageAsk | undefined {
    return pageAhead(this.#walk.list, ahead, this.#walk.idKey);
  }

  take(page: Page): Taken {
    const { walk: list, decision } = advanceWalk(this.#walk.list, page);
    if (decision.kind === 'refused') return decision;
    const idKey = this.#walk.idKey ?? (page.recordCount > 0 ? page.idKey : undefined);
    this.#walk = { kind: 'fast', list, ...defined({ idKey }) };
    const kind = decision.takeRecords ? 'page' : 'dropped';
    const end = decision.kind === 'end' ? endOf(decision, list, doubtIn(list, page)) : undefined;
    return { kind, next: 'on', ...defined({ end }) };
  }

  failed(): undefined {
    return undefined;
  }

  refused(refusal: Refusal): Taken | undefined {
    const decision = endOnRefusal(this.#walk.list, refusal);
    if (decision?.kind !== 'end') return undefined;
    // Behind an only page that is full it ends nothing, see `endOnRefusal`.
    return { kind: 'dropped', next: 'on', end: endOf(decision, this.#walk.list) };
  }
}

/**
 * The page that is so many after the next one, unless the list seems to end before it.
 *
 * @param behind So many pages must seem to follow it. @default 0
 */
export function pageAhead(
  list: ListWalk,
  ahead: number,
  idKey: string | undefined,
  behind = 0,
): PageAsk | undefined {
  // Its records could be told apart by another member than those of the first page.
  if (ahead > 0 && idKey === undefined) return undefined;
  const page = list.nextPage + ahead;
  const last = lastPageHint(list);
  if (ahead > 0 && last !== undefined && page + behind > last) return undefined;
  return { page, ...defined({ perPage: list.perPage, idKey }) };
}

/** @param doubt Why an only page may not be the whole list. */
function endOf(decision: Found, list: ListWalk, doubt?: string): WalkEnd {
  const { lastTotal, firstPage, nextPage } = list;
  const answers = nextPage - firstPage;
  const isOneAnswer = answers <= 1 && doubt === undefined;
  return {
    ...foundIn(decision),
    proof: {
      kind: 'fast',
      order: 'unknown',
      ...(isOneAnswer ? { by: 'one-answer' as const } : {}),
      open: isOneAnswer ? [] : [notCompared(answers, doubt)],
      repeats: { kind: 'moved' },
      counts: { ...NO_COUNTS, answers, passes: 1 },
      ...defined({ lastTotal }),
    },
  };
}

/** Of an only page; a verified walk asks. */
function doubtIn(list: ListWalk, page: Page): string | undefined {
  // More may follow behind a full page, whatever its counts say.
  if (isFull(list, page)) return FULL_PAGE;
  return mayHaveBefore(list, page) ? MAYBE_SECOND : undefined;
}

function notCompared(pages: number, doubt: string | undefined): string {
  if (pages <= 1 && doubt !== undefined) return doubt;
  return `The ${pages} pages were read one after another and share no records (walk: fast): what was added, removed or moved meanwhile can be missing even when all counts agree. Set walk to verified.`;
}

const MAYBE_SECOND =
  'Nothing tells that the only page is the first one, and page 0 was not asked for (walk: fast). Set walk to verified.';

const FULL_PAGE =
  'The only page was full, and no other was asked for (walk: fast): if its counts are older than its records, more may follow. Set walk to verified.';
