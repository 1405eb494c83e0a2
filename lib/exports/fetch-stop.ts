import type {
  AuthenticationFailure,
  ListOutcome,
  Refused,
  Unavailable,
} from '../customers-api/outcome.ts';

/** Why no further page is fetched in this step. */
export type FetchStop =
  /** Time is nearly up. */
  | { readonly kind: 'time-up' }
  /** Time was up before an answer was here, which may have asked to wait. */
  | { readonly kind: 'cut-off' }
  /** The pace allows the next request only so late that waiting here would be idling. */
  | { readonly kind: 'paced'; readonly notBeforeMs: number }
  /** Another caller with the same key was throttled. */
  | { readonly kind: 'blocked' }
  /** Another caller with the same key version failed authentication. */
  | { readonly kind: 'key-halted' }
  | { readonly kind: 'throttled'; readonly notBeforeMs: number; readonly isBlind: boolean }
  | { readonly kind: 'authentication-failure'; readonly outcome: AuthenticationFailure }
  | { readonly kind: 'unavailable'; readonly outcome: Unavailable }
  | { readonly kind: 'refused'; readonly outcome: Refused };

export interface Answer {
  readonly outcome?: ListOutcome;
  /** Until when a throttled outcome asks to wait. */
  readonly notBeforeMs?: number;
}

/**
 * Decides what a step came to whose pages do not go on.
 *
 * @param first The first answer in page order that is no page.
 * @param answers All that were under way with it, itself included.
 * @param isCutOff Whether this side ended the requests.
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
