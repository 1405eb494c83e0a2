import { advanceWalk, foundIn } from '../list-walk.ts';
import type { Page } from '../outcome.ts';
import { isOfId } from '../record-hashes.ts';
import { datedMembersOf, orderedOn } from './dated-order.ts';
import { idOrderIn } from './id-order.ts';
import { nextWindow } from './next-window.ts';
import { passDigest } from './pass-digest.ts';
import { RowMarks } from './row-marks.ts';
import { toPages } from './take-pass.ts';
import type { Step } from './verified-walk.ts';
import type { VerifiedWalk } from './walk-schema.ts';

/** Rows at the end of what was read that are remembered, to recognize them in the next window. */
export const TAIL_ROWS = 56;
/** Rows at the front; after as many edits of just these it is not recognized any more. */
export const FRONT_ROWS = 32;
/** Smaller pages cannot share rows and still get on. */
const MIN_ROWS = 4;

/** The first page: often the whole list. If not, it shows whether its records have ids, and how long pages are. */
export function takeFirst(walk: VerifiedWalk, page: Page): Step {
  const { walk: list, decision } = advanceWalk(walk.list, page);
  if (decision.kind === 'refused') return { walk, taken: decision };
  const rows = page.recordCount;
  const taken = { kind: 'page', next: 'on' } as const;
  const read: VerifiedWalk = {
    ...walk,
    list,
    size: rows,
    covered: rows,
    stored: rows,
    pass: { isWhole: true, digest: passDigest('', page.recordHashes) },
  };
  if (decision.kind === 'end') {
    return { walk: { ...read, found: foundIn(decision) }, taken: { ...taken, isOver: true } };
  }
  const problem = problemWith(page);
  if (problem !== undefined) return { walk: toPages({ ...read, hasIds: false }, problem), taken };
  const idOrder = idOrderIn(page);
  const next = nextWindow(rows, rows);
  if (next === undefined) return { walk: toPages({ ...read, idOrder }, tooSmall(rows)), taken };
  const marks = RowMarks.of(page);
  return {
    walk: {
      ...read,
      stage: 'chain',
      plan: [next],
      tail: `${marks.last(TAIL_ROWS)}`,
      front: `${marks.first(FRONT_ROWS)}`,
      idOrder,
      dated: orderedOn(datedMembersOf(page), page),
    },
    taken,
  };
}

function problemWith({ recordCount, recordHashes, idKey }: Page): string | undefined {
  if (recordCount === 0) {
    return 'The first page had no records although more follow, so that its pages cannot be made to share records.';
  }
  const seen = new Set<string>();
  for (let at = 0; at < recordHashes.length; at += 2) {
    if (!isOfId(recordHashes[at] ?? 0)) {
      return `The records have no id (${idKey}), so that nothing tells whether a record was missed or came twice. Set idKey to the member that tells one record from another.`;
    }
    seen.add(`${recordHashes[at]} ${recordHashes[at + 1]}`);
  }
  if (seen.size === recordCount) return undefined;
  return `Two records of the first page have the same id (${idKey}). Set idKey to the member that tells one record from another.`;
}

function tooSmall(rows: number): string {
  return `Pages of ${rows} records are too small to share records. Set perPage to ${MIN_ROWS} or more.`;
}
