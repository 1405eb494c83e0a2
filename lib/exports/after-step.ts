import { answerFacts, type Refused, type Unavailable } from '../customers-api/outcome.ts';
import { backoffSeconds } from '../customers-api/throttle-wait.ts';
import { isWaitTooLong, waitTooLong } from './bounds.ts';
import type { CopyStop } from './copy-pages.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportReason, ExportState, Interruption } from './export-state.ts';
import { countStepWithoutPage, fail, nextStep, unbroken } from './export-transitions.ts';
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
  // One that asked nothing, since its pace held it back, shows nothing: what broke the one before it may break the next.
  const isAsked = state.counters.requests > before.counters.requests;
  const counted = isAsked ? unbroken(state) : state;
  const next = nextStep(hasPage ? state : countStepWithoutPage(counted), nowMs, nowMs);
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
      if (isStray(state, stop.outcome)) return afterFailure(state, next, stop.outcome, around);
      return fail(state, refusal(stop.outcome), nowMs);
    case 'not-a-list':
      return fail(state, { code: stop.reason, message: stop.message }, nowMs);
  }
}

/**
 * A 2xx without a list, though pages of it came with the same settings: a page of something in front of the API, such as
 * of a proxy while the API is being replaced. That passes, as a 5xx does.
 */
function isStray({ counters }: ExportState, { reason }: Refused): boolean {
  return counters.pages > 0 && (reason === 'not-json' || reason === 'items-missing');
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
  const { step, counters } = next;
  const { pages, customers } = counters;
  const wait: Interruption = {
    kind: 'throttled-long',
    step,
    atMs: nowMs,
    untilMs,
    pages,
    customers,
  };
  return { ...next, unannounced: [...next.unannounced, wait].slice(-MAX_UNANNOUNCED) };
}

function afterFailure(
  state: ExportState,
  next: ExportState,
  outcome: Unavailable | Refused,
  { nowMs, settings, fraction, isFirstContact }: Surroundings,
): ExportState {
  const failures = state.inRow.failures + 1;
  const waitsFor = outcome.kind === 'refused' ? 'server-error' : outcome.reason;
  const isAnswer = waitsFor === 'server-error' || waitsFor === 'cut';
  const failed = {
    ...next,
    waitsFor,
    inRow: { ...next.inRow, failures },
    ...(isAnswer ? { wasAnswered: true as const } : {}),
  };
  if (isFirstContact && waitsFor === 'unreachable') {
    return mayTryAgain(failures, nowMs - state.lastRequestAtMs)
      ? { ...failed, notBeforeMs: nowMs + RETRY_MS }
      : fail(state, { code: 'unreachable', message: outcome.message }, nowMs);
  }
  if (failures > settings.maxFailuresInRow) {
    return fail(
      state,
      {
        code: outcome.kind,
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
