import type { ListOutcome } from '../customers-api/outcome.ts';
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
  /** It is asked for again, and so compared with what came at its place. */
  endOf?: { readonly stretch: Stretch; readonly fingerprint: string };
}

/**
 * Pages that were carried and follow each other. Records that keep their order relative to each other stand between its
 * ends now if they did then, and only those. So the pages inside count if both ends come again with the same records.
 */
export interface Stretch {
  endsToCome: number;
}

/**
 * @param carried What came before the first ask.
 * @param isDoubted Whether the walk does not see that the list moved since then. Then the ends of each stretch are asked
 * for again; one of two pages is nothing but ends.
 */
export function lineOf(carried: readonly CarriedPage[], isDoubted: boolean): AskedPage[] {
  let stretch: Stretch = { endsToCome: 2 };
  return carried.map((page, place) => {
    if (page === undefined) return { isMissing: true };
    if (!isDoubted) return { outcome: page, isRecorded: true };
    const isFirst = carried[place - 1] === undefined;
    if (isFirst) stretch = { endsToCome: 2 };
    if (!isFirst && carried[place + 1] !== undefined) {
      return { outcome: page, isRecorded: true, inside: stretch };
    }
    page.release?.();
    return { isMissing: true, endOf: { stretch, fingerprint: page.fingerprint } };
  });
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
