import { isoTime } from '../../lib/exports/bounds.ts';
import type {
  Settlement,
  WriteAnswer,
  WriteReason,
  WriteState,
} from '../../lib/writes/write-state.ts';

/** A write as the API shows it. Times are ISO 8601 in UTC; what there is not is `null`. */
export interface WriteView {
  readonly connection: string;
  readonly writeId: string;
  readonly operation: string;
  readonly status: WriteState['status'];
  /** Whoever settles an unclear write says by it which one they have looked at. */
  readonly attempt: number;
  readonly orderKey: string | null;
  readonly acceptedAt: string;
  readonly updatedAt: string;
  /** When it is given up if it has not taken effect by then. */
  readonly deadlineAt: string;
  /** While it waits: no request before this time. */
  readonly notBefore: string | null;
  /** It waits for a new version of the secret. */
  readonly waitsForKey: boolean;
  /** Sent with every request of this write, so that the API's operator can look it up. */
  readonly idempotencyKey: string | null;
  readonly counters: {
    readonly requests: number;
    readonly checks: number;
    readonly throttles: number;
  };
  /** The API's answer, its body as the text that came. */
  readonly answer: WriteAnswer | null;
  /** How it is known that it is done. */
  readonly settledBy: WriteState['settledBy'] | null;
  /** Why it was refused, is unclear or waits for a key, and what to do. */
  readonly reason: WriteReason | null;
  /** What persons decided, oldest first. */
  readonly settlements: readonly SettlementView[];
}

type SettlementView = Omit<Settlement, 'atMs'> & { readonly at: string };

export function writeView(state: WriteState, nowMs: number): WriteView {
  const { connection, writeId, operation, status, attempt, notBeforeMs, counters } = state;
  const isUnderWay = status === 'intended' || status === 'sent';
  return {
    connection,
    writeId,
    operation: operation.name,
    status,
    attempt,
    orderKey: state.orderKey ?? null,
    acceptedAt: isoTime(state.acceptedAtMs),
    updatedAt: isoTime(state.updatedAtMs),
    deadlineAt: isoTime(state.deadlineAtMs),
    notBefore: isUnderWay && notBeforeMs > nowMs ? isoTime(notBeforeMs) : null,
    waitsForKey: state.halted !== undefined,
    idempotencyKey: state.idempotencyKey ?? null,
    counters: {
      requests: counters.requests,
      checks: counters.checks,
      throttles: counters.throttles,
    },
    answer: state.answer ?? null,
    settledBy: state.settledBy ?? null,
    reason: state.reason ?? null,
    settlements: state.settlements.map(({ atMs, ...rest }) => ({ at: isoTime(atMs), ...rest })),
  };
}
