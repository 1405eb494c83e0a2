import { defined } from '../../defined.ts';
import { startWalk } from '../list-walk.ts';
import { NO_COUNTS, type SetOrder, type WalkKind } from './taken.ts';
import type { Walk } from './walker.ts';

export interface WalkOptions {
  /** @default 'verified' */
  readonly walk?: WalkKind;
  readonly firstPage: number;
  /** Records a page; absent: not sent. */
  readonly perPage?: number;
  /** The member that identifies a record. @default - learned from the first page that has records */
  readonly idKey?: string;
  /**
   * Most answers of a verified walk, as a multiple of those of one pass page by page: 1.5 to 20. What it has begun it
   * may end with 16 more.
   * @default 2
   */
  readonly maxPasses?: number;
  /**
   * The order of the list, where its records do not show it: `fixed` if an edit leaves a record at its place,
   * `by-last-edit` if it moves it to the front or to the end, `appended` if besides `fixed` no record is ever added but
   * at the end, nor comes back in the middle.
   * @default - learned: by id, or by a member with the time at which a record was made or last edited
   */
  readonly order?: SetOrder;
}

export const DEFAULT_MAX_PASSES = 2;

/** The state before the first page. */
export function newWalk({
  walk = 'verified',
  firstPage,
  perPage,
  idKey,
  ...rest
}: WalkOptions): Walk {
  const list = startWalk(firstPage, perPage);
  if (walk === 'fast') return { kind: 'fast', list, ...defined({ idKey }) };
  const { maxPasses = DEFAULT_MAX_PASSES, order: setOrder } = rest;
  return {
    kind: 'verified',
    maxPasses,
    ...defined({ idKey, setOrder }),
    stage: 'first',
    list,
    size: 0,
    covered: 0,
    plan: [],
    tail: '',
    front: '',
    takesSizes: false,
    idOrder: 'one',
    dated: [],
    endWasAhead: false,
    stored: 0,
    hasIds: true,
    pass: { isWhole: true, digest: '' },
    open: [],
    order: 'unknown',
    counts: NO_COUNTS,
  };
}
