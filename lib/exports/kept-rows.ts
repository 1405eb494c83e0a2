import type { Page } from '../customers-api/outcome.ts';
import { LINE_FEED } from '../json/json-tokens.ts';

/** Records as they are stored, with their hashes. */
export type Rows = Pick<Page, 'ndjson' | 'recordCount' | 'recordHashes'>;

/**
 * Leaves out some rows. What is kept moves together in the same memory, so nothing may read the given rows afterwards.
 *
 * @param skip Positions, ascending.
 */
export function keptRows(rows: Rows, skip: readonly number[]): Rows {
  if (skip.length === 0) return rows;
  const { ndjson, recordCount, recordHashes } = rows;
  let keptBytes = 0;
  let keptRecords = 0;
  let start = 0;
  let nextSkip = 0;
  for (let position = 0; position < recordCount; position++) {
    const end = ndjson.indexOf(LINE_FEED, start) + 1;
    if (position === skip[nextSkip]) nextSkip++;
    else {
      if (keptBytes !== start) ndjson.copyWithin(keptBytes, start, end);
      recordHashes.copyWithin(2 * keptRecords, 2 * position, 2 * position + 2);
      keptBytes += end - start;
      keptRecords++;
    }
    start = end;
  }
  return {
    ndjson: ndjson.subarray(0, keptBytes),
    recordCount: keptRecords,
    recordHashes: recordHashes.subarray(0, 2 * keptRecords),
  };
}
