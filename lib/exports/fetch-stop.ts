import type {
  AuthenticationFailure,
  ListOutcome,
  Refused,
  Unavailable,
} from '../customers-api/outcome.ts';

export type FetchStop =
  | { readonly kind: 'time-up' }
  /** Time was up before an answer arrived. That answer may have carried a Retry-After. */
  | { readonly kind: 'cut-off' }
  /** The pace allows the next request so late that waiting in this step would cost more than another step. */
  | { readonly kind: 'paced'; readonly notBeforeMs: number }
  /** A page came with a wait, or another caller with the same key was told to wait. */
  | { readonly kind: 'blocked'; readonly notBeforeMs: number }
  /** Another caller with the same key version got an authentication failure. */
  | { readonly kind: 'key-halted' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'throttled'; readonly notBeforeMs: number; readonly isBlind: boolean }
  | { readonly kind: 'authentication-failure'; readonly outcome: AuthenticationFailure }
  | { readonly kind: 'unavailable'; readonly outcome: Unavailable }
  | { readonly kind: 'refused'; readonly outcome: Refused };

export interface Answer {
  readonly outcome?: ListOutcome;
  /** The end of the wait that the outcome asks for. */
  readonly notBeforeMs?: number;
}

/**
 * Decides why a step ends when its pages do not continue.
 *
 * @param first The first answer in page order that is not a page.
 * @param answers All answers of requests that ran at the same time, `first` included.
 * @param isCutOff Whether this process aborted the requests.
 */
export function stopAt(
  first: ListOutcome,
  answers: readonly Answer[],
  isCutOff: boolean,
): FetchStop {
  const outcomes = answers.flatMap((answer) => answer.outcome ?? []);
  const rejected = outcomes.find((outcome) => outcome.kind === 'authentication-failure');
  if (rejected !== undefined) return { kind: 'authentication-failure', outcome: rejected };
  if (first.kind === 'refused') return { kind: 'refused', outcome: first };
  const throttled = outcomes.filter((outcome) => outcome.kind === 'throttled');
  if (throttled.length > 0) {
    const notBeforeMs = Math.max(...answers.map((answer) => answer.notBeforeMs ?? 0));
    const isBlind = throttled.every((outcome) => outcome.waitSource === 'backoff');
    return { kind: 'throttled', notBeforeMs, isBlind };
  }
  if (first.kind === 'unavailable' && !isCutOff) return { kind: 'unavailable', outcome: first };
  return { kind: 'cut-off' };
}
