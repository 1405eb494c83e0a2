import { defined } from '../defined.ts';
import { isRefusedPage, type ReadHistory } from './read-history.ts';

/** One `per_page`, and what became of it on the first page. */
interface TriedSize {
  /** Absent: not sent. */
  readonly asked?: number;
  /** Records that came; absent where the size was refused. */
  readonly got?: number;
  /** Bytes of the answer and its time. */
  readonly bytes?: number;
  readonly elapsedMs: number;
}

export interface PageSizes {
  /** All that were tried, in ascending order; the one that was not sent first. */
  readonly tried: readonly TriedSize[];
  /** Records of a page without `per_page`. */
  readonly byDefault?: number;
  /** Most records that a page had. */
  readonly largest: number;
  /** Whether a larger size was lowered or refused: absent where the list is too short, or nothing larger was tried. */
  readonly isLargestKnown: boolean;
  /** Smallest size that was refused, if any. */
  readonly refusedFrom?: number;
  /**
   * What becomes of a size that is no usual one: taken as it is, lowered to another one, refused, or all pages have
   * the same size. Absent where it was not tried, or the list is too short to show it.
   */
  readonly odd?: 'taken' | 'lowered' | 'refused' | 'fixed';
}

/** Records that are taken off a size to make one that no API has in a list of sizes. */
export const ODD_BY = 3;

/**
 * @param listRecords Records of the whole list, where they are known: as many or more on a page say nothing of its
 *   largest size.
 */
export function pageSizesOf(
  history: ReadHistory,
  firstPage: number,
  listRecords: number | undefined,
): PageSizes | undefined {
  const tried = triedSizes(history, firstPage);
  const came = tried.flatMap(({ got }) => (got === undefined ? [] : [got]));
  if (came.length === 0) return undefined;
  const largest = Math.max(...came);
  const isCut = (size: TriedSize) =>
    size.asked !== undefined &&
    size.got !== undefined &&
    size.got < size.asked &&
    (listRecords === undefined || size.got < listRecords);
  const refused = tried.flatMap(({ asked, got }) =>
    got === undefined && asked !== undefined && asked > largest ? [asked] : [],
  );
  const refusedFrom = refused.length === 0 ? undefined : Math.min(...refused);
  const isWholeList = listRecords !== undefined && largest >= listRecords;
  const byDefault = tried.find(({ asked }) => asked === undefined)?.got;
  const odd = isWholeList && largest < 2 * ODD_BY ? undefined : oddOf(tried, listRecords);
  return {
    tried,
    largest,
    isLargestKnown: !isWholeList && (tried.some(isCut) || refusedFrom !== undefined),
    ...defined({ byDefault, refusedFrom, odd }),
  };
}

function triedSizes(history: ReadHistory, firstPage: number): readonly TriedSize[] {
  const bySize = new Map<number | undefined, TriedSize>();
  for (const { asked, outcome, elapsedMs } of history.reads) {
    if (asked.page !== firstPage) continue;
    const size = defined({ asked: asked.perPage });
    if (outcome.kind === 'page') {
      const { page, envelope } = outcome;
      const came = { got: page.recordCount, bytes: envelope.bytes, elapsedMs };
      bySize.set(asked.perPage, { ...size, ...came });
    } else if (isTooLarge(outcome) || (outcome.kind === 'refused' && isRefusedPage(outcome))) {
      bySize.set(asked.perPage, { ...size, elapsedMs });
    }
  }
  return [...bySize.values()].sort((a, b) => (a.asked ?? 0) - (b.asked ?? 0));
}

function isTooLarge(outcome: { readonly kind: string; readonly reason?: unknown }): boolean {
  return outcome.kind === 'refused' && outcome.reason === 'too-large';
}

/** The size that was tried because no API has it in a list of sizes is {@link ODD_BY} below the page it was made of. */
function oddOf(tried: readonly TriedSize[], listRecords: number | undefined): PageSizes['odd'] {
  const counts = new Set(tried.map(({ got }) => got));
  const odd = tried.find(({ asked }) => asked !== undefined && counts.has(asked + ODD_BY));
  if (odd?.asked === undefined) return undefined;
  if (odd.got === undefined) return 'refused';
  if (odd.got === odd.asked) return 'taken';
  if (listRecords !== undefined && odd.got >= listRecords) return undefined;
  return odd.got > odd.asked ? 'fixed' : 'lowered';
}
