import type { ListOutcome, Page } from '../customers-api/outcome.ts';
import type { CarriedPage } from './carried-pages.ts';
import type { Answer } from './fetch-stop.ts';

/** A page that is to be asked for, or was. */
export interface AskedPage extends Answer {
  /** To be asked for as soon as that is allowed, in front of others that were. */
  isMissing?: boolean;
  outcome?: ListOutcome;
  notBeforeMs?: number;
  isRecorded?: boolean;
  failure?: { readonly error: unknown };
  /** Of pages that were carried. */
  inside?: Stretch;
  /** It is asked for again, and so compared with the page that came at its place before. */
  endOf?: { readonly stretch: Stretch; readonly page: Page };
  /** Whether the page that came before at its place and the one in front of it belong together, see {@link CarriedPage}. */
  isLinked?: boolean;
  /** It was asked for again, and came with the same records. */
  isAsBefore?: boolean;
}

/**
 * Pages that were carried and belong together. Records that keep their order relative to each other stand between its
 * ends now if they did then, and only those. So the pages inside count if both ends come again with the same records.
 */
export interface Stretch {
  endsToCome: number;
}

/**
 * @param carried What came before the first ask.
 * @param isDoubted Whether the walk does not see that the list moved since then. Then the ends of each stretch are asked
 * for again; a page alone would be nothing but an end.
 */
export function lineOf(carried: readonly CarriedPage[], isDoubted: boolean): AskedPage[] {
  let stretch: Stretch = { endsToCome: 2 };
  return carried.map((each, place) => {
    if (each === undefined) return { isMissing: true };
    const { page } = each;
    if (!isDoubted) return { outcome: page, isRecorded: true };
    const isLinked = each.isLinked && place > 0;
    const isFollowed = carried[place + 1]?.isLinked === true;
    if (!isLinked) stretch = { endsToCome: 2 };
    if (isLinked && isFollowed) {
      return { outcome: page, isRecorded: true, inside: stretch, isLinked };
    }
    if (isLinked || isFollowed) return { isMissing: true, endOf: { stretch, page }, isLinked };
    page.release?.();
    return { isMissing: true };
  });
}

/** What is to be carried of a line: the pages up to the last one, in their places. */
export function carriedOf(line: readonly AskedPage[]): readonly CarriedPage[] {
  const carried = line.map((each, place) => {
    const page = pageOf(each) ?? each.endOf?.page;
    return page && { page, isLinked: belongTogether(line[place - 1], each) };
  });
  return carried.slice(0, carried.findLastIndex((each) => each !== undefined) + 1);
}

/** Both came in this step, or they are what they were and belonged together before. */
function belongTogether(front: AskedPage | undefined, each: AskedPage): boolean {
  if (front === undefined) return false;
  const isStill = each.isLinked === true && isUnchanged(front) && isUnchanged(each);
  return isStill || (hasCome(front) && hasCome(each));
}

function hasCome(each: AskedPage): boolean {
  return each.inside === undefined && pageOf(each) !== undefined;
}

/** As far as it was asked for again. */
function isUnchanged({ inside, endOf, isAsBefore }: AskedPage): boolean {
  return inside !== undefined || endOf !== undefined || isAsBefore === true;
}

function pageOf({ outcome }: AskedPage): Page | undefined {
  return outcome?.kind === 'page' ? outcome : undefined;
}

/** Nothing of it is under way. */
export function isSettled({ isMissing, isRecorded }: AskedPage): boolean {
  return isMissing === true || isRecorded === true;
}

/** It waits in front until the ends of its stretch are there. */
export function isDoubtful({ inside }: AskedPage): boolean {
  return inside !== undefined && inside.endsToCome > 0;
}

export function isNoPage({ outcome }: AskedPage): boolean {
  return outcome !== undefined && outcome.kind !== 'page';
}

export function isRejected({ outcome }: AskedPage): boolean {
  return outcome?.kind === 'authentication-failure';
}

/** Of a page, with what was around its records in the body. */
export function memoryOf(outcome: ListOutcome | undefined): number {
  return outcome?.kind === 'page' ? outcome.ndjson.buffer.byteLength : 0;
}
