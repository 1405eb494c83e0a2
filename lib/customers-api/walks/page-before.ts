import type { Page } from '../outcome.ts';
import { linkRows } from './link-rows.ts';
import { RowMarks } from './row-marks.ts';
import { type Answered, counted, type Step } from './verified-walk.ts';
import type { VerifiedWalk } from './walk-schema.ts';

/**
 * Whether pages may be counted from 0 while the first one is 1, and nothing shows it: page 1 would be the second one.
 * Counts do not fit the records then, and of a list that says which page comes before one it is refused.
 */
export function mayHaveBefore(firstPage: number, { evidence }: Page): boolean {
  const { total, totalPages, previousPage } = evidence;
  return firstPage === 1 && (total ?? totalPages ?? previousPage) === undefined;
}

/** Asks for page 0 behind the first page, before anything else moves the list. */
export function askBefore({ walk, taken }: Step): Step {
  // Without ids nothing is shown in any case.
  if (taken.kind !== 'page' || !walk.hasIds) return { walk, taken };
  const { isOver: _isOver, ...others } = taken;
  return { walk: { ...walk, before: 'asked' }, taken: { ...others, next: 'anew' } };
}

/** Page 0: many APIs answer it as page 1, others without records. */
export function takeBefore(walk: VerifiedWalk, page: Page): Step {
  return onward(walk, isFirstOrNone(walk, page) ? undefined : 'others');
}

/** An API that refuses page 0, or fails by it, counts from 1. */
export function refusedBefore(walk: VerifiedWalk): Step {
  return onward(walk, undefined);
}

/** The list may have moved since the first page came: most of its rows are there still. */
function isFirstOrNone({ list, front }: VerifiedWalk, page: Page): boolean {
  if (page.recordCount === 0 || page.fingerprint === list.firstFingerprint) return true;
  const known = RowMarks.parse(front);
  return known.length > 0 && 2 * linkRows(known, RowMarks.of(page)).shared >= known.length;
}

function onward({ before: _before, ...others }: VerifiedWalk, before: 'others' | undefined): Step {
  // It is no page of the list.
  const walk = { ...others, counts: counted(others, { answers: -1, dropped: -1 }) };
  const dropped: Answered = { kind: 'dropped', next: 'anew' };
  const isOver = walk.stage === 'first' && walk.isOnlyPage !== true;
  return {
    walk: before === undefined ? walk : { ...walk, before },
    taken: isOver ? { ...dropped, isOver } : dropped,
  };
}

export const BEFORE_FIRST =
  'Page 0 has other records than page 1: the API counts from 0, and its first page was not read. Set firstPage to 0.';
