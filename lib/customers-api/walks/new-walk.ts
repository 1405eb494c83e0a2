import { defined } from '../../defined.ts';
import { startWalk } from './list-walk-schema.ts';
import type { SetOrder, WalkKind } from './taken.ts';
import { startVerified } from './verified-walk.ts';
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
export function newWalk({ walk = 'verified', ...options }: WalkOptions): Walk {
  if (walk === 'verified') return startVerified({ maxPasses: DEFAULT_MAX_PASSES, ...options });
  const { firstPage, perPage, idKey } = options;
  return { kind: 'fast', list: startWalk(firstPage, perPage), ...defined({ idKey }) };
}
