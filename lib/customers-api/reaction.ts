import { outlineOf } from '../json/json-outline.ts';
import { withoutByteOrderMark } from '../json/json-text.ts';
import { READ_ALWAYS } from './answer-plan.ts';
import { codeFact } from './error-body.ts';
import type { HttpAnswer, HttpHead } from './http.ts';
import type {
  AnswerFacts,
  AuthenticationFailure,
  Refused,
  Throttled,
  Unavailable,
} from './outcome.ts';
import { backoffSeconds, type ThrottleWait } from './throttle-wait.ts';

/** Request id headers in use, for the API's support. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id'];

/** The request was rejected for the key itself; a wait does not change it (RFC 9110 section 15.5.2). */
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
/** It answers a request that names what is kept already; none of ours does (RFC 9110 section 15.4.5). */
const NOT_MODIFIED = 304;

/** What an answer asks for by its status and headers. */
export type Reaction = Throttled | AuthenticationFailure | Unavailable | Refused;

interface ReactionContext {
  readonly authenticationStatuses: readonly number[];
  /** Throttles without a usable wait in a row before this one. */
  readonly guesses: number;
  /** 0 (inclusive) to 1 (exclusive), for the wait when the API names none. */
  readonly random: number;
}

/**
 * Reads an answer by its status and headers.
 *
 * @param wait What the headers ask for.
 * @returns `undefined` for a 2xx, whose body decides.
 */
export function reactionTo(
  status: number,
  wait: ThrottleWait | undefined,
  context: ReactionContext,
): Reaction | undefined {
  if (status >= 200 && status < 300) return undefined;
  // By any `Retry-After`, also by one whose wait is a guess; a window ends in most answers.
  const isAsked = wait !== undefined && wait.waitSource !== 'rate-limit-reset';
  if (isAsked && status !== UNAUTHORIZED) return { kind: 'throttled', status, ...wait };
  if (status === TOO_MANY_REQUESTS) {
    return { kind: 'throttled', status, ...(wait ?? guessedWait(context)) };
  }
  if (status === UNAUTHORIZED || context.authenticationStatuses.includes(status)) {
    return { kind: 'authentication-failure', status };
  }
  // 408 says that the server gave up waiting for the request, which may be repeated (RFC 9110 section 15.5.9).
  if (status >= 500 || status === 408 || status === NOT_MODIFIED) {
    const message =
      status === NOT_MODIFIED
        ? 'A cache in front of the API answered with status 304, as if an earlier answer were kept here. Repeat later; if it stays so, exempt the API from it.'
        : `The API answered with status ${status}. Repeat later.`;
    return { kind: 'unavailable', reason: 'server-error', message, status };
  }
  return status < 400 ? redirectRefusal(status) : clientErrorRefusal({ status });
}

/** The same with what the body says. @param errorBody See {@link errorOutline}. */
export function withFacts(
  reaction: Reaction,
  facts: AnswerFacts & { status: number },
  errorBody: unknown,
): Reaction {
  const isClientError = reaction.kind === 'refused' && reaction.reason === 'client-error';
  if (!isClientError) return { ...reaction, ...facts };
  return { ...clientErrorRefusal(facts), hasErrorBody: errorBody !== undefined };
}

/**
 * What of any answer is of use to a person, without anything that holds the key.
 *
 * @param errorBody The outline of an error's body.
 */
export function factsOf(
  { status, headers }: HttpHead,
  holdsKey: (text: string) => boolean,
  errorBody: unknown,
): AnswerFacts & { readonly status: number } {
  const requestId = REQUEST_ID_HEADERS.map((name) => headers.get(name)).find((id) => id !== null);
  return {
    status,
    ...codeFact(errorBody, holdsKey),
    ...(isShowable(requestId) && !holdsKey(requestId) ? { requestId } : {}),
  };
}

/** What is read of the body of an error, which may be cut; `undefined` where it does not even begin as JSON. */
export function errorOutline({ body }: HttpAnswer): unknown {
  if ('kind' in body) return undefined;
  const bytes = withoutByteOrderMark(body.bytes);
  const { value } = outlineOf({ bytes, lists: new Map() }, READ_ALWAYS);
  body.release();
  return value;
}

function isShowable(text: string | null | undefined): text is string {
  return typeof text === 'string' && /^[\w.:/+=-]{1,128}$/.test(text);
}

function guessedWait({ guesses, random }: ReactionContext): ThrottleWait {
  return { retryAfterSeconds: backoffSeconds(guesses, random), waitSource: 'backoff' };
}

function redirectRefusal(status: number): Refused {
  const message = `The API answered with a redirect (status ${status}), which is never followed because the key would travel along. Set baseUrl to the address that the API has now.`;
  return { kind: 'refused', reason: 'redirect', message, status };
}

function clientErrorRefusal(facts: AnswerFacts): Refused {
  const code = facts.apiCode === undefined ? '' : ` and code ${facts.apiCode}`;
  const message = `The API refused the request with status ${facts.status}${code}. Check baseUrl, the resource, the page (firstPage is the first) and perPage; repeating does not help.`;
  return { kind: 'refused', reason: 'client-error', message, ...facts };
}
