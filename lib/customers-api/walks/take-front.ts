import type { Page } from '../outcome.ts';
import { idTexts } from '../record-hashes.ts';
import { hasSpentAll } from './after-gap.ts';
import { idOrderOf, withOrder } from './id-order.ts';
import { linkRows } from './link-rows.ts';
import { planWindows } from './plan-windows.ts';
import { RowMarks } from './row-marks.ts';
import { FRONT_ROWS, TAIL_ROWS } from './take-first.ts';
import { counted, type Step, type VerifiedWalk } from './verified-walk.ts';

/** A list whose front changes faster than it can be read is given up after so many looks. */
const MAX_CHECKS = 8;

/**
 * The list was read to its end. Where an edited record moves to the front, it may have left before it was read. So
 * the front is read again, until a row is there that was there before and has not changed: what was edited since is
 * in front of it. A check of one answer shows one moment; a longer one is repeated.
 */
export function checkFront(walk: VerifiedWalk, page: Page): Step {
  const marks = RowMarks.of(page);
  const isBegin = walk.newFront === undefined;
  const front = RowMarks.parse(walk.front);
  const lastKnown = lastUnchanged(front, marks);
  const rows = lastKnown === undefined ? page.recordCount : lastKnown + 1;
  const link = linkRows(isBegin ? front : RowMarks.parse(walk.tail), marks);
  if (!isBegin && !link.isLinked) return again(walk, 'dropped', []);
  const known = new Set(link.unchanged);
  const skip = Array.from({ length: page.recordCount }, (_, row) => row).filter(
    (row) => row >= rows || known.has(row),
  );
  const added = page.recordCount - skip.length;
  const ids = idTexts(page.ndjson, page.recordCount, page.idKey);
  const total = page.evidence.total;
  const read: VerifiedWalk = {
    ...walk,
    list: total === undefined ? walk.list : { ...walk.list, lastTotal: total },
    idOrder: withOrder(walk.idOrder, idOrderOf(ids)),
    order: added > 0 ? 'by-last-edit' : walk.order,
    stored: walk.stored + added,
    counts: counted(walk, { skipped: skip.length, dropped: added === 0 ? 1 : 0 }),
  };
  const kind = added === 0 ? 'dropped' : 'page';
  if (lastKnown !== undefined) {
    if (isBegin) {
      const taken = { kind, skip, shared: link.shared, next: 'on', isOver: true } as const;
      return { walk: read, taken };
    }
    return again({ ...read, front: walk.newFront ?? walk.front }, kind, skip);
  }
  return goOn(read, page, marks, { kind, skip, next: 'anew' });
}

/** No row of this window was there before: the next one. */
function goOn(walk: VerifiedWalk, page: Page, marks: RowMarks, taken: Step['taken']): Step {
  const [window] = walk.plan;
  const covered = (window?.start ?? 0) + page.recordCount;
  const isEnd = page.recordCount < (window?.size ?? walk.size);
  const [next] = planWindows(covered, walk.size, walk.overlap);
  if (isEnd || next === undefined || hasSpentAll(walk)) return giveUp(walk, taken);
  const newFront = walk.newFront ?? `${marks.first(FRONT_ROWS)}`;
  return {
    walk: { ...walk, newFront, tail: `${marks.last(TAIL_ROWS)}`, plan: [next] },
    taken,
  };
}

/** One more check, from the first row on. */
function again(
  { newFront: _newFront, ...walk }: VerifiedWalk,
  kind: 'page' | 'dropped',
  skip: readonly number[],
): Step {
  const taken = { kind, skip, next: 'anew' } as const;
  if (walk.counts.frontChecks >= MAX_CHECKS || hasSpentAll(walk)) return giveUp(walk, taken);
  const counts = counted(walk, { frontChecks: 1 });
  return { walk: { ...walk, plan: [], counts }, taken };
}

function giveUp(walk: VerifiedWalk, taken: Step['taken']): Step {
  const open = [...walk.open, RESTLESS];
  if (taken.kind === 'refused') return { walk, taken };
  return { walk: { ...walk, open }, taken: { ...taken, isOver: true } };
}

function lastUnchanged(front: RowMarks, page: RowMarks): number | undefined {
  return linkRows(front, page).unchanged.at(-1);
}

const RESTLESS =
  'The front of the list changed faster than it could be read again, so records that moved there meanwhile can be missing. Export the list when it changes less.';
