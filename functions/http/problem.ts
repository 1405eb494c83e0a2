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

type ProblemKind = readonly [status: number, title: string];

const BAD_GATEWAY = 502;

/** Every problem with the one status and the one title that it has. */
const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  'invalid-request': [400, 'The request is not valid'],
  'key-in-request': [400, 'The request holds the key'],
  'unknown-route': [404, 'There is no such route'],
  'unknown-connection': [404, 'There is no such connection'],
  'unknown-export': [404, 'There is no such export'],
  'unknown-list': [404, 'The connection has no such list'],
  'unknown-write': [404, 'There is no such write'],
  'method-not-allowed': [405, 'The route has no such method'],
  'unknown-caller': [403, 'It is not known who asks'],
  halted: [409, 'The connection is halted'],
  'write-conflict': [409, 'Another write has this id'],
  'not-unclear': [409, 'There is nothing to settle'],
  'not-completed': [409, 'The export is not completed'],
  'not-compared': [409, 'The export was not compared'],
  'not-waiting': [409, 'There is nothing to decide'],
  'not-cancellable': [409, 'It is too late to cancel the export'],
  'files-gone': [410, 'The files of the export are gone'],
  throttled: [429, 'The customers API asks to wait'],
  internal: [500, 'Something failed here'],
  'unreadable-item': [500, 'An item of the ledger cannot be read'],
  'line-full': [503, 'Too many writes wait for their turn'],
  'organization-unproven': [503, 'The key is new, and not yet known'],
  'page-too-large': [BAD_GATEWAY, 'The page is too large to hand on'],
  'upstream-network': [BAD_GATEWAY, 'The connection to the customers API broke'],
  'upstream-unreachable': [BAD_GATEWAY, 'The customers API was not reached'],
  'upstream-server-error': [BAD_GATEWAY, 'The customers API failed'],
  'upstream-cut': [BAD_GATEWAY, 'The answer of the customers API broke off'],
  'upstream-timeout': [504, 'The customers API took too long'],
  'upstream-client-error': [BAD_GATEWAY, 'The customers API refused the request'],
  'upstream-redirect': [BAD_GATEWAY, 'The customers API has moved'],
  'upstream-certificate': [BAD_GATEWAY, 'The certificate is not trusted'],
  'upstream-error-body': [BAD_GATEWAY, 'The customers API reports an error'],
  'upstream-not-json': [BAD_GATEWAY, 'The answer is not JSON'],
  'upstream-items-missing': [BAD_GATEWAY, 'The answer holds no list'],
  'upstream-items-ambiguous': [BAD_GATEWAY, 'The answer holds several lists'],
  'upstream-too-large': [BAD_GATEWAY, 'The answer is larger than allowed'],
  'upstream-too-complex': [BAD_GATEWAY, 'The answer is more complex than is read'],
  'upstream-key-echo': [BAD_GATEWAY, 'The answer contained the key'],
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
  const [status, title] = PROBLEMS[code];
  const type = `urn:customers-functions:problem:${code}`;
  const instance = `urn:uuid:${requestId}`;
  return jsonAnswer(
    status,
    { type, title, status, detail, instance, code, ...members },
    { 'Content-Type': 'application/problem+json', ...headers },
  );
}
