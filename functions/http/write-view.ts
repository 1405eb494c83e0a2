import { isoTime } from '../../lib/exports/bounds.ts';
import type { WriteState } from '../../lib/writes/write-state.ts';

/** A write as the API shows it. Times are ISO 8601 in UTC; what there is not is `null`. */
export function writeView(state: WriteState, nowMs: number) {
  const { connection, writeId, operation, status, attempt, notBeforeMs, counters } = state;
  const isUnderWay = status === 'intended' || status === 'sent';
  return {
    connection,
    writeId,
    operation: operation.name,
    status,
    // Whoever settles an unclear write names the attempt that they have checked.
    attempt,
    orderKey: state.orderKey ?? null,
    acceptedAt: isoTime(state.acceptedAtMs),
    updatedAt: isoTime(state.updatedAtMs),
    // When it is given up if it has not taken effect by then.
    deadlineAt: isoTime(state.deadlineAtMs),
    // While it waits: no request before this time.
    notBefore: isUnderWay && notBeforeMs > nowMs ? isoTime(notBeforeMs) : null,
    waitsForKey: state.halted !== undefined,
    // Sent with every request of this write, so that the API's operator can look it up.
    idempotencyKey: state.idempotencyKey ?? null,
    counters: {
      requests: counters.requests,
      checks: counters.checks,
      throttles: counters.throttles,
    },
    // The API's answer, its body as the text that came.
    answer: state.answer ?? null,
    settledBy: state.settledBy ?? null,
    // Why it was refused, is unclear or waits for a key, and what to do.
    reason: state.reason ?? null,
    // What persons decided, oldest first.
    settlements: state.settlements.map(({ atMs, ...rest }) => ({ at: isoTime(atMs), ...rest })),
  };
}
