import type { StepItem } from '../steps/step-item.ts';
import type { Operation } from './operation.ts';

/**
 * The ledger item of one write (`write#<writeId>`), plain JSON. All times are milliseconds since the epoch.
 */
export interface WriteState extends StepItem {
  readonly v: 1;
  readonly connection: string;
  readonly writeId: string;
  readonly status: WriteStatus;
  /** Of what was asked for: operation, params, body and orderKey. */
  readonly fingerprint: string;
  /** As it was declared when the write was accepted. */
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  /** The operation's resource, filled. */
  readonly resource: string;
  /** JSON text of the body, until the write is over; absent when there is none. */
  readonly bodyText?: string;
  readonly orderKey?: string;
  /** Made once; the same on every repeat. Absent when the operation takes none. */
  readonly idempotencyKey?: string;

  readonly acceptedAtMs: number;
  /** When a write that never took effect is given up. */
  readonly deadlineAtMs: number;
  /** When the ledger may forget it (time to live); absent until the write is over. */
  readonly deleteAfterMs?: number;

  /** The try that the next message is for, from 0. */
  readonly attempt: number;

  /** When the first request may have left: from then on the API may keep the `Idempotency-Key`. */
  readonly firstSentAtMs?: number;
  /** Present while an earlier request may have taken effect. */
  readonly doubt?: Doubt;
  /** Present while the write waits for another key version. */
  readonly halted?: Halted;
  readonly counters: WriteCounters;

  /** The API's answer to a write that is done or refused. */
  readonly answer?: WriteAnswer;
  /** How it was found out that the write is done. */
  readonly settledBy?: SettledBy;
  /** Why a write was refused, is unclear or waits for a key. */
  readonly reason?: WriteReason;
  /** What persons decided, oldest first. */
  readonly settlements: readonly Settlement[];

  /** Whether the event of the present status is still to be published. */
  readonly unannounced: boolean;
  /** Whether nothing is left to be done: event out, place in the order given up. */
  readonly closed: boolean;
}

/**
 * `intended`: no request of it can have taken effect. `sent`: a request is under way, or may have taken
 * effect and is being cleared up by a repeat with the same key or a check. `done`, `refused`: over, with
 * exactly one effect or none. `unclear`: only a person can tell.
 */
type WriteStatus = 'intended' | 'sent' | 'done' | 'refused' | 'unclear';

export interface Doubt {
  /** The latest time at which a request may have left. */
  readonly sinceMs: number;
  readonly reason: WriteReason;
  /** What the API answered to a repeat: it stands if a check proves that nothing happened. */
  readonly refusal?: WriteReason;
}

export interface Halted {
  readonly sinceMs: number;
  /** Absent when there was no key at all. */
  readonly keyVersion?: string;
}

export interface WriteCounters {
  /** Requests of the write itself. */
  readonly requests: number;
  readonly checks: number;
  readonly throttles: number;
  /** In a row: answers that left the outcome open, or nothing left. */
  readonly failuresInRow: number;
  /** In a row: checks that told nothing. */
  readonly unknownChecksInRow: number;
}

export interface WriteAnswer {
  readonly status?: number;
  readonly requestId?: string;
  /** The answer's JSON text up to 32 KiB; absent when empty, longer, or withheld. */
  readonly bodyText?: string;
}

export type SettledBy = 'answer' | 'check' | 'person';

export interface WriteReason {
  readonly code: WriteReasonCode;
  /** What happened and what to do. Nothing of the body in it. */
  readonly message: string;
  readonly status?: number;
  readonly apiCode?: string;
  readonly requestId?: string;
}

export type WriteReasonCode =
  /** The API refused it. */
  | 'refused'
  /** Not sent, or without effect, until `deadlineAtMs`. */
  | 'deadline'
  /** The key was rejected; no key; a key that cannot be one. */
  | 'authentication-failure'
  | 'key-missing'
  | 'key-malformed'
  /** No answer, a cut one, or a 5xx. */
  | 'no-clear-answer'
  /** The worker that sent it never came back. */
  | 'worker-lost'
  /** The API refused the repeat of a write that may have taken effect. */
  | 'repeat-refused';

/** A person's decision about an unclear write. */
export interface Settlement {
  readonly atMs: number;
  /** Who, such as the ARN of the caller. */
  readonly by: string;
  /** `done`: it took effect. `retry`: it did not, so it is sent again. */
  readonly decision: SettlementDecision;
  readonly note?: string;
  /** What was known before. */
  readonly before: {
    readonly status: WriteStatus;
    readonly attempt: number;
    readonly reason?: WriteReason;
  };
}

export type SettlementDecision = 'done' | 'retry';

/** The ledger item `order#<orderKey>`: the writes that keep their order, first one first. */
export interface OrderLine {
  readonly v: 1;
  readonly connection: string;
  readonly orderKey: string;
  readonly writeToken: string;
  readonly writeIds: readonly string[];
  /** When the ledger may forget an empty line (time to live); absent for one that is not empty. */
  readonly deleteAfterMs?: number;
}
