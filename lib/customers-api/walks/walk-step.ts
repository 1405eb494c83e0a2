import * as v from 'valibot';
import type { Page } from '../outcome.ts';
import { orderedOn } from './dated-order.ts';
import { idOrderIn, withOrder } from './id-order.ts';
import { type WalkCounts, WalkCountsSchema } from './list-walk-schema.ts';
import type { Taken } from './taken.ts';
import type { VerifiedWalk } from './walk-schema.ts';

/** With what one more answer says of the order, also where none of its records is taken: it shows the list all the same. */
export function withOrderIn(walk: VerifiedWalk, page: Page): VerifiedWalk {
  const idOrder = withOrder(walk.idOrder, idOrderIn(page));
  return { ...walk, idOrder, dated: orderedOn(walk.dated, page) };
}

/** What an answer makes of a walk. */
export interface Step {
  readonly walk: VerifiedWalk;
  readonly taken: Verdict;
}

/** As `Taken`, before the end has its proof. */
type Verdict = Answered | Extract<Taken, { readonly kind: 'held' | 'refused' }>;

/** An answer behind which the walk goes on, or is over. */
export interface Answered {
  readonly kind: 'page' | 'dropped';
  readonly skip?: readonly number[];
  readonly shared?: number;
  readonly again?: number;
  readonly next: 'on' | 'anew';
  readonly isOver?: boolean;
}

const COUNTS = v.keyof(WalkCountsSchema);

export function counted(
  walk: VerifiedWalk,
  more: { readonly [Name in keyof WalkCounts]?: number },
): WalkCounts {
  const counts: Record<keyof WalkCounts, number> = { ...walk.counts };
  for (const name of COUNTS.options) counts[name] += more[name] ?? 0;
  return counts;
}
