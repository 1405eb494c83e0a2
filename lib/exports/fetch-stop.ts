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
 * The step does not wait longer than this for the pace, or for the end of a wait that came with a page; the queue
 * does. A separate step costs as much as about two seconds of an idle function of 512 MB (Lambda against SQS,
 * DynamoDB and S3, us-east-1, 2026). The limit is higher than that, since the next step would store a part for a
 * single page.
 */
const MAX_IDLE_MS = 10_000;

/**
 * Where others use up the limit, a step waits longer for a place: the next one would begin behind all of them again,
 * and an export could go from step to step without a page.
 */
const MAX_IDLE_FOR_PLACE_MS = 60_000;

/** Shorter before a burst, since the next step then gets many pages at once. */
const MAX_IDLE_BEFORE_BURST_MS = 2_000;

/** When the next request may be sent, and what a step knows of its own time. */
interface NextRequest {
  /** The end of the latest wait that the API asked for. */
  readonly blockedUntilMs: number;
  /** By the rate and the wait. */
  readonly paceAtMs: number;
  /** When there is a place too: `paceAtMs` or later. */
  readonly dueAtMs: number;
  /** When several requests may be sent at once, see `Pacer`. */
  readonly burstAtMs: number | undefined;
  /** How long an answer takes. */
  readonly latencyMs: number;
  readonly stopAtMs: number;
}

/** Decides why a step leaves the next request to another one; `undefined` while it waits for it itself. */
export function stopToWait(nowMs: number, next: NextRequest): FetchStop | undefined {
  const { blockedUntilMs, paceAtMs, dueAtMs, burstAtMs, latencyMs, stopAtMs } = next;
  // A request whose answer would be aborted is wasted.
  const isTooLate = Math.max(nowMs + 1, dueAtMs) + latencyMs > stopAtMs;
  if (blockedUntilMs > nowMs && (blockedUntilMs - nowMs > MAX_IDLE_MS || isTooLate)) {
    return { kind: 'blocked', notBeforeMs: blockedUntilMs };
  }
  const idleMs = paceAtMs - nowMs;
  if (burstAtMs !== undefined && idleMs > MAX_IDLE_BEFORE_BURST_MS) {
    return { kind: 'paced', notBeforeMs: Math.ceil(Math.max(burstAtMs, dueAtMs)) };
  }
  if (idleMs > MAX_IDLE_MS || dueAtMs - nowMs > MAX_IDLE_FOR_PLACE_MS) {
    return { kind: 'paced', notBeforeMs: Math.ceil(dueAtMs) };
  }
  return isTooLate ? { kind: 'time-up' } : undefined;
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
