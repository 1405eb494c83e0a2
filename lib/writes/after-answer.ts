import type { Refused, Throttled, Unclear, WriteOutcome } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import { blockedUntilMs, endOfWaitMs } from '../gate/blocked-until.ts';
import { type BoundNotSent, rejectedKey } from '../gate/not-sent.ts';
import { retryAtMs } from '../steps/retry-at.ts';
import { parkDoubted, sentAsOf, settleMs, stepOf } from './decide-write.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteAnswer, WriteReason, WriteState } from './write-state.ts';
import {
  doubted,
  finish,
  halt,
  nextTry,
  noKeyReason,
  park,
  reasonOf,
  refuse,
} from './write-transitions.ts';

/** Longest answer to keep, in bytes: a record usually has a few thousand. */
const MAX_ANSWER_BYTES = 32 * 1024;

export interface AnswerContext {
  readonly nowMs: number;
  readonly settings: WriteSettings;
  /** 0 (inclusive) to 1 (exclusive), for jitter. */
  readonly fraction: number;
}

/**
 * Decides how a write continues after its request.
 *
 * @param known The state before the claim, with its doubt: it stays true if no request was sent.
 * @param claimed The state under the lease.
 */
export function afterAnswer(
  known: WriteState,
  claimed: WriteState,
  outcome: WriteOutcome | BoundNotSent,
  context: AnswerContext,
): WriteState {
  const { nowMs, settings } = context;
  switch (outcome.kind) {
    case 'done':
      return finish(
        counted(claimed),
        { settledBy: 'answer', answer: answerOf(outcome) },
        nowMs,
        settings,
      );
    case 'throttled':
      return afterThrottle(counted(claimed), outcome, context);
    case 'authentication-failure':
      return halt(counted(claimed), keyRejected(claimed, outcome), nowMs);
    case 'refused':
      if (outcome.reason === 'key-in-request') return afterKeyFound(known, outcome, context);
      return afterRefusal(counted(claimed), outcome, context);
    case 'unclear':
      return outcome.sent
        ? afterUnclear(counted(claimed), outcome, context)
        : afterNothingLeft(known, context);
    default:
      return afterNotSent(known, outcome, context);
  }
}

/** Nothing was sent. @param state The state before the claim. */
export function afterNotSent(
  state: WriteState,
  notSent: BoundNotSent,
  context: AnswerContext,
): WriteState {
  switch (notSent.kind) {
    case 'blocked':
      return nextTry(state, notSent.untilMs, context.nowMs);
    case 'organization-unproven':
    case 'key-changed':
      return afterNothingLeft(state, context);
    case 'organization-changed':
      // A key came after the claim: the next claim binds the write to it.
      if (state.credential === undefined) return nextTry(state, context.nowMs, context.nowMs);
      return park(state, foreign(state, notSent.message), context.nowMs);
    case 'halted':
    case 'no-key':
      return halt(state, noKeyReason(notSent), context.nowMs);
  }
}

/** Another organization must not get the write, and its records show nothing about an earlier request. */
function foreign({ doubt }: WriteState, message: string): WriteReason {
  const mayHaveEffect =
    doubt === undefined
      ? 'It had no effect.'
      : 'An earlier request, to the former organization, may have taken effect.';
  const about = `${message} ${mayHaveEffect} Settle it: "retry" sends it with the key of now, "drop" gives it up.`;
  return reasonOf('organization-changed', about);
}

export function keyRejected(
  { connection, doubt }: WriteState,
  facts: Pick<WriteReason, 'status' | 'apiCode' | 'requestId'>,
): WriteReason {
  const effect =
    doubt === undefined
      ? 'The write had no effect'
      : 'An earlier request of the write may have taken effect';
  return reasonOf(
    'authentication-failure',
    `${rejectedKey({ connection, status: facts.status })} ${effect}; it then goes on.`,
    facts,
  );
}

/** @param state Without this throttle in its counters. */
export function afterThrottle(
  state: WriteState,
  outcome: Throttled,
  context: AnswerContext,
): WriteState {
  const { counters } = state;
  const { nowMs, fraction } = context;
  const notBeforeMs = blockedUntilMs(outcome, counters.failuresInRow, fraction, nowMs);
  const isBlind = outcome.waitSource === 'backoff';
  const failuresInRow = isBlind ? counters.failuresInRow + 1 : 0;
  const next = nextTry(state, notBeforeMs, nowMs);
  return { ...next, counters: { ...counters, failuresInRow, throttles: counters.throttles + 1 } };
}

