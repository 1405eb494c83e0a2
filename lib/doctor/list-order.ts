import type { Page } from '../customers-api/outcome.ts';
import { idTexts } from '../customers-api/record-places.ts';
import { datedMembersOf, isTiedAtEnd, orderedOn } from '../customers-api/walks/dated-order.ts';
import { idOrderOf } from '../customers-api/walks/id-order.ts';
import { ignoresPage } from './list-end.ts';
import type { ReadHistory } from './read-history.ts';

/** By what the records of the first pages are in order. */
export type SeenOrder =
  | { readonly kind: 'rising' | 'falling'; readonly member: string }
  | {
      readonly kind: 'created' | 'edited';
      readonly member: string;
      readonly direction: 'rising' | 'falling';
    }
  | { readonly kind: 'unknown' }
  /** Two answers for the same page had their records in another order. */
  | { readonly kind: 'unstable' }
  | { readonly kind: 'too-few' };

/** Fewer are in some order by chance too often: eight once in 20,000 times. */
const FEWEST_RECORDS = 8;

/** @param idKey The member that tells records apart, where there is one. */
export function listOrderOf(
  history: ReadHistory,
  firstPage: number,
  idKey: string | undefined,
): SeenOrder {
  const first = history.pageAt(firstPage);
  if (first === undefined) return { kind: 'too-few' };
  const second = ignoresPage(history, firstPage) ? undefined : history.pageAt(firstPage + 1);
  const pages = [first, ...(second === undefined ? [] : [second])];
  const records = pages.reduce((sum, { recordCount }) => sum + recordCount, 0);
  if (records < FEWEST_RECORDS) return { kind: 'too-few' };
  if (idKey !== undefined && isUnstable(history, firstPage, first, idKey)) {
    return { kind: 'unstable' };
  }
  const byId = idKey === undefined ? 'none' : idOrderOf(pages.flatMap((page) => ids(page, idKey)));
  if (idKey !== undefined && (byId === 'rising' || byId === 'falling')) {
    return { kind: byId, member: idKey };
  }
  const dated = pages.reduce(
    (members, page) =>
      orderedOn(members, {
        ndjson: page.ndjson,
        recordCount: page.recordCount,
        idKey: idKey ?? '',
      }),
    datedMembersOf(first),
  );
  const shown = dated.filter((member) => !isTiedAtEnd(member));
  const byDate = shown.find(({ order }) => order === 'rising' || order === 'falling');
  if (byDate?.order !== 'rising' && byDate?.order !== 'falling') return { kind: 'unknown' };
  return { kind: byDate.kind, member: byDate.name, direction: byDate.order };
}

function ids({ ndjson, recordCount }: Page, idKey: string): readonly string[] {
  return idTexts(ndjson, recordCount, idKey);
}

/** A smaller or larger first page begins with the same records, unless the list moved by a few. */
function isUnstable(history: ReadHistory, firstPage: number, first: Page, idKey: string): boolean {
  const known = ids(first, idKey);
  return history.pages.some(({ read, seen }) => {
    if (read.asked.page !== firstPage || seen.page === first) return false;
    const others = ids(seen.page, idKey);
    const shared = Math.min(known.length, others.length);
    const atSamePlace = others.slice(0, shared).filter((id, at) => id === known[at]).length;
    const inBoth = others.slice(0, shared).filter((id) => known.includes(id)).length;
    return shared >= FEWEST_RECORDS && atSamePlace < shared / 2 && inBoth > shared / 2;
  });
}
