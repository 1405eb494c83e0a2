import type { Page } from '../customers-api/outcome.ts';
import { isInside, isRefusedPage, isSamePage, type ReadHistory } from './read-history.ts';

/** The number of the first page, and what showed it. */
export interface FirstPage {
  readonly number: 0 | 1;
  readonly shownBy:
    | 'page-0-refused'
    | 'page-0-empty'
    | 'page-0-is-page-1'
    | 'page-0-has-everything'
    | 'page-0-has-others'
    | 'page-1-refused'
    | 'page-1-empty';
}

/** @returns `undefined` while page 0 or page 1 has no answer, and for a list without records. */
export function firstPageOf(history: ReadHistory): FirstPage | undefined {
  const zero = history.outcomeAt(0);
  const one = history.outcomeAt(1);
  if (zero === undefined || one === undefined) return undefined;
  if (one.kind === 'refused') {
    return zero.kind === 'page' && isRefusedPage(one)
      ? { number: 0, shownBy: 'page-1-refused' }
      : undefined;
  }
  if (zero.kind === 'refused') return { number: 1, shownBy: 'page-0-refused' };
  return compared(zero.page, one.page);
}

function compared(zero: Page, one: Page): FirstPage | undefined {
  if (zero.recordCount === 0 && one.recordCount === 0) return undefined;
  if (zero.recordCount === 0) return { number: 1, shownBy: 'page-0-empty' };
  if (one.recordCount === 0) return { number: 0, shownBy: 'page-1-empty' };
  if (isSamePage(zero, one)) return { number: 1, shownBy: 'page-0-is-page-1' };
  // Some APIs take page 0 to mean that all records are wanted at once.
  if (zero.recordCount > one.recordCount && isInside(one, zero)) {
    return { number: 1, shownBy: 'page-0-has-everything' };
  }
  return { number: 0, shownBy: 'page-0-has-others' };
}
