import type { Page } from '../../../lib/customers-api/outcome.ts';
import type { CarriedPage } from '../../../lib/exports/carried-pages.ts';

/** Pages that came at the same time, as a step carries them. */
export function asCarried(pages: readonly (Page | undefined)[]): readonly CarriedPage[] {
  return pages.map(
    (page, place) => page && { page, isLinked: place > 0 && pages[place - 1] !== undefined },
  );
}
