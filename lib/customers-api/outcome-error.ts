import { CustomersError } from '../errors.ts';
import type {
  AnswerFacts,
  AuthenticationFailure,
  Refused,
  Throttled,
  Unavailable,
} from './outcome.ts';
import type { Walk } from './walks/walker.ts';

/** Base of the errors that end a loop over a list. */
export abstract class ListError extends CustomersError {
  /** Where the list stopped: give it to `pages({ resume })` or `customers({ resume })` to go on. */
  readonly walk: Walk;
  /** HTTP status, when there was an answer. */
  readonly status: number | undefined;
  /** The API's own code of the error, when it named one. */
  readonly apiCode: string | undefined;
  /** To be quoted to the API's support. */
  readonly requestId: string | undefined;

  /** @param page The one that was asked for. */
  constructor(message: string, walk: Walk, facts: AnswerFacts, page = walk.list.nextPage) {
    super(`Page ${page}: ${message}`);
    this.walk = walk;
    this.status = facts.status;
    this.apiCode = facts.apiCode;
    this.requestId = facts.requestId;
  }
}

/** The API asks to wait longer than the loop was allowed to: go on after `retryAfterSeconds`. */
export class ThrottledError extends ListError {
  override readonly name = 'ThrottledError';
  readonly code = 'THROTTLED';
  readonly retryAfterSeconds: number;

  constructor(outcome: Throttled, walk: Walk, page?: number) {
    super(
      `The API asks to wait ${outcome.retryAfterSeconds} s (status ${outcome.status}). Make no request with this key before, then go on with resume: error.walk; or let the loop wait by setting maxWaitSeconds.`,
      walk,
      outcome,
      page,
    );
    this.retryAfterSeconds = outcome.retryAfterSeconds;
  }
}

/** The API rejected the key: make no further request with it, store a valid one. */
export class AuthenticationError extends ListError {
  override readonly name = 'AuthenticationError';
  readonly code = 'AUTHENTICATION_FAILED';

  constructor(outcome: AuthenticationFailure, walk: Walk, page?: number) {
    super(
      `The API rejected the key (status ${outcome.status}). Make no further request with it; create a new key in the organization's integration settings and store it.`,
      walk,
      outcome,
      page,
    );
  }
}

/** No usable answer came, for a reason that passes: go on later. */
export class UnavailableError extends ListError {
  override readonly name = 'UnavailableError';
  readonly code = 'UNAVAILABLE';
  readonly reason: Unavailable['reason'];

  constructor(outcome: Unavailable, walk: Walk, page?: number) {
    super(outcome.message, walk, outcome, page);
    this.reason = outcome.reason;
  }
}

/** The answer cannot be used and repeating does not change it: the message says what to set. */
export class RefusedError extends ListError {
  override readonly name = 'RefusedError';
  readonly code = 'REFUSED';
  readonly reason: Refused['reason'];

  constructor(
    outcome: Pick<Refused, 'reason' | 'message'> & AnswerFacts,
    walk: Walk,
    page?: number,
  ) {
    super(outcome.message, walk, outcome, page);
    this.reason = outcome.reason;
  }
}

export function errorOf(
  outcome: Throttled | AuthenticationFailure | Unavailable | Refused,
  walk: Walk,
  page: number,
): CustomersError {
  switch (outcome.kind) {
    case 'throttled':
      return new ThrottledError(outcome, walk, page);
    case 'authentication-failure':
      return new AuthenticationError(outcome, walk, page);
    case 'unavailable':
      return new UnavailableError(outcome, walk, page);
    case 'refused':
      return new RefusedError(outcome, walk, page);
  }
}
