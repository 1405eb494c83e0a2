import { isFarAhead } from '../gate/far-ahead.ts';
import type { StepItem } from './step-item.ts';

/** The longest invocation of Lambda: whoever has the lease is over so much later. */
const LONGEST_LEASE_MS = 15 * 60 * 1000;

/**
 * An item that a process with a clock far ahead has written, with times as if it had been written now: its lease and
 * its wait would last until then. Both last their whole length from now on, and it was written before. So nobody takes
 * the place of a worker that is still at it, and nothing is sent too early.
 *
 * @returns `undefined` for an item whose times may be right.
 */
export function withRightTimes<Item extends StepItem>(item: Item, nowMs: number): Item | undefined {
  const { lease, updatedAtMs, notBeforeMs, waitsSinceMs = updatedAtMs } = item;
  const isFar = (atMs: number) => isFarAhead(atMs, nowMs);
  const isLeaseFar = lease !== undefined && isFar(lease.untilMs);
  if (!isLeaseFar && !isFar(updatedAtMs) && !isFar(waitsSinceMs)) return undefined;
  return {
    ...item,
    updatedAtMs: nowMs,
    ...(isFar(waitsSinceMs) && {
      notBeforeMs: nowMs + Math.max(0, notBeforeMs - waitsSinceMs),
      waitsSinceMs: nowMs,
    }),
    ...(isLeaseFar && { lease: { ...lease, untilMs: nowMs + LONGEST_LEASE_MS } }),
  };
}
