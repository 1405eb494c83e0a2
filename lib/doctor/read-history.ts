import { isPastEnd } from '../customers-api/list-walk.ts';
import type { Page, Refused } from '../customers-api/outcome.ts';
import type { SeenPage, SeenRead } from './seen-read.ts';

/** An answer that says the same whenever it is asked for. */
export type SettledOutcome = SeenPage | Refused;

export class ReadHistory {
  readonly reads: readonly SeenRead[];

  constructor(reads: readonly SeenRead[]) {
    this.reads = reads;
  }

  /** Reads that brought a page, in their order. */
  get pages(): readonly { readonly read: SeenRead; readonly seen: SeenPage }[] {
    return this.reads.flatMap((read) =>
      read.outcome.kind === 'page' ? [{ read, seen: read.outcome }] : [],
    );
  }

  /** The first read that brought a page: others are compared with it. */
  get base(): { readonly read: SeenRead; readonly seen: SeenPage } | undefined {
    return this.pages[0];
  }

  /** Those of them that are compared with each other: of one size. */
  get compared(): typeof this.pages {
    return this.pages.filter(({ read: { asked } }) => asked.perPage === this.perPage);
  }

  /** `per_page` of the pages that are compared with each other; `undefined`: not sent. */
  get perPage(): number | undefined {
    return this.base?.read.asked.perPage;
  }

  /** What a page came to; a throttle or a failure that passes is no answer. */
  outcomeAt(page: number): SettledOutcome | undefined {
    const { perPage } = this;
    const outcome = this.reads.findLast(
      ({ asked, outcome: { kind } }) =>
        asked.page === page && asked.perPage === perPage && (kind === 'page' || kind === 'refused'),
    )?.outcome;
    return outcome?.kind === 'page' || outcome?.kind === 'refused' ? outcome : undefined;
  }

  seenAt(page: number): SeenPage | undefined {
    const outcome = this.outcomeAt(page);
    return outcome?.kind === 'page' ? outcome : undefined;
  }

  pageAt(page: number): Page | undefined {
    return this.seenAt(page)?.page;
  }
}

/** Whether a list without such a page answers like this. */
export function isRefusedPage(outcome: SettledOutcome | undefined): outcome is Refused {
  return outcome?.kind === 'refused' && isPastEnd(outcome);
}

/** The same records in any order; empty pages are never the same. */
export function isSamePage(page: Page | undefined, other: Page | undefined): boolean {
  if (page === undefined || other === undefined || page.recordCount === 0) return false;
  return page.fingerprint === other.fingerprint;
}

/** Whether all records of a page are on another one, which has more. */
export function isInside(page: Page, larger: Page): boolean {
  const known = new Set(hashesOf(larger));
  return page.recordCount > 0 && hashesOf(page).every((hash) => known.has(hash));
}

function hashesOf({ recordHashes }: Page): readonly string[] {
  return Array.from(
    { length: recordHashes.length / 2 },
    (_, row) => `${recordHashes[2 * row]} ${recordHashes[2 * row + 1]}`,
  );
}
