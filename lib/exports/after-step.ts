import type { Refused, Unavailable } from '../customers-api/outcome.ts';
import { answerFacts } from '../customers-api/outcome.ts';
import { backoffSeconds } from '../customers-api/throttle-wait.ts';
import { defined } from '../defined.ts';
import type { NoKey } from '../gate/ports.ts';
import { atRest, released } from '../steps/step-item.ts';
import { isWaitTooLong, waitTooLong } from './bounds.ts';
import type { CopyStop } from './copy-pages.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportReason, ExportState, LongWait } from './export-state.ts';
import { mayTryAgain, RETRY_MS } from './first-contact.ts';

interface StepEnd {
  readonly before: ExportState;
  readonly state: ExportState;
  readonly stop: Exclude<
    CopyStop,
    { kind: 'ended' | 'authentication-failure' | 'key-halted' | 'cancelled' }
  >;
}

interface Surroundings {
  readonly nowMs: number;
  readonly settings: ExportSettings;
  /** 0 (inclusive) to 1 (exclusive), for jitter. */
  readonly fraction: number;
  /** Whether the address was never shown to be right, see `isFirstContact`. */
  readonly isFirstContact: boolean;
}

/** Decides how an export continues after a step. The end of the list and a rejected key are decided elsewhere. */
export function afterStep({ before, state, stop }: StepEnd, around: Surroundings): ExportState {
  const { nowMs, settings, fraction } = around;
  const hasPage = state.counters.pages > before.counters.pages;
  const next = nextStep(hasPage ? state : countStepWithoutPage(state), nowMs, nowMs);
  switch (stop.kind) {
    case 'time-up':
    // The next claim checks this bound.
    case 'too-many-pages':
      return next;
    // The answer may have carried a Retry-After that was not read, so back off as for an unknown wait.
    case 'cut-off': {
      const notBeforeMs = nowMs + backoffSeconds(0, fraction) * 1000;
      return { ...next, notBeforeMs, waitsFor: 'cut-off' };
    }
    case 'paced':
      return {
        ...next,
        notBeforeMs: wholeSecondsBefore(stop.notBeforeMs, nowMs),
        waitsFor: 'paced',
      };
    case 'blocked':
    case 'throttled': {
      if (isWaitTooLong(stop.notBeforeMs, nowMs, settings)) {
        return fail(state, waitTooLong(stop.notBeforeMs, nowMs, settings), nowMs);
      }
      const waiting = {
        ...noteLongWait(next, stop.notBeforeMs, nowMs, settings),
        notBeforeMs: stop.notBeforeMs,
        waitsFor: 'throttled' as const,
      };
      if (stop.kind === 'blocked') return waiting;
      const blindThrottles = stop.isBlind ? next.inRow.blindThrottles + 1 : 0;
      return { ...waiting, inRow: { ...next.inRow, failures: 0, blindThrottles } };
    }
    case 'unavailable':
      return afterFailure(state, next, stop.outcome, around);
    case 'refused':
      return fail(state, refusal(stop.outcome), nowMs);
    case 'not-a-list':
      return fail(state, { code: stop.reason, message: stop.message }, nowMs);
  }
}

/** The queue waits whole seconds. The rest of a pace, unlike that of a wait, is waited for in the next step. */
function wholeSecondsBefore(atMs: number, nowMs: number): number {
  return nowMs + Math.floor(Math.max(0, atMs - nowMs) / 1000) * 1000;
}

/** So many waits pass while the event bus takes nothing: of more the latest are announced. */
const MAX_UNANNOUNCED = 100;

/** One wait belongs to one step, so it is announced once, however many messages with `DelaySeconds` it takes. */
function noteLongWait(
  next: ExportState,
  untilMs: number,
  nowMs: number,
  { longWaitSeconds }: ExportSettings,
): ExportState {
  if (untilMs - nowMs <= longWaitSeconds * 1000) return next;
  const { pages, customers } = next.counters;
  const wait: LongWait = {
    kind: 'throttled-long',
    step: next.step,
    atMs: nowMs,
    untilMs,
    pages,
    customers,
  };
  return { ...next, unannounced: [...next.unannounced, wait].slice(-MAX_UNANNOUNCED) };
}

/** The next step, without a lease; its wake-up is not sent yet. */
export function nextStep(state: ExportState, notBeforeMs: number, nowMs: number): ExportState {
  return { ...released(state, notBeforeMs, nowMs), step: state.step + 1 };
}

