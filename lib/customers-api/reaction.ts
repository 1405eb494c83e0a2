import { apiCodeOf } from './error-body.ts';
import type { HttpAnswer } from './http.ts';
import type {
  AnswerFacts,
  AuthenticationFailure,
  Refused,
  Throttled,
  Unavailable,
} from './outcome.ts';
import { backoffSeconds, rateLimitResetSecondsOf, retryAfterSecondsOf } from './throttle-wait.ts';

/** Request id headers in use, for the API's support. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id'];

/** The request was rejected for the key itself; a wait does not change it (RFC 9110 section 15.5.2). */
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;

/** What an answer asks for by its status and headers. */
export type Reaction = Throttled | AuthenticationFailure | Unavailable | Refused;

/** What decides a reaction besides the answer. */
export interface ReactionContext {
  readonly authenticationStatuses: readonly number[];
  /** Whether a text holds the key. */
  readonly holdsKey: (text: string) => boolean;
  readonly nowMs: number;
  /** Throttles without a usable wait in a row before this one. */
  readonly guesses: number;
  /** 0 (inclusive) to 1 (exclusive), for the wait when the API names none. */
  readonly random: number;
}

/**
 * Reads an answer by its status and headers.
 *
 * @returns `undefined` for a 2xx, whose body decides.
 */
export function reactionTo(answer: HttpAnswer, context: ReactionContext): Reaction | undefined {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return undefined;
  const facts = { ...factsOf(answer, context), status };
  const retryAfterSeconds = retryAfterSecondsOf(headers, context.nowMs);
  const isThrottled = retryAfterSeconds !== undefined && status !== UNAUTHORIZED;
  if (isThrottled)
    return { kind: 'throttled', ...facts, retryAfterSeconds, waitSource: 'retry-after' };
  if (status === TOO_MANY_REQUESTS)
    return { kind: 'throttled', ...facts, ...guessedWait(headers, context) };
  if (status === UNAUTHORIZED || context.authenticationStatuses.includes(status)) {
    return { kind: 'authentication-failure', ...facts };
  }
  // 408 says that the server gave up waiting for the request, which may be repeated (RFC 9110 section 15.5.9).
  if (status >= 500 || status === 408) {
    const message = `The API answered with status ${status}. Repeat later.`;
    return { kind: 'unavailable', reason: 'server-error', message, ...facts };
  }
  return status < 400 ? redirectRefusal(facts) : clientErrorRefusal(facts);
}

/** What any answer tells a person, without anything that holds the key. */
export function factsOf(
  { status, headers, body }: HttpAnswer,
  { holdsKey }: Pick<ReactionContext, 'holdsKey'>,
): AnswerFacts {
  const code = 'kind' in body ? undefined : apiCodeOf(parseQuietly(body));
  const requestId = REQUEST_ID_HEADERS.map((name) => headers.get(name)).find((id) => id !== null);
  return {
    status,
    ...(code === undefined || holdsKey(code) ? {} : { apiCode: code }),
    ...(isShowable(requestId) && !holdsKey(requestId) ? { requestId } : {}),
  };
}

function isShowable(text: string | null | undefined): text is string {
  return typeof text === 'string' && /^[\w.:/+=-]{1,128}$/.test(text);
}

function guessedWait(
  headers: Headers,
  { nowMs, guesses, random }: ReactionContext,
): Pick<Throttled, 'retryAfterSeconds' | 'waitSource'> {
  const reset = rateLimitResetSecondsOf(headers, nowMs);
  return reset === undefined
    ? { retryAfterSeconds: backoffSeconds(guesses, random), waitSource: 'backoff' }
    : { retryAfterSeconds: reset, waitSource: 'rate-limit-reset' };
}

function redirectRefusal(facts: AnswerFacts): Refused {
  const message = `The API answered with a redirect (status ${facts.status}), which is never followed because the key would travel along. Set baseUrl to the address that the API has now.`;
  return { kind: 'refused', reason: 'redirect', message, ...facts };
}

function clientErrorRefusal(facts: AnswerFacts): Refused {
  const code = facts.apiCode === undefined ? '' : ` and code ${facts.apiCode}`;
  const message = `The API refused the request with status ${facts.status}${code}. Check baseUrl, the resource, page and perPage; repeating does not help.`;
  return { kind: 'refused', reason: 'client-error', message, ...facts };
}

function parseQuietly(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
