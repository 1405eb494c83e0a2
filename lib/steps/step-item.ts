/** What keeps other workers away from an item until its time is over. */
export interface Lease {
  /** Unique to the claim. */
  readonly owner: string;
  readonly untilMs: number;
}

/** The invocation that a step has to fit in, as Lambda's context tells. */
export interface Invocation {
  /** Milliseconds until the function is ended. */
  remainingMs(): number;
}

/** What the items of the ledger have in common that are worked on in steps. Times are milliseconds since the epoch. */
export interface StepItem {
  /**
   * Unique to the write that stored this state. Every later write is conditional on it, so a worker that
   * was overtaken cannot write, and a writer whose answer was lost recognizes its own write.
   */
  readonly writeToken: string;
  /** When it was stored last by a claim, a step or an operator. */
  readonly updatedAtMs: number;
  /** Whether the wake-up for the next step is known to have been sent. */
  readonly wakeUpSent: boolean;
  /** No request before this time. */
  readonly notBeforeMs: number;
  /** Present while a worker is at it, and after one that never came back. */
  readonly lease?: Lease;
}

/** The item under a lease. The wake-up that led to the claim was sent. */
export function underLease<Item extends StepItem>(item: Item, lease: Lease, nowMs: number) {
  return { ...item, lease, wakeUpSent: true, updatedAtMs: nowMs };
}

/** The item as the next step finds it: free, its wake-up still to be sent. */
export function released<Item extends StepItem>(item: Item, notBeforeMs: number, nowMs: number) {
  return { ...withoutLease(item), wakeUpSent: false, notBeforeMs, updatedAtMs: nowMs };
}

/** The item at rest: free, and no wake-up is to be sent. */
export function atRest<Item extends StepItem>(item: Item, nowMs: number) {
  return { ...withoutLease(item), wakeUpSent: true, updatedAtMs: nowMs };
}

function withoutLease<Item extends StepItem>(item: Item): Omit<Item, 'lease'> {
  const { lease: _lease, ...rest } = item;
  return rest;
}
