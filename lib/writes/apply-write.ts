import type { Invocation } from '../exports/run-step.ts';
import type { WritePorts } from './ports.ts';
import type { WriteMessage } from './write-request.ts';
import type { WriteSettings } from './write-settings.ts';

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

export interface WriteFacts {
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

/**
 * Handles the messages of one invocation side by side, each write in its own slot of the connection's rate.
 *
 * @param settingsOf Gives `undefined` for a connection that is not there any more.
 * @returns A report for each message, in their order. It does not throw for a port's outage: see `error`.
 */
export declare function applyWrites(
  ports: WritePorts,
  settingsOf: (connection: string) => WriteSettings | undefined,
  messages: readonly WriteMessage[],
  invocation: Invocation,
): Promise<readonly WriteReport[]>;
