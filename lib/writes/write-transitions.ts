import { answerFacts } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import type { BoundNotSent } from '../gate/not-sent.ts';
import { atRest, expiryMs, released } from '../steps/step-item.ts';
import type { WriteSettings } from './write-settings.ts';
import type {
  SettledBy,
  WriteAnswer,
  WriteReason,
  WriteReasonCode,
  WriteState,
} from './write-state.ts';

/** The next try, without a lease; its message is not sent yet. */
export function nextTry(state: WriteState, notBeforeMs: number, nowMs: number): WriteState {
  return {
    ...released(state, notBeforeMs, nowMs),
    status: state.doubt === undefined ? 'intended' : 'sent',
    attempt: state.attempt + 1,
  };
}

/** The write took effect once. */
export function finish(
  state: WriteState,
  { settledBy, answer }: { settledBy: SettledBy; answer?: WriteAnswer },
  nowMs: number,
  { historyDays }: WriteSettings,
): WriteState {
  const { reason: _reason, ...rest } = over(state, nowMs, historyDays);
  return { ...rest, status: 'done', settledBy, ...defined({ answer }) };
}

/** The write did not take effect, and will not. */
export function refuse(
  state: WriteState,
  reason: WriteReason,
  nowMs: number,
  { historyDays }: WriteSettings,
): WriteState {
  const { status, requestId } = reason;
  const answer = defined({ status, requestId });
  return { ...over(state, nowMs, historyDays), status: 'refused', reason, answer };
}

/** Leaves the write to a person, without a deadline. */
export function park(state: WriteState, reason: WriteReason, nowMs: number): WriteState {
  return { ...ended(state, nowMs), status: 'unclear', reason };
}

/** Stops the write until the connection has another key version. */
export function halt(state: WriteState, reason: WriteReason, nowMs: number): WriteState {
  return {
    ...nextTry(state, nowMs, nowMs),
    wakeUpSent: true,
    halted: { sinceMs: nowMs },
    reason,
  };
}

/**
 * A halted write with the reason for which its connection has no key now: the operator may have stored a version that is
 * wrong in another way. A rejected request of its own names no version, and stays the reason until there is another one.
 */
export function stillHalted(halted: WriteState, found: NoKeyToSend): WriteState {
  const { reason } = halted;
  const now = noKeyReason(found);
  const isOwn = reason?.code === now.code && reason.status !== undefined;
  return isOwn || reason?.message === now.message ? halted : { ...halted, reason: now };
}

export type NoKeyToSend = Extract<BoundNotSent, { kind: 'halted' | 'no-key' }>;

export function noKeyReason(found: NoKeyToSend): WriteReason {
  return found.kind === 'halted'
    ? reasonOf('authentication-failure', found.message)
    : reasonOf(`key-${found.reason}`, found.message);
}

export function resume(state: WriteState, nowMs: number): WriteState {
  const { halted: _halted, reason: _reason, ...rest } = state;
  return nextTry(rest, nowMs, nowMs);
}

/**
 * An earlier request may have taken effect.
 *
 * @param refusal Where a repeat would show nothing new.
 */
export function doubted(
  state: WriteState,
  sinceMs: number,
  reason: WriteReason,
  refusal = state.doubt?.refusal,
): WriteState {
  return { ...state, doubt: { sinceMs, reason, ...defined({ refusal }) } };
}

/** A check proved that nothing happened. */
export function cleared(state: WriteState): WriteState {
  const { doubt: _doubt, ...rest } = state;
  return rest;
}

/** What a write came to, without the text of the answer and the history. @param problem Told as the reason. */
export function withoutDetails(state: WriteState, problem: string): WriteState {
  const { answer, reason, settlements, ...kept } = state;
  const { status, requestId } = answer ?? {};
  return {
    ...kept,
    settlements: settlements.slice(-1),
    ...(answer && { answer: defined({ status, requestId }) }),
    ...(reason && { reason: { ...reason, message: problem } }),
  };
}

export function deadlineReason(state: WriteState): WriteReason {
  const hours = Math.round((state.deadlineAtMs - state.acceptedAtMs) / 3_600_000);
  return {
    code: 'deadline',
    message: `Not carried out within ${hours} h of being accepted (maxDurationSeconds); it had no effect. Ask for it again under another write id if it is still wanted.`,
  };
}

export function reasonOf(
  code: WriteReasonCode,
  message: string,
  facts: Pick<WriteReason, 'status' | 'apiCode' | 'requestId'> = {},
): WriteReason {
  return { code, message, ...answerFacts(facts) };
}

function over(state: WriteState, nowMs: number, historyDays: number): WriteState {
  const { doubt: _doubt, bodyText: _body, ...rest } = ended(state, nowMs);
  return { ...rest, deleteAfterMs: expiryMs(nowMs, historyDays) };
}

function ended(state: WriteState, nowMs: number): WriteState {
  const { halted: _halted, ...rest } = state;
  return {
    ...atRest(rest, nowMs),
    attempt: state.attempt + 1,
    unannounced: true,
    closed: false,
  };
}
