import type { StepItem } from './step-item.ts';
import { replaceItem, type StepKind } from './step-kind.ts';

/** A claim can be overtaken by the mark of the wake-up that led here; more than twice is no accident. */
const MAX_TRIES = 3;

/** One write that takes an item: `from` is what the ledger holds, `to` the same under a lease. */
export interface Claim<Item> {
  readonly from: Item;
  readonly to: Item;
}

export type Claimed<Item, Decision> =
  | { readonly kind: 'claimed'; readonly decision: Decision; readonly claimed: Item }
  /** The decision asks for no claim, at the first look or after somebody else wrote. */
  | { readonly kind: 'left'; readonly decision: Decision }
  /** Others kept writing. */
  | { readonly kind: 'contended' };

/**
 * Decides about an item and claims it, by one conditional write. Where somebody wrote between the look and the
 * claim, it looks and decides again.
 *
 * @param first As it was read; `undefined` when there is no item.
 * @param claimOf `undefined` for a decision that asks for no claim.
 */
export async function claimItem<Item extends StepItem, Decision>(
  kind: StepKind<Item>,
  first: Item | undefined,
  decide: (state: Item | undefined) => Promise<Decision>,
  claimOf: (decision: Decision) => Claim<Item> | undefined,
): Promise<Claimed<Item, Decision>> {
  let state = first;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const decision = await decide(state);
    const claim = claimOf(decision);
    if (claim === undefined) return { kind: 'left', decision };
    const claimed = await replaceItem(kind, claim.from, claim.to);
    if (claimed !== undefined) return { kind: 'claimed', decision, claimed };
    state = await kind.read(claim.from);
  }
  return { kind: 'contended' };
}
