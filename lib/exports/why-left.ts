import type { EndedExport, RepeatsSoFar } from './export-state.ts';

/** 64 MB of memory for what is known of each. More came from a list that is not read in one order. */
const MAX_REPEATED_IDS = 2_000_000;
/**
 * If more rows than this share of all have the id of another one and other text, and the list has more rows than ids by
 * more than half of that, as where two rows have one, the id does not tell one record from another. Edits while a list is read come to some percent, so
 * below some rows the share says nothing. Where the list is read again each record comes again, perhaps with other text,
 * as one with a signed link or the present time has: then there are as many ids as rows.
 */
const MAX_CONFLICT_SHARE = 0.1;
const MIN_CONFLICTS_TO_JUDGE = 10;

/** Why rows that came more than once are all left in the parts. */
type WhyLeft =
  /** All rows came in one answer, so that none can have come again. */
  | 'one-answer'
  | 'too-many'
  /** The id does not tell one record from another. */
  | 'conflicts';

/** @param records All that were stored. */
export function whyLeft(
  { end, walk }: Pick<EndedExport, 'end' | 'walk'>,
  records: number,
  { ids, conflicts = 0 }: Pick<RepeatsSoFar, 'ids' | 'conflicts'>,
): WhyLeft | undefined {
  if (end.proof.by === 'one-answer') return 'one-answer';
  if (ids > MAX_REPEATED_IDS) return 'too-many';
  const rows = rowsOf(walk);
  // Where most of what came again has another text, that of its records changes, and each row beyond the ids is one conflict.
  const share = conflicts < (records - rows) / 2 ? 2 : 1;
  const isIdWrong = isMany(conflicts, records) && isMany(share * (rows - (records - ids)), rows);
  return isIdWrong ? 'conflicts' : undefined;
}

function isMany(conflicts: number, rows: number): boolean {
  return conflicts >= MIN_CONFLICTS_TO_JUDGE && conflicts > MAX_CONFLICT_SHARE * rows;
}

/** Of the list, once: the pass that is read last need not have come to its end, but the one before did. */
function rowsOf(walk: EndedExport['walk']): number {
  return walk.kind === 'fast' ? walk.list.records : Math.max(walk.covered, walk.list.records);
}

/**
 * Whether two rows with one id and different texts both stay, where no edit can have moved one to the place of the other.
 * As long as nothing shows that the list has changed, they are two records.
 */
export function isLeftTwice({ end, firstTotal }: Pick<EndedExport, 'end' | 'firstTotal'>): boolean {
  const { counts, lastTotal } = end.proof;
  return counts.recovered === 0 && firstTotal === lastTotal;
}
