import { defined } from '../defined.ts';
import type { ListEvidence } from './list-evidence.ts';
import type { RateLimitFacts, ThrottleWait } from './throttle-wait.ts';

/** What listing one page came to. Nothing in it holds the key, a URL or an error body. */
export type ListOutcome = Page | Throttled | AuthenticationFailure | Unavailable | Refused;

/** What one write came to. */
export type WriteOutcome = WriteDone | Throttled | AuthenticationFailure | Refused | Unclear;

/** What reading one resource came to. */
export type ReadOutcome = Resource | Throttled | AuthenticationFailure | Unavailable | Refused;

/** Fields that any answer may carry for a person who looks into it. */
export interface AnswerFacts extends AskedWait {
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** The error code that the body names (`code`, `error.code`, …), when it is a short plain word. */
  readonly apiCode?: string;
  /** The answer's request id header, to be quoted to the API's support. */
  readonly requestId?: string;
  /** What the answer's RateLimit headers say, where there are any. */
  readonly rateLimit?: RateLimitFacts;
}

/** A wait that an answer of any status asks for by `Retry-After`, a 2xx too. */
export interface AskedWait {
  /** No request with this key before these whole seconds are over, 1 or more. */
  readonly retryAfterSeconds?: number;
  /** The header that asked for it, such as `Retry-After: 3600`, as it may be shown. */
  readonly waitAsSent?: string;
}

/** Of an answer only the wait that it asks for. */
export function askedWait({ retryAfterSeconds, waitAsSent }: AskedWait): AskedWait {
  return defined({ retryAfterSeconds, waitAsSent });
}

/** Of an answer only what may be stored and shown. */
export function answerFacts({
  status,
  apiCode,
  requestId,
}: AnswerFacts): Pick<AnswerFacts, 'status' | 'apiCode' | 'requestId'> {
  return defined({ status, apiCode, requestId });
}

/** One page of a list. */
export interface Page extends AskedWait {
  readonly kind: 'page';
  /** The page number that was asked for. */
  readonly page: number;
  /** The JSON text of each record exactly as received, without insignificant white space. */
  readonly records: readonly string[];
  /**
   * The JSON text of each record's id (`idKey`): every digit of a number, a string with its quotes; of two members with
   * its name the first one. `undefined` where there is none, and for `null` and `""`.
   */
  readonly ids: readonly (string | undefined)[];
  readonly recordCount: number;
  /** The same records as UTF-8 bytes, each followed by a line feed. A view of memory that holds other bytes too. */
  readonly ndjson: Uint8Array;
  /**
   * Gives the memory of `ndjson` to a later answer: who calls it reads neither `ndjson` nor `records` nor
   * `ids` any more. Who does not leaves it to the garbage collector.
   */
  readonly release?: () => void;
  /** The member that holds a record's id. */
  readonly idKey: string;
  /** Two words of 32 bits for each record, by which it is recognized on other pages, see `hashRecords`. */
  readonly recordHashes: Uint32Array;
  /** Equal for pages with the same records in any order. */
  readonly fingerprint: string;
  /** The parsed `meta` block, `undefined` when there is none, or when it holds the key. */
  readonly meta: unknown;
  /** The JSON text of the `meta` block as received, or `undefined` like `meta`. */
  readonly metaText: string | undefined;
  /** What the answer says about where the list ends. */
  readonly evidence: ListEvidence;
  readonly requestId?: string;
  /** What the answer's RateLimit headers say, where there are any. */
  readonly rateLimit?: RateLimitFacts;
}

/** The API asks to wait: no request with this key before `retryAfterSeconds` are over. */
export interface Throttled extends AnswerFacts, ThrottleWait {
  readonly kind: 'throttled';
  readonly retryAfterSeconds: number;
  readonly status: number;
  /** Nothing was sent: an earlier answer asked for the wait. */
  readonly isHeldBack?: true;
}

/** The key was not accepted: no further request with it. */
export interface AuthenticationFailure extends AnswerFacts {
  readonly kind: 'authentication-failure';
  readonly status: number;
}

/** No usable answer, for a reason that passes: repeat later. */
export interface Unavailable extends AnswerFacts {
  readonly kind: 'unavailable';
  readonly reason: UnavailableReason;
  /** A sentence for a person. */
  readonly message: string;
}

export type UnavailableReason =
  /** The connection broke. */
  | 'network'
  /** There was no connection, so nothing was sent: the address may be wrong. */
  | 'unreachable'
  /** The whole answer was not there before the deadline. */
  | 'timeout'
  /** The caller's signal ended the request. */
  | 'aborted'
  /** Status 5xx, 408, or the 304 of a cache in between. */
  | 'server-error'
  /** The body ended in the middle of its JSON. */
  | 'cut';

/** An answer that repeating does not change: something must be set or asked for first. */
export interface Refused extends AnswerFacts {
  readonly kind: 'refused';
  readonly reason: RefusedReason;
  /** Of a `client-error`: it has a body of JSON, as the API's own have, and not one of a proxy in front of it. */
  readonly hasErrorBody?: boolean;
  /** What came, what was expected and what to do. */
  readonly message: string;
}

/** What shows by whom a page was refused, and why. */
export type Refusal = Pick<Refused, 'status' | 'hasErrorBody' | 'apiCode'> &
  Partial<Pick<Refused, 'reason'>>;

export type RefusedReason =
  /** Another 4xx. */
  | 'client-error'
  /** 3xx: never followed, since the key would travel along. */
  | 'redirect'
  /** The server's certificate is not trusted; nothing was sent. */
  | 'certificate'
  /** A 2xx whose body reports an error. */
  | 'error-body'
  | 'not-json'
  /** No list where one was expected. */
  | 'items-missing'
  /** More than one list that could be meant; set `itemsKey`. */
  | 'items-ambiguous'
  /** The body is larger than `maxBodyBytes`, or the page has more records than are read. */
  | 'too-large'
  /** `meta`, or what else is around the records, is larger, deeper or has more members than is read. */
  | 'too-complex'
  /** The answer contains the API key. */
  | 'key-echo'
  /** Path, query, body or another header of the request contains the key; nothing was sent. */
  | 'key-in-request'
  /** A page equal to an earlier one: the list does not advance. */
  | 'not-advancing'
  /** `meta` and the pages contradict each other by a page or more. */
  | 'contradiction';

/** The write took effect. */
export interface WriteDone extends AskedWait {
  readonly kind: 'done';
  readonly status: number;
  /** The answer's JSON text; absent when empty, or when it held the key and was withheld. */
  readonly bodyText?: string;
  readonly requestId?: string;
}

/** Whether the write took effect is not known: check before repeating. */
export interface Unclear extends AnswerFacts {
  readonly kind: 'unclear';
  readonly reason:
    | UnavailableReason
    | 'redirect'
    | 'not-json'
    | 'too-large'
    | 'too-complex'
    /** A 2xx with a record that reports an error: it may be what the write made. */
    | 'error-body';
  /** `false` when no connection was made, so that the API cannot have acted. */
  readonly sent: boolean;
  readonly message: string;
}

/** One resource as received. */
export interface Resource extends AskedWait {
  readonly kind: 'resource';
  readonly status: number;
  /** The body's JSON text as received. */
  readonly bodyText: string;
  /** The member that holds a record's id. */
  readonly idKey: string;
  readonly requestId?: string;
}
