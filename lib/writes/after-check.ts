import { retryAtMs } from '../steps/retry-at.ts';
import { type AnswerContext, afterNotSent, afterThrottle, keyRejected } from './after-answer.ts';
import type { CheckResult } from './run-check.ts';
import type { WriteReason, WriteState } from './write-state.ts';
import { cleared, finish, halt, nextTry, park, refuse } from './write-transitions.ts';

type AfterCheck =
  /** Store `next`; this try is over. */
  | { readonly kind: 'stop'; readonly next: WriteState }
  /** Nothing happened, so the write may be sent; `next` has no doubt. */
  | { readonly kind: 'send'; readonly next: WriteState };

export function afterCheck(
  claimed: WriteState,
  result: CheckResult,
  context: AnswerContext,
): AfterCheck {
  const state = { ...claimed, counters: countedChecks(claimed, result) };
  const next = afterResult(state, result, context);
  return next === undefined ? { kind: 'send', next: cleared(state) } : { kind: 'stop', next };
}

/** `undefined` where the write may be sent. */
function afterResult(
  state: WriteState,
  result: CheckResult,
  context: AnswerContext,
): WriteState | undefined {
  const { nowMs, settings } = context;
  switch (result.kind) {
    case 'took-effect':
      return finish(state, { settledBy: 'check' }, nowMs, settings);
    case 'did-nothing': {
      const refusal = state.doubt?.refusal;
      return refusal && refuse(state, refusal, nowMs, settings);
    }
    case 'unknown':
      return afterUnknown(state, result.message, context);
    case 'not-sent':
      return afterNotSent(state, result.notSent, context);
    case 'throttled':
      return afterThrottle(state, result.outcome, context);
    case 'authentication-failure':
      return halt(state, keyRejected(state, result.outcome), nowMs);
  }
}

function afterUnknown(state: WriteState, message: string, context: AnswerContext): WriteState {
  const { nowMs, settings, fraction } = context;
  const { unknownChecksInRow } = state.counters;
  if (unknownChecksInRow < settings.maxUnknownChecks) {
    return nextTry(state, retryAtMs(unknownChecksInRow, fraction, nowMs), nowMs);
  }
  const { refusal, reason } = state.doubt ?? {};
  const before: WriteReason = refusal ?? reason ?? { code: 'no-clear-answer', message: '' };
  const about = `${before.message} ${unknownChecksInRow} checks in a row had no result (maxUnknownChecks). The latest: ${message}`;
  return park(state, { ...before, message: about }, nowMs);
}

function countedChecks({ counters }: WriteState, { kind }: CheckResult): WriteState['counters'] {
  if (kind === 'not-sent') return counters;
  const checks = counters.checks + 1;
  if (kind === 'unknown') {
    return { ...counters, checks, unknownChecksInRow: counters.unknownChecksInRow + 1 };
  }
  if (kind === 'throttled') return { ...counters, checks };
  return { ...counters, checks, unknownChecksInRow: 0 };
}
