import type { RefusedReason, UnavailableReason } from '../../lib/customers-api/outcome.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { UnknownConnectionError } from '../aws/known-connections.ts';
import { type Answer, jsonAnswer } from './answer.ts';

/** What a problem is, to be matched on instead of the texts. */
export type ProblemCode =
  | 'invalid-request'
  | 'unknown-route'
  | 'unknown-connection'
  | 'unknown-export'
  | 'unknown-list'
  | 'unknown-write'
  | 'method-not-allowed'
  | 'halted'
  | 'write-conflict'
  | 'not-unclear'
  | 'not-completed'
  | 'not-compared'
  | 'not-waiting'
  | 'not-cancellable'
  | 'files-gone'
  | 'unknown-caller'
  | 'line-full'
  | 'organization-unproven'
  | 'throttled'
  | 'internal'
  | 'unreadable-item'
  | 'page-too-large'
  | 'key-in-request'
  | UpstreamCode;

/** The customers API, or the way to it, failed. */
export type UpstreamCode = `upstream-${Exclude<UnavailableReason, 'aborted'> | ListRefusedReason}`;

/** Why one page cannot be used: the other reasons need more pages than one, or are the caller's. */
type ListRefusedReason = Exclude<
  RefusedReason,
  'not-advancing' | 'contradiction' | 'key-in-request'
>;

interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

const BAD_GATEWAY = 502;

/** Every problem with the one status and the one title that it has. */
const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  'key-in-request': { status: 400, title: 'The request holds the key' },
  'unknown-route': { status: 404, title: 'There is no such route' },
  'unknown-connection': { status: 404, title: 'There is no such connection' },
  'unknown-export': { status: 404, title: 'There is no such export' },
  'unknown-list': { status: 404, title: 'The connection has no such list' },
  'unknown-write': { status: 404, title: 'There is no such write' },
  'method-not-allowed': { status: 405, title: 'The route has no such method' },
  'unknown-caller': { status: 403, title: 'It is not known who asks' },
  halted: { status: 409, title: 'The connection is halted' },
  'write-conflict': { status: 409, title: 'Another write has this id' },
  'not-unclear': { status: 409, title: 'There is nothing to settle' },
  'not-completed': { status: 409, title: 'The export is not completed' },
  'not-compared': { status: 409, title: 'The export was not compared' },
  'not-waiting': { status: 409, title: 'There is nothing to decide' },
  'not-cancellable': { status: 409, title: 'It is too late to cancel the export' },
  'files-gone': { status: 410, title: 'The files of the export are gone' },
  throttled: { status: 429, title: 'The customers API asks to wait' },
  internal: { status: 500, title: 'Something failed here' },
  'unreadable-item': { status: 500, title: 'An item of the ledger cannot be read' },
  'line-full': { status: 503, title: 'Too many writes wait for their turn' },
  'organization-unproven': { status: 503, title: 'The key is new, and not yet known' },
  'page-too-large': { status: BAD_GATEWAY, title: 'The page is too large to hand on' },
  'upstream-network': { status: BAD_GATEWAY, title: 'The connection to the customers API broke' },
  'upstream-unreachable': { status: BAD_GATEWAY, title: 'The customers API was not reached' },
  'upstream-server-error': { status: BAD_GATEWAY, title: 'The customers API failed' },
  'upstream-cut': { status: BAD_GATEWAY, title: 'The answer of the customers API broke off' },
  'upstream-timeout': { status: 504, title: 'The customers API took too long' },
  'upstream-client-error': { status: BAD_GATEWAY, title: 'The customers API refused the request' },
  'upstream-redirect': { status: BAD_GATEWAY, title: 'The customers API has moved' },
  'upstream-certificate': { status: BAD_GATEWAY, title: 'The certificate is not trusted' },
  'upstream-error-body': { status: BAD_GATEWAY, title: 'The customers API reports an error' },
  'upstream-not-json': { status: BAD_GATEWAY, title: 'The answer is not JSON' },
  'upstream-items-missing': { status: BAD_GATEWAY, title: 'The answer holds no list' },
  'upstream-items-ambiguous': { status: BAD_GATEWAY, title: 'The answer holds several lists' },
  'upstream-too-large': { status: BAD_GATEWAY, title: 'The answer is larger than allowed' },
  'upstream-too-complex': { status: BAD_GATEWAY, title: 'The answer is more complex than is read' },
  'upstream-key-echo': { status: BAD_GATEWAY, title: 'The answer contained the key' },
};

export function problemCodes(): readonly string[] {
  return Object.keys(PROBLEMS);
}

/** A problem as a route finds it. Nothing in it comes from a body, a header or the query of the caller. */
export interface Problem {
  readonly kind: 'problem';
  readonly code: ProblemCode;
  /** What happened, what was expected and what to do. */
  readonly detail: string;
  readonly members?: ProblemMembers;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Members besides those of RFC 9457 section 3.1. */
export interface ProblemMembers {
  /** The part of the request that is wrong. */
  readonly field?: string;
  /** Why the connection is halted. */
  readonly reason?: string;
  /** The export that is halted. */
  readonly exportId?: string;
  /** The status of the export that is not as the route needs it. */
  readonly exportStatus?: ExportState['status'] | 'queued';
  /** Why there are no changes of the export. */
  readonly changesStatus?: 'waiting' | 'incomplete' | 'first' | 'refused' | 'overtaken';
  readonly retryAfterSeconds?: number;
  /** What the customers API answered, as far as it may be shown. */
  readonly upstream?: {
    readonly status?: number;
    readonly code?: string;
    readonly requestId?: string;
  };
}

export function problem(
  code: ProblemCode,
  detail: string,
  members: ProblemMembers = {},
  headers: Readonly<Record<string, string>> = {},
): Problem {
  return { kind: 'problem', code, detail, members, headers };
}

/** @param field The part of the request that is wrong. */
export function invalidRequest(field: string, detail: string): Problem {
  return problem('invalid-request', detail, { field });
}

/** @param does What is kept with the name of who does it. */
export function unknownCaller(does: string): Problem {
  const detail = `Who ${does} is written down: expected a token with the claim sub.`;
  return problem('unknown-caller', detail);
}

export function unknownConnection({ message } = new UnknownConnectionError()): Problem {
  return problem('unknown-connection', message, { field: 'connection' });
}

/**
 * Answers with problem details (RFC 9457).
 *
 * @param requestId Lambda's, a UUID: `instance` leads to the lines of the log.
 */
export function problemAnswer(found: Problem, requestId: string): Answer {
  const { code, detail, members, headers } = found;
  const { status, title } = PROBLEMS[code];
  const type = `urn:customers-functions:problem:${code}`;
  const instance = `urn:uuid:${requestId}`;
  return jsonAnswer(
    status,
    { type, title, status, detail, instance, code, ...members },
    { 'Content-Type': 'application/problem+json', ...headers },
  );
}
