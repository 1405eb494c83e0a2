import { defined } from '../defined.ts';
import type { ListWalk } from './walks/list-walk-schema.ts';

/** The state before the first page. */
export function startWalk(firstPage: number, perPage?: number): ListWalk {
  return {
    ...defined({ perPage }),
    firstPage,
    nextPage: firstPage,
    records: 0,
    largestPageRecords: 0,
    lastPageRecords: 0,
    emptyPagesInRow: 0,
    recentFingerprints: [],
  };
}
