import type { WriteName } from './ports.ts';
import type { WriteState } from './write-state.ts';

/** What a message came to. */
export interface WriteReport {
  /**
   * `retry`: report the message as failed, so that the queue brings it back. `reject`: repeating cannot
   * help; for the dead-letter queue with `reason`.
   */
  readonly answer: 'acknowledge' | 'retry' | 'reject';
  readonly result: WriteResult;
  /** For one log line and the metrics; nothing in it is secret or of a customer. */
  readonly facts: WriteFacts;
  /** On `reject` and `error`. */
  readonly reason?: string;
}

export type WriteResult =
  | 'done'
  | 'refused'
  | 'unclear'
  /** The next message is on its way: a wait, a repeat or a check. */
  | 'goes-on'
  /** The connection has no key that may be sent. */
  | 'halted'
  /** Still waiting: the same message was sent again. */
  | 'early'
  /** Another write is before it in the order, and wakes it when its turn has come. */
  | 'waits-in-line'
  /** Another try is on its way or was made: a repeated message. */
  | 'past'
  /** It had ended before. */
  | 'over'
  /** Another worker holds the lease. */
  | 'held'
  /** The lease ended or somebody else wrote: what is in the ledger counts. */
  | 'overtaken'
  /** No such write: over and forgotten. */
  | 'missing'
  /** Rejected: the write id is taken by another write; it cannot be carried out as asked. */
  | 'conflict'
  | 'invalid'
  | 'unknown-connection'
  | 'line-full'
  /** A port threw. */
  | 'error';

interface WriteFacts {
  readonly connection: string;
  readonly writeId: string;
  readonly operation?: string;
  readonly status?: string;
  readonly attempt?: number;
  readonly requests?: number;
  readonly checks?: number;
  readonly throttles?: number;
  readonly notBeforeMs?: number;
  readonly reasonCode?: string;
  /** From accepting it to its end, on `done`, `refused` and `unclear`. */
  readonly tookMs?: number;
}

/** @param state As it is stored. */
export function writeReport(
  answer: 'acknowledge' | 'retry',
  result: WriteResult,
  state: WriteState,
): WriteReport {
  const { connection, writeId, operation, status, attempt, counters, notBeforeMs, reason } = state;
  const { requests, checks, throttles } = counters;
  const isEnd = result === 'done' || result === 'refused' || result === 'unclear';
  const tookMs = state.updatedAtMs - state.acceptedAtMs;
  return {
    answer,
    result,
    facts: {
      connection,
      writeId,
      operation: operation.name,
      status,
      attempt,
      requests,
      checks,
      throttles,
      notBeforeMs,
      ...(reason === undefined ? {} : { reasonCode: reason.code }),
      ...(isEnd ? { tookMs } : {}),
    },
  };
}

/** For a message that led to no write. */
export function reportWithout(
  answer: WriteReport['answer'],
  result: WriteResult,
  { connection, writeId }: WriteName,
  reason?: string,
): WriteReport {
  const report = { answer, result, facts: { connection, writeId } };
  return reason === undefined ? report : { ...report, reason };
}

/** One write that goes wrong does not take the others with it. */
export async function guarded<T>(
  name: WriteName,
  work: () => Promise<T | WriteReport>,
): Promise<T | WriteReport> {
  try {
    return await work();
  } catch (error) {
    return reportWithout('retry', 'error', name, problemOf(error));
  }
}

function problemOf(error: unknown): string {
  const { name, message } = { name: undefined, message: undefined, ...Object(error) };
  return typeof message === 'string' ? `${String(name)}: ${message}` : String(error);
}
