import type { Page } from '../outcome.ts';
import type { Window } from './next-window.ts';
import type { VerifiedWalk } from './walk-schema.ts';

/** Whether the API cut the page that it was asked for; a short one may be the last. */
export function isAsAsked({ takesSizes }: VerifiedWalk, { size }: Window, page: Page): boolean {
  const { perPage } = page.evidence;
  if (page.recordCount > size) return false;
  return page.recordCount === size || takesSizes || perPage === undefined || perPage === size;
}

/**
 * A page of another size that has the right number of records by chance: by its own total it would have to have others
 * where it was asked for. Only where no window has shown yet that sizes are taken.
 */
export function isCutOtherwise(
  { takesSizes }: VerifiedWalk,
  { start, size }: Window,
  page: Page,
): boolean {
  const { recordCount, evidence } = page;
  if (takesSizes || recordCount === size || evidence.total === undefined) return false;
  return recordCount !== Math.max(0, evidence.total - start);
}

/**
 * Whether a page that is not full was cut as it was asked for, so that the list ends with it. Some APIs take some sizes
 * and round others down; the size of the first page is one that they take.
 */
export function isSizeShown(walk: VerifiedWalk, window: Window, page: Page): boolean {
  return window.size === walk.size || isSizeTold(window, page);
}

/** Whether the answer itself tells it. An API may give smaller pages for some answers, as while it has much to do. */
export function isSizeTold({ start, size }: Window, { evidence, recordCount }: Page): boolean {
  const { perPage, total } = evidence;
  return perPage === size || total === start + recordCount;
}

/** Why windows cannot be had. */
export function otherSize({ size }: Window, { recordCount, evidence }: Page): string {
  const told = evidence.perPage === undefined ? '' : ` (it says: ${evidence.perPage} a page)`;
  return `The API answered with ${recordCount} records where ${size} were asked for${told}, so that its pages cannot be made to share records.`;
}

export const NO_WINDOW =
  'No size of a page lets the next one share records with what was read. Set perPage to 16 or more.';