function afterUnclear(state: WriteState, outcome: Unclear, context: AnswerContext): WriteState {
  const { nowMs } = context;
  const reason = reasonOf('no-clear-answer', outcome.message, outcome);
  const refusal = outcome.reason === 'error-body' ? reason : undefined;
  const inDoubt = doubted(state, nowMs, reason, refusal);
  return orPark(inDoubt, endOfWaitMs(outcome, nowMs) ?? nowMs, context);
}

/**
 * A refusal ends the write if no earlier request can have had an effect. The refusal of a repeat does not show
 * what the earlier request did: that request's effect may be its cause.
 */
export function afterRefusal(
  state: WriteState,
  outcome: Pick<Refused, 'message'> & Partial<Refused>,
  context: AnswerContext,
): WriteState {
  const { nowMs, settings } = context;
  const reason = reasonOf('refused', outcome.message, outcome);
  const { doubt, operation } = state;
  if (doubt === undefined) return refuse(state, reason, nowMs, settings);
  // No connection was made, so this is not an answer of the API.
  if (outcome.reason === 'certificate') return afterNothingLeft(state, context);
  // The first request is still being processed (draft-ietf-httpapi-idempotency-key-header, section 2.6).
  if (outcome.status === 409) return orPark(doubted(state, nowMs, reason), nowMs, context);
  if (operation.check === undefined) {
    const about = `The repeat was refused: ${reason.message} ${CHECK_EARLIER}`;
    return park(state, { ...reason, code: 'repeat-refused', message: about }, nowMs);
  }
  return nextTry(
    { ...state, doubt: { ...doubt, sinceMs: nowMs, refusal: reason } },
    nowMs + settleMs(operation.check),
    nowMs,
  );
}

/**
 * The key came after the write was accepted, and what was accepted holds it: nothing was sent, and nothing of the request
 * is kept. Of an earlier request with another key nobody knows what it did.
 */
function afterKeyFound(
  state: WriteState,
  { message }: Refused,
  { nowMs, settings }: AnswerContext,
): WriteState {
  const told = (about: string) => reasonOf('key-in-request', `${message} ${about}`);
  if (state.doubt !== undefined) return park(state, told(CHECK_EARLIER), nowMs);
  const { resource } = state.operation;
  return refuse({ ...state, params: {}, resource }, told(NOT_KEPT), nowMs, settings);
}

const CHECK_EARLIER = 'An earlier request may have taken effect: check that, and settle the write.';
const NOT_KEPT =
  'The key was stored after this write was accepted. Its params and its body are taken out of the ledger now.';

/** Retries later if a repeat or a check can resolve the doubt; otherwise a person must decide. */
function orPark(state: WriteState, askedMs: number, context: AnswerContext): WriteState {
  const { nowMs, settings, fraction } = context;
  const atMs = Math.max(askedMs, retryAtMs(state.counters.failuresInRow, fraction, nowMs));
  const step = stepOf(state, { nowMs: atMs, credential: sentAsOf(state) }, settings);
  if (step === undefined) return parkDoubted(state, nowMs);
  const settledMs = step.kind === 'check' ? nowMs + settleMs(step.check) : nowMs;
  return failed(state, Math.max(atMs, settledMs), nowMs);
}

/** The API did nothing, for a temporary reason. */
export function afterNothingLeft(
  state: WriteState,
  { nowMs, fraction }: AnswerContext,
): WriteState {
  return failed(state, retryAtMs(state.counters.failuresInRow, fraction, nowMs), nowMs);
}

function failed(state: WriteState, notBeforeMs: number, nowMs: number): WriteState {
  const { counters } = state;
  return {
    ...nextTry(state, notBeforeMs, nowMs),
    counters: { ...counters, failuresInRow: counters.failuresInRow + 1 },
  };
}

function counted(state: WriteState): WriteState {
  return { ...state, counters: { ...state.counters, requests: state.counters.requests + 1 } };
}

function answerOf(outcome: Extract<WriteOutcome, { kind: 'done' }>): WriteAnswer {
  const { status, bodyText, requestId } = outcome;
  const isKept = bodyText !== undefined && Buffer.byteLength(bodyText) <= MAX_ANSWER_BYTES;
  return {
    status,
    ...defined({ requestId }),
    ...(isKept && { bodyText }),
  };
}
