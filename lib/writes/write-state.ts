import * as v from 'valibot';
import { recordOf } from '../record-of.ts';
import { reasonEntries, stepEntries } from '../steps/step-item.ts';
import { count, maybe, type Stored, text, timeMs } from '../stored.ts';
import { OperationSchema } from './operation.ts';

const status = v.picklist([
  /** No request can have taken effect. */
  'intended',
  /** A request is running, or may have taken effect, which a repeat with the same key or a check resolves. */
  'sent',
  /** Over, with exactly one effect. */
  'done',
  /** Over, without an effect. */
  'refused',
  /** Only a person can decide. */
  'unclear',
]);

export type WriteReason = Stored<typeof reason>;

export type WriteReasonCode = WriteReason['code'];

const reason = v.object({
  code: v.picklist([
    'refused',
    /** No effect until `deadlineAtMs`. */
    'deadline',
    /** The API rejected the key; there is no key; the stored text cannot be a key. */
    'authentication-failure',
    'key-missing',
    'key-malformed',
    'key-in-use',
    /** No answer, a truncated answer, or a 5xx. */
    'no-clear-answer',
    'worker-lost',
    /** The API refused the repeat of a write that may have taken effect. */
    'repeat-refused',
    /** The key is of another organization than when the write was accepted. */
    'organization-changed',
    /** The request holds the key: it came after the write was accepted. */
    'key-in-request',
    'dropped',
  ]),
  ...reasonEntries,
});

export type Doubt = Stored<typeof doubt>;

const doubt = v.object({
  /** The latest time at which a request may have been sent. */
  sinceMs: timeMs,
  reason,
  /** What the API answers to a repeat: it becomes the result if a check proves that nothing happened. */
  refusal: maybe(reason),
});

const halted = v.object({ sinceMs: timeMs });

const counters = v.object({
  requests: count,
  checks: count,
  throttles: count,
  /** In a row: unclear answers, and tries without a request. */
  failuresInRow: count,
  /** In a row: checks without a result. */
  unknownChecksInRow: count,
});

export type WriteAnswer = Stored<typeof answer>;

const answer = v.object({
  status: maybe(v.number()),
  requestId: maybe(text),
  /** JSON text of the answer, up to 32 KiB; absent when empty, longer, or withheld. */
  bodyText: maybe(text),
});

/** A person's decision about an unclear write. */
export type Settlement = Stored<typeof settlement>;

export type SettlementDecision = Settlement['decision'];

const settlement = v.object({
  atMs: timeMs,
  /** Who decided, such as the ARN of the caller; 1 to 2,048 characters. */
  by: text,
  decision: v.picklist(['done', 'retry', 'drop']),
  /** Up to 1,024 characters. */
  note: maybe(text),
  before: v.object({ status, attempt: count, reason: maybe(reason) }),
});

export type SettledBy = NonNullable<WriteState['settledBy']>;

/** The ledger item of one write (`write#<writeId>`), plain JSON. All times are milliseconds since the epoch. */
export type WriteState = Stored<typeof WriteStateSchema>;

export const WriteStateSchema = v.object({
  ...stepEntries,
  v: v.literal(1),
  connection: text,
  writeId: text,
  status,
  /** Of operation, params, body and orderKey. */
  fingerprint: text,
  /** As declared when the write was accepted. */
  operation: OperationSchema,
  params: recordOf(text, text),
  /** The operation's resource with its placeholders filled. */
  resource: text,
  /** JSON text of the body; absent when there is none, and after the end of the write. */
  bodyText: maybe(text),
  orderKey: maybe(text),
  /** The same for every repeat; absent when the operation does not accept one. */
  idempotencyKey: maybe(text),

  /**
   * The credential in use when the write was accepted (`OpenKey.credential`): it is never sent to another
   * organization. Absent when the connection had no key yet; then the first key decides.
   */
  credential: maybe(text),
  acceptedAtMs: timeMs,
  /** When a write without an effect is given up. */
  deadlineAtMs: timeMs,
  /** When the item expires (DynamoDB time to live); absent until the write is over. */
  deleteAfterMs: maybe(timeMs),

  /** The try of the next message, from 0. */
  attempt: count,

  /** When the first request may have been sent: the API may keep the `Idempotency-Key` from then on. */
  firstSentAtMs: maybe(timeMs),
  /**
   * The credential of the latest request with the `Idempotency-Key`: the API may know that one of this credential alone.
   * @default - `credential`, of a write that 0.1.0 sent
   */
  sentAs: maybe(text),
  /** A wait that the gate did not take: when it was told, and its end. Absent once the gate has it, or it is over. */
  untoldWait: maybe(v.object({ sinceMs: timeMs, untilMs: timeMs })),
  /** Present while an earlier request may have taken effect. */
  doubt: maybe(doubt),
  /** Present while the write waits for another key version. */
  halted: maybe(halted),
  counters,

  /** The API's answer to a write that is done or refused. */
  answer: maybe(answer),
  /** How the effect of a done write is known. */
  settledBy: maybe(v.picklist(['answer', 'check', 'person'])),
  /** Why a write was refused, is unclear or waits for a key. */
  reason: maybe(reason),
  /** The latest decisions of persons, oldest first. */
  settlements: v.array(settlement),

  /** When it was unclear, of what a person has settled since then, while that event is not published yet. */
  untold: maybe(v.array(v.object({ attempt: count, updatedAtMs: timeMs, reason: maybe(reason) }))),
  /** Whether the event of the current status is not published yet. */
  unannounced: v.boolean(),
  /** Whether no work is left: the event is published, and the write has left its order line. */
  closed: v.boolean(),
});

/** The ledger item `order#<orderKey>`: ids of the writes that keep their order, first one first. */
export type OrderLine = Stored<typeof OrderLineSchema>;

export const OrderLineSchema = v.object({
  v: v.literal(1),
  connection: text,
  orderKey: text,
  writeToken: text,
  writeIds: v.array(text),
  /** When an empty line expires (DynamoDB time to live); absent while it is not empty. */
  deleteAfterMs: maybe(timeMs),
});
