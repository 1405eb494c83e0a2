import * as v from 'valibot';
import { OperationSchema } from '../../lib/writes/operation.ts';
import type {
  Doubt,
  Halted,
  OrderLine,
  Settlement,
  WriteAnswer,
  WriteCounters,
  WriteReason,
  WriteState,
} from '../../lib/writes/write-state.ts';
import { count, type EveryMember, reasonFacts, text, timeMs } from './export-state-schema.ts';

const status = v.picklist(['intended', 'sent', 'done', 'refused', 'unclear']);

const reason = v.object({
  code: v.picklist([
    'refused',
    'deadline',
    'authentication-failure',
    'key-missing',
    'key-malformed',
    'no-clear-answer',
    'worker-lost',
    'repeat-refused',
  ]),
  ...reasonFacts,
} satisfies EveryMember<WriteReason>);

const doubt = v.object({
  sinceMs: timeMs,
  reason,
  refusal: v.exactOptional(reason),
} satisfies EveryMember<Doubt>);

const halted = v.object({
  sinceMs: timeMs,
  keyVersion: v.exactOptional(text),
} satisfies EveryMember<Halted>);

const counters = v.object({
  requests: count,
  checks: count,
  throttles: count,
  failuresInRow: count,
  unknownChecksInRow: count,
} satisfies EveryMember<WriteCounters>);

const answer = v.object({
  status: v.exactOptional(v.number()),
  requestId: v.exactOptional(text),
  bodyText: v.exactOptional(text),
} satisfies EveryMember<WriteAnswer>);

const settlement = v.object({
  atMs: timeMs,
  by: text,
  decision: v.picklist(['done', 'retry']),
  note: v.exactOptional(text),
  before: v.object({ status, attempt: count, reason: v.exactOptional(reason) }),
} satisfies EveryMember<Settlement>);

export const WriteStateSchema: v.GenericSchema<unknown, WriteState> = v.object({
  v: v.literal(1),
  connection: text,
  writeId: text,
  writeToken: text,
  status,
  fingerprint: text,
  operation: OperationSchema,
  params: v.record(v.string(), v.string()),
  resource: text,
  bodyText: v.exactOptional(text),
  orderKey: v.exactOptional(text),
  idempotencyKey: v.exactOptional(text),
  acceptedAtMs: timeMs,
  updatedAtMs: timeMs,
  deadlineAtMs: timeMs,
  deleteAfterMs: v.exactOptional(timeMs),
  attempt: count,
  wakeUpSent: v.boolean(),
  notBeforeMs: timeMs,
  lease: v.exactOptional(v.object({ owner: text, untilMs: timeMs })),
  firstSentAtMs: v.exactOptional(timeMs),
  doubt: v.exactOptional(doubt),
  halted: v.exactOptional(halted),
  counters,
  answer: v.exactOptional(answer),
  settledBy: v.exactOptional(v.picklist(['answer', 'check', 'person'])),
  reason: v.exactOptional(reason),
  settlements: v.array(settlement),
  unannounced: v.boolean(),
  closed: v.boolean(),
} satisfies EveryMember<WriteState>);

export const OrderLineSchema: v.GenericSchema<unknown, OrderLine> = v.object({
  v: v.literal(1),
  connection: text,
  orderKey: text,
  writeToken: text,
  writeIds: v.array(text),
  deleteAfterMs: v.exactOptional(timeMs),
} satisfies EveryMember<OrderLine>);
