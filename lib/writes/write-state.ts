import type { StepItem } from '../steps/step-item.ts';
import type { Operation } from './operation.ts';

/** The ledger item of one write (`write#<writeId>`), plain JSON. All times are milliseconds since the epoch. */
export interface WriteState extends StepItem {
  readonly v: 1;
  readonly connection: string;
  readonly writeId: string;
  readonly status: WriteStatus;
  /** Of operation, params, body and orderKey. */
  readonly fingerprint: string;
  /** As declared when the write was accepted. */
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  /** The operation's resource with its placeholders filled. */
  readonly resource: string;
  /** JSON text of the body; absent when there is none, and after the end of the write. */
  readonly bodyText?: string;
  readonly orderKey?: string;
  /** The same for every repeat; absent when the operation does not accept one. */
  readonly idempotencyKey?: string;

  /**
   * The credential in use when the write was accepted (`OpenKey.credential`): it is never sent to another
   * organization. Absent when the connection had no key yet; then the first key decides.
   */
  readonly credential?: string;
  readonly acceptedAtMs: number;
  /** When a write without an effect is given up. */
  readonly deadlineAtMs: number;
  /** When the item expires (DynamoDB time to live); absent until the write is over. */
  readonly deleteAfterMs?: number;

  /** The try of the next message, from 0. */
  readonly attempt: number;

  /** When the first request may have been sent: the API may keep the `Idempotency-Key` from then on. */
  readonly firstSentAtMs?: number;
  /** Present while an earlier request may have taken effect. */
  readonly doubt?: Doubt;
  /** Present while the write waits for another key version. */
  readonly halted?: Halted;
  readonly counters: WriteCounters;

  /** The API's answer to a write that is done or refused. */
  readonly answer?: WriteAnswer;
  /** How the effect of a done write is known. */
  readonly settledBy?: SettledBy;
  /** Why a write was refused, is unclear or waits for a key. */
  readonly reason?: WriteReason;
  /** The latest decisions of persons, oldest first. */
  readonly settlements: readonly Settlement[];

  /** Whether the event of the current status is not published yet. */
  readonly unannounced: boolean;
  /** Whether no work is left: the event is published, and the write has left its order line. */
  readonly closed: boolean;
}

/**
 * `intended`: no request can have taken effect. `sent`: a request is running, or may have taken effect, which a
 * repeat with the same key or a check resolves. `done`: over, with exactly one effect. `refused`: over, without
 * an effect. `unclear`: only a person can decide.
 */
type WriteStatus = 'intended' | 'sent' | 'done' | 'refused' | 'unclear';

export interface Doubt {
  /** The latest time at which a request may have been sent. */
  readonly sinceMs: number;
  readonly reason: WriteReason;
  /** The API's refusal of a repeat: it becomes the result if a check proves that nothing happened. */
  readonly refusal?: WriteReason;
}

export interface Halted {
  readonly sinceMs: number;
  /** Absent when there was no key. */
  readonly keyVersion?: string;
}

export interface WriteCounters {
  readonly requests: number;
  readonly checks: number;
  readonly throttles: number;
  /** In a row: unclear answers, and tries without a request. */
  readonly failuresInRow: number;
  /** In a row: checks without a result. */
  readonly unknownChecksInRow: number;
}

export interface WriteAnswer {
  readonly status?: number;
  readonly requestId?: string;
  /** JSON text of the answer, up to 32 KiB; absent when empty, longer, or withheld. */
  readonly bodyText?: string;
}

export type SettledBy = 'answer' | 'check' | 'person';

export interface WriteReason {
  readonly code: WriteReasonCode;
  /** What happened and what to do; contains nothing of the body. */
  readonly message: string;
  readonly status?: number;
  readonly apiCode?: string;
  readonly requestId?: string;
}

export type WriteReasonCode =
  | 'refused'
  /** No effect until `deadlineAtMs`. */
  | 'deadline'
  /** The API rejected the key; there is no key; the stored text cannot be a key. */
  | 'authentication-failure'
  | 'key-missing'
  | 'key-malformed'
  | 'key-in-use'
  /** No answer, a truncated answer, or a 5xx. */
  | 'no-clear-answer'
  | 'worker-lost'
  /** The API refused the repeat of a write that may have taken effect. */
  | 'repeat-refused'
  /** The key is of another organization than when the write was accepted. */
  | 'organization-changed'
  /** A person gave it up. */
  | 'dropped';

/** A person's decision about an unclear write. */
export interface Settlement {
  readonly atMs: number;
  readonly by: string;
  readonly decision: SettlementDecision;
  readonly note?: string;
  readonly before: {
    readonly status: WriteStatus;
    readonly attempt: number;
    readonly reason?: WriteReason;
  };
}

export type SettlementDecision = 'done' | 'retry' | 'drop';

/** The ledger item `order#<orderKey>`: ids of the writes that keep their order, first one first. */
export interface OrderLine {
  readonly v: 1;
  readonly connection: string;
  readonly orderKey: string;
  readonly writeToken: string;
  readonly writeIds: readonly string[];
  /** When an empty line expires (DynamoDB time to live); absent while it is not empty. */
  readonly deleteAfterMs?: number;
}
