import * as v from 'valibot';
import { maybe, type Stored, text, timeMs } from '../stored.ts';

/** Keeps other workers away from an item until `untilMs`. */
export type Lease = Stored<typeof LeaseSchema>;

export const LeaseSchema = v.object({
  /** Unique per claim. */
  owner: text,
  untilMs: timeMs,
});

/** Lambda's context of the invocation. */
export interface Invocation {
  /** Milliseconds until Lambda ends the function. */
  remainingMs(): number;
}

/** When it ends, by the clock that `nowMs` was read from: a lease for its work lasts until then. */
export function endOfInvocationMs(invocation: Invocation, nowMs: number): number {
  return nowMs + Math.max(0, invocation.remainingMs());
}

/** When an item expires that the ledger keeps for so many days more (DynamoDB time to live). */
export function expiryMs(nowMs: number, days: number): number {
  return nowMs + days * 24 * 3600 * 1000;
}

/** The members of every ledger item that is worked on in steps. Times are milliseconds since the epoch. */
export type StepItem = Stored<v.ObjectSchema<typeof stepEntries, undefined>>;

export const stepEntries = {
  /**
   * Unique to the write that stored this state. Each later write is conditional on it, so an overtaken worker
   * cannot write, and a worker whose answer was lost recognizes its own write.
   */
  writeToken: text,
  /** When a claim, a step or an operator stored it last. */
  updatedAtMs: timeMs,
  wakeUpSent: v.boolean(),
  /** No request before this time. */
  notBeforeMs: timeMs,
  /** When that was decided; absent in items that never waited. */
  waitsSinceMs: maybe(timeMs),
  /** Present while a worker runs, and after a worker crashed. */
  lease: maybe(LeaseSchema),
};

/** What the reason of an export or a write has beside its code. */
export const reasonEntries = {
  /** What happened, what was expected and what to do; contains nothing of a body. */
  message: text,
  status: maybe(v.number()),
  apiCode: maybe(text),
  requestId: maybe(text),
};

/** The item with a lease. The wake-up that led to the claim was sent. */
export function underLease<Item extends StepItem>(item: Item, lease: Lease, nowMs: number) {
  return { ...item, lease, wakeUpSent: true, updatedAtMs: nowMs };
}

/** The item for the next step: without a lease; its wake-up is not sent yet. */
export function released<Item extends StepItem>(item: Item, notBeforeMs: number, nowMs: number) {
  const waits = { notBeforeMs, waitsSinceMs: nowMs };
  return { ...withoutLease(item), ...waits, wakeUpSent: false, updatedAtMs: nowMs };
}

/** The item at rest: without a lease, and it needs no wake-up. */
export function atRest<Item extends StepItem>(item: Item, nowMs: number) {
  return { ...withoutLease(item), wakeUpSent: true, updatedAtMs: nowMs };
}

/** Whether a worker has it. At `untilMs` itself the lease is over. */
export function isHeld({ lease }: Pick<StepItem, 'lease'>, nowMs: number): boolean {
  return lease !== undefined && lease.untilMs > nowMs;
}

function withoutLease<Item extends StepItem>(item: Item): Omit<Item, 'lease'> {
  const { lease: _lease, ...rest } = item;
  return rest;
}
