import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import {
  CONNECT_DEADLINE_MS,
  failureOf,
  type HttpFailure,
} from '../../../lib/customers-api/http-failure.ts';
import { noConnection, untrustedCertificate } from '../../../lib/customers-api/no-connection.ts';
import { startDeadline } from '../../../lib/customers-api/request-deadline.ts';
import type { ExportReason } from '../../../lib/exports/export-state.ts';
import { mayTryAgain, RETRY_MS } from '../../../lib/exports/first-contact.ts';
import { waitFor } from '../../command/wait-for.ts';

const HTTPS_PORT = 443;

/** The API in `--base-url` cannot be reached. The message says why, and what to check. */
export class UnreachedApiError extends Error {
  override readonly name = 'UnreachedApiError';
  readonly code = 'API_UNREACHED';
  /** As of an export that could not begin. */
  readonly reason: Pick<ExportReason, 'code' | 'message'>;

  constructor(reason: UnreachedApiError['reason']) {
    super(reason.message);
    this.reason = reason;
  }
}

/**
 * Connects to an API as its first request will, and sends nothing: where that is not possible, a person learns it now.
 * It is tried as often as the first request of an export.
 *
 * @throws UnreachedApiError. What the signal says when it is aborted.
 */
export async function requireConnection(baseUrl: string, signal: AbortSignal): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    const startedAtMs = performance.now();
    const failure = await connectionFailure(new URL(baseUrl), signal);
    signal.throwIfAborted();
    if (failure === undefined) return;
    if (failure.reason === 'certificate')
      throw new UnreachedApiError({ code: 'refused', message: untrustedCertificate(failure) });
    if (!mayTryAgain(failures, performance.now() - startedAtMs)) {
      throw new UnreachedApiError({ code: 'unreachable', message: noConnection(failure) });
    }
    await waitFor(RETRY_MS, signal);
  }
}

/** `undefined`: TLS is set up, with a certificate that is trusted. */
async function connectionFailure(
  { hostname, port }: URL,
  signal: AbortSignal,
): Promise<HttpFailure | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({
    ...{ host, port: port === '' ? HTTPS_PORT : Number(port) },
    // An address is no name that a server could be chosen by (RFC 6066 section 3).
    ...(isIP(host) !== 0 ? {} : { servername: host }),
  });
  const deadline = startDeadline(signal, CONNECT_DEADLINE_MS);
  try {
    await once(socket, 'secureConnect', { signal: deadline.signal });
    return undefined;
  } catch (error) {
    return failureOf(error, deadline.endedBy(), 'kept');
  } finally {
    deadline.release();
    socket.on('error', () => undefined).destroy();
  }
}
