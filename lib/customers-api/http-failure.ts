import type { Whereabouts } from './departures.ts';
import type { EndedBy } from './request-deadline.ts';

/** Why no whole answer came. It holds no error object: those of the HTTP client hold the request. */
export interface HttpFailure {
  readonly kind: 'failure';
  readonly reason:
    | 'network'
    | 'unreachable'
    | 'timeout'
    | 'aborted'
    | 'certificate'
    | 'too-large'
    | 'key-in-request';
  /** The system's code, such as `ECONNRESET`. */
  readonly networkCode?: string;
  /** `false` when nothing left, so that the server cannot have seen the request. */
  readonly sent: boolean;
}

/**
 * Longest time until there is a connection, TLS included. It has room for the first two repeats of a lost packet, 1 and
 * 3 s after it (RFC 6298 section 5.7). undici's own limit is 10 s, too long for a person who has mistyped the host.
 */
export const CONNECT_DEADLINE_MS = 6_000;

/** Our own code for a connection that was not there in time. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT';

/** Our own code for an answer that is no HTTP, or none that was asked for, such as 100 and 101. */
export const NOT_HTTP = 'NOT_HTTP';

/**
 * Failures before anything left: there was no connection. One that was there, and whose host is lost, ends with some of
 * them too, since a system that gives up reports what routers told it (RFC 1122 section 4.2.3.9).
 */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** undici's own limits between bytes, 300 s each: shorter than the longest deadline. */
const TIMEOUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** A connection that broke, as one that was kept alive does when the server has closed it meanwhile. */
const CONNECTION_BROKE = new Set(['ECONNRESET', 'EPIPE']);

/**
 * The codes by which Node's TLS reports an untrusted, expired or foreign certificate ("X509 certificate error codes" in
 * tls.html); the last one is for each problem of OpenSSL that Node has no name for.
 */
const CERTIFICATE =
  /^(C(ERT|RL)_|ERR_TLS_CERT_|ERROR_IN_C|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_|UNSPECIFIED)/;

/**
 * Turns whatever ky or fetch threw into a value that is safe to show.
 *
 * @param where What is known of the request.
 */
export function failureOf(
  error: unknown,
  endedBy: EndedBy | undefined,
  where: Whereabouts,
): HttpFailure {
  const isKept = where === 'kept';
  if (endedBy === 'held-back') return unsent('network', 'HELD_BACK');
  if (endedBy === 'repeated') return lost('REPEATED');
  if (endedBy === 'timeout' && isKept) return unsent('unreachable', CONNECT_TIMEOUT);
  if (endedBy !== undefined) return { kind: 'failure', reason: endedBy, sent: !isKept };
  const code = codeOf(error, 0);
  if (code === undefined) return { kind: 'failure', reason: 'network', sent: !isKept };
  if (TIMEOUT.has(code)) return { kind: 'failure', reason: 'timeout', sent: true };
  if (where === 'left') return lost(code);
  if (CERTIFICATE.test(code)) return unsent('certificate', code);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return unsent('unreachable', CONNECT_TIMEOUT);
  return isKept || NEVER_CONNECTED.has(code) ? unsent('unreachable', code) : lost(code);
}

function unsent(reason: HttpFailure['reason'], networkCode: string): HttpFailure {
  return { kind: 'failure', reason, networkCode, sent: false };
}

function lost(networkCode: string): HttpFailure {
  return { kind: 'failure', reason: 'network', networkCode, sent: true };
}

/** How the answer was lost, for those to whom any reason of our own not to send is one of the network. */
export function lossOf({ reason }: HttpFailure) {
  return reason === 'certificate' || reason === 'key-in-request' ? 'network' : reason;
}

/** Whether a request without effect may be sent once more at once. */
export function connectionBroke({ networkCode = '' }: HttpFailure): boolean {
  return CONNECTION_BROKE.has(networkCode);
}

// fetch wraps the socket's error once, ky once more, and a name with two addresses adds a list.
const MAX_CAUSES = 5;

function codeOf(error: unknown, depth: number): string | undefined {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return undefined;
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(error.code)) {
    if (error.code !== 'UND_ERR_SOCKET') return error.code;
    // undici has this name for a connection that the other side closed, and for one that it closes by itself over an
    // answer of a status that nobody asked for. That one may ask to wait, which is not seen.
    const isBadAnswer = 'message' in error && String(error.message).startsWith('bad ');
    return isBadAnswer ? NOT_HTTP : 'ECONNRESET';
  }
  if ('name' in error && error.name === 'HTTPParserError') return NOT_HTTP;
  return 'cause' in error ? codeOf(error.cause, depth + 1) : undefined;
}
