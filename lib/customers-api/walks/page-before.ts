import { defined } from '../../defined.ts';
import type { Page, Refused, Unavailable } from '../outcome.ts';
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

/** Page 0 is asked for next, and not once more the first page. */
export function isBeforeNext({ before, beforeTries }: VerifiedWalk): boolean {
  return before === 'asked' && beforeTries?.length !== 1;
}

/** Page 0: many APIs answer it as page 1, others without records. Or the first page, once more. */
export function takeBefore(walk: VerifiedWalk, page: Page): Step {
  const { beforeTries = [], ...others } = walk;
  if (!isBeforeNext(walk)) return dropped({ ...walk, beforeTries: [...beforeTries, ''] });
  return onward(others, isFirstOrNone(walk, page) ? undefined : 'others');
}

/**
 * An API that refuses page 0 by status 4xx counts from 1. So does one that fails by it twice in the same way, and not by
 * the first page in between: a failure that passes says nothing. None is worth more tries than that, since nobody asked
 * for page 0.
 *
 * @returns `undefined` where the first page did not come.
 */
export function missedBefore(walk: VerifiedWalk, { status = 0, reason }: Miss): Step | undefined {
  if (!isBeforeNext(walk)) return undefined;
  const { beforeTries = [], ...others } = walk;
  const how = `${status || reason}`;
  const isRefused = status >= 400 && status < 500 && status !== REQUEST_TIMEOUT;
  if (isRefused || beforeTries[0] === how) return onward(others, undefined);
  const tried = { ...walk, beforeTries: [...beforeTries, how] };
  return beforeTries.length === 0 ? dropped(tried) : onward(tried, 'others');
}

type Miss = Pick<Refused, 'status'> & { readonly reason?: (Refused | Unavailable)['reason'] };

/** The server gave up waiting for the request, see `reactionTo`. */
const REQUEST_TIMEOUT = 408;

/** The list may have moved since the first page came: most of its rows are there still. */
function isFirstOrNone({ list, front }: VerifiedWalk, page: Page): boolean {
  if (page.recordCount === 0 || page.fingerprint === list.firstFingerprint) return true;
  const known = RowMarks.parse(front);
  return known.length > 0 && 2 * linkRows(known, RowMarks.of(page)).shared >= known.length;
}

function onward({ before: _before, ...others }: VerifiedWalk, before: 'others' | undefined): Step {
  const { walk, taken } = dropped({ ...others, ...defined({ before }) });
  const isOver = walk.stage === 'first' && walk.isOnlyPage !== true;
  return { walk, taken: isOver ? { ...taken, isOver } : taken };
}

/** It is no page of the list, or one that is read already. */
function dropped(walk: VerifiedWalk): { readonly walk: VerifiedWalk; readonly taken: Answered } {
  return {
    walk: { ...walk, counts: counted(walk, { answers: -1, dropped: -1 }) },
    taken: { kind: 'dropped', next: 'anew' },
  };
}

/** Why page 0 leaves open whether the first page was read. */
export function openBefore({ before, beforeTries }: VerifiedWalk): readonly string[] {
  if (before !== 'others') return [];
  return [beforeTries === undefined ? BEFORE_FIRST : notShown(beforeTries)];
}

const BEFORE_FIRST =
  'Page 0 has other records than page 1: the API counts from 0, and its first page was not read. Set firstPage to 0.';

function notShown(tries: readonly string[]): string {
  return `Page 0 did not come (${tries[0]}, then ${tries.at(-1)}), so that the API may count from 0. Export the list again.`;
}
