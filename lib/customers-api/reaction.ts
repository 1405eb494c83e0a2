import { apiCodeOf } from './error-body.ts';
import type { HttpAnswer, HttpHead } from './http.ts';
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
export function reactionTo(
  { status, headers }: HttpHead,
  context: ReactionContext,
): Reaction | undefined {
  if (status >= 200 && status < 300) return undefined;
  const retryAfterSeconds = retryAfterSecondsOf(headers, context.nowMs);
  if (retryAfterSeconds !== undefined && status !== UNAUTHORIZED) {
    return { kind: 'throttled', status, retryAfterSeconds, waitSource: 'retry-after' };
  }
  if (status === TOO_MANY_REQUESTS) {
    return { kind: 'throttled', status, ...guessedWait(headers, context) };
  }
  if (status === UNAUTHORIZED || context.authenticationStatuses.includes(status)) {
    return { kind: 'authentication-failure', status };
  }
  // 408 says that the server gave up waiting for the request, which may be repeated (RFC 9110 section 15.5.9).
  if (status >= 500 || status === 408) {
    const message = `The API answered with status ${status}. Repeat later.`;
    return { kind: 'unavailable', reason: 'server-error', message, status };
  }
  return status < 400 ? redirectRefusal(status) : clientErrorRefusal({ status });
}

/** The same with what the body tells. */
export function withFacts(reaction: Reaction, facts: AnswerFacts & { status: number }): Reaction {
  const isClientError = reaction.kind === 'refused' && reaction.reason === 'client-error';
  return isClientError ? clientErrorRefusal(facts) : { ...reaction, ...facts };
}

/**
 * What any answer tells a person, without anything that holds the key.
 *
 * @param errorBody The parsed body of an error.
 */
export function factsOf(
  { status, headers }: HttpHead,
  holdsKey: (text: string) => boolean,
  errorBody?: unknown,
): AnswerFacts & { readonly status: number } {
  const code = apiCodeOf(errorBody);
  const requestId = REQUEST_ID_HEADERS.map((name) => headers.get(name)).find((id) => id !== null);
  return {
    status,
    ...(code === undefined || holdsKey(code) ? {} : { apiCode: code }),
    ...(isShowable(requestId) && !holdsKey(requestId) ? { requestId } : {}),
  };
}

/** The parsed body of an answer, if there is one that can be parsed. */
export function parseQuietly({ body }: HttpAnswer): unknown {
  if ('kind' in body) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body.bytes));
  } catch {
    return undefined;
  }
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

function redirectRefusal(status: number): Refused {
  const message = `The API answered with a redirect (status ${status}), which is never followed because the key would travel along. Set baseUrl to the address that the API has now.`;
  return { kind: 'refused', reason: 'redirect', message, status };
}

function clientErrorRefusal(facts: AnswerFacts): Refused {
  const code = facts.apiCode === undefined ? '' : ` and code ${facts.apiCode}`;
  const message = `The API refused the request with status ${facts.status}${code}. Check baseUrl, the resource, page and perPage; repeating does not help.`;
  return { kind: 'refused', reason: 'client-error', message, ...facts };
}
