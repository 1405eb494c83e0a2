import type { StepItem } from './step-item.ts';
import { replaceItem, type StepKind } from './step-kind.ts';

/** The mark of the wake-up that led here can overtake a claim; more conflicts are unlikely. */
const MAX_TRIES = 3;

/** One write that claims an item: `from` is in the ledger, `to` has the lease. */
export interface Claim<Item> {
  readonly from: Item;
  readonly to: Item;
}

export type Claimed<Item, Decision> =
  | { readonly kind: 'claimed'; readonly decision: Decision; readonly claimed: Item }
  /** The decision needs no claim, at first or after a conflict. */
  | { readonly kind: 'left'; readonly decision: Decision }
  /** Other processes kept writing. */
  | { readonly kind: 'contended' };

/**
 * Decides about an item and claims it by one conditional write. After a conflict it reads and decides again, after the last
 * one too: who else wrote may have done the step, and then its message is not needed any more.
 *
 * @param first The item as read; `undefined` when there is none.
 * @param claimOf Returns `undefined` for a decision without a claim.
 */
export async function claimItem<Item extends StepItem, Decision>(
  kind: StepKind<Item>,
  first: Item | undefined,
  decide: (state: Item | undefined) => Promise<Decision>,
  claimOf: (decision: Decision) => Claim<Item> | undefined,
): Promise<Claimed<Item, Decision>> {
  let state = first;
  for (let tries = 0; ; tries++) {
    const decision = await decide(state);
    const claim = claimOf(decision);
    if (claim === undefined) return { kind: 'left', decision };
    if (tries === MAX_TRIES) return { kind: 'contended' };
    const claimed = await replaceItem(kind, claim.from, claim.to);
    if (claimed !== undefined) return { kind: 'claimed', decision, claimed };
    state = await kind.read(claim.from);
  }
}
