import type { ChangeCounts } from './changes-summary.ts';

/** Of fewer records a single one is a large share, and a person sees at once what became of them. */
const LEAST_RECORDS = 10;

/** Whether more records are gone than is believed without a person. */
export function isTooMuchRemoved(
  { before, removed }: Pick<ChangeCounts, 'before' | 'removed'>,
  maxRemovedPercent: number,
): boolean {
  return before >= LEAST_RECORDS && removed * 100 > maxRemovedPercent * before;
}

/** How many of the records before are gone, percent with two decimals. */
export function removedPercentOf({
  before,
  removed,
}: Pick<ChangeCounts, 'before' | 'removed'>): number {
  return before === 0 ? 0 : Math.round((removed / before) * 10_000) / 100;
}