export function countStepWithoutPage(state: ExportState): ExportState {
  const stepsWithoutPage = state.inRow.stepsWithoutPage + 1;
  return { ...state, inRow: { ...state.inRow, stepsWithoutPage } };
}

export function fail(state: ExportState, reason: ExportReason, nowMs: number): ExportState {
  return {
    ...atRest(state, nowMs),
    status: 'failed',
    step: state.step + 1,
    reason,
    unannounced: [...state.unannounced, 'failed'],
  };
}

/** The ledger does not take a state: what is optional in the last one that it took is dropped, and the export ends. */
export function failUnstorable(state: ExportState, problem: string, nowMs: number): ExportState {
  const { firstMetaText: _first, lastMetaText: _last, warnings: _warnings, ...kept } = state;
  const reason: ExportReason = {
    code: 'unstorable',
    message: `${problem} The export cannot go on; its parts are kept. Start again, and report this if it happens again.`,
  };
  return fail({ ...kept, unannounced: [] }, reason, nowMs);
}

/** Stopped until the connection has another key version. The stored parts are kept. */
export function halt(
  state: ExportState,
  reason: ExportReason,
  keyVersion: string | undefined,
  nowMs: number,
): ExportState {
  return {
    ...atRest(state, nowMs),
    status: 'halted',
    step: state.step + 1,
    reason,
    ...defined({ haltedKeyVersion: keyVersion }),
    unannounced: [...state.unannounced, 'halted'],
  };
}

/** A halted or failed export continues where it stopped, with all counts of failures at 0. */
export function resume(state: ExportState, nowMs: number): ExportState {
  const { reason: _reason, haltedKeyVersion: _keyVersion, ...rest } = state;
  return {
    ...rest,
    status: 'running',
    wakeUpSent: false,
    updatedAtMs: nowMs,
    inRow: { failures: 0, blindThrottles: 0, stepsWithoutPage: 0 },
  };
}

export function complete(state: ExportState, nowMs: number): ExportState {
  return {
    ...atRest(state, nowMs),
    status: 'completed',
    step: state.step + 1,
    unannounced: [...state.unannounced, 'completed'],
  };
}

export function keyRejected(
  connection: string,
  keyVersion: string,
  facts: Pick<ExportReason, 'status' | 'apiCode' | 'requestId'>,
): ExportReason {
  const status = facts.status === undefined ? '' : ` (status ${facts.status})`;
  return {
    code: 'authentication-failure',
    message: `The API did not accept the key of connection ${connection}, secret version ${keyVersion}${status}. That version is not sent again. Store a valid key as a new version of the secret: the export then goes on where it stopped.`,
    ...facts,
  };
}

export function keyUnusable(noKey: NoKey): ExportReason {
  return {
    code: `key-${noKey.reason}`,
    message: `${noKey.message} The export goes on where it stopped once the secret has a usable key.`,
  };
}

function afterFailure(
  state: ExportState,
  next: ExportState,
  outcome: Unavailable,
  { nowMs, settings, fraction, isFirstContact }: Surroundings,
): ExportState {
  const failures = state.inRow.failures + 1;
  const isAnswer = outcome.reason === 'server-error' || outcome.reason === 'cut';
  const failed = {
    ...next,
    waitsFor: outcome.reason,
    inRow: { ...next.inRow, failures },
    ...(isAnswer ? { wasAnswered: true as const } : {}),
  };
  if (isFirstContact && outcome.reason === 'unreachable') {
    return mayTryAgain(failures, nowMs - state.lastRequestAtMs)
      ? { ...failed, notBeforeMs: nowMs + RETRY_MS }
      : fail(state, { code: 'unreachable', message: outcome.message }, nowMs);
  }
  if (failures > settings.maxFailuresInRow) {
    return fail(
      state,
      {
        code: 'unavailable',
        message: `${failures} failures in a row, more than maxFailuresInRow (${settings.maxFailuresInRow}), after ${next.counters.pages} pages. The latest: ${outcome.message}`,
        ...answerFacts(outcome),
      },
      nowMs,
    );
  }
  const waitMs = backoffSeconds(failures - 1, fraction) * 1000;
  return { ...failed, notBeforeMs: nowMs + waitMs };
}

function refusal(outcome: Refused): ExportReason {
  const code =
    outcome.reason === 'not-advancing' || outcome.reason === 'contradiction'
      ? outcome.reason
      : 'refused';
  return { code, message: outcome.message, ...answerFacts(outcome) };
}
