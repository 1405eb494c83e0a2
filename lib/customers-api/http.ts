import ky from 'ky';
import { defined } from '../defined.ts';
import { revealKey } from '../key/api-key.ts';
import { type BodyBuffer, BodyBuffers } from './body-buffers.ts';
import { createDepartures } from './departures.ts';
import { CONNECT_DEADLINE_MS, failureOf, type HttpFailure } from './http-failure.ts';
import { type ReadLimits, readBody } from './read-body.ts';
import { startDeadline, startTimer } from './request-deadline.ts';
import type { CustomersClientSettings } from './settings.ts';

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  /** A URL, query included. */
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when it leaves, once its connection is there; by Node's fetch alone. */
  readonly onLeave?: (() => void) | undefined;
  /** Less than the client's deadline, for a second try. */
  readonly deadlineMs?: number | undefined;
}

export interface HttpHead {
  readonly status: number;
  readonly headers: Headers;
}

/** An answer whose status and headers arrived; the body may still have failed. */
export interface HttpAnswer extends HttpHead {
  readonly kind: 'answer';
  readonly body: BodyBuffer | HttpFailure;
}

interface HttpSettings
  extends Pick<
    CustomersClientSettings,
    'key' | 'header' | 'deadlineMs' | 'maxBodyBytes' | 'fetch' | 'now'
  > {
  /** @default 6,000 */
  readonly connectDeadlineMs?: number;
}

export interface Http {
  /** @param onHead Called as soon as status and headers are there, before the body is read. */
  readonly send: (
    request: HttpRequest,
    onHead: (head: HttpHead) => void,
  ) => Promise<HttpAnswer | HttpFailure>;
  /** Keeps requests that have not left yet from leaving. */
  readonly holdBack: () => void;
}

/** Of an error only a code is read, which stands near the beginning. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** Other processes hear of a wait once its answer is over, so a body that does not end must not keep it from them. */
const MAX_ERROR_BODY_MS = 1_000;

function limitsFor(isSuccess: boolean, maxBodyBytes: number): Omit<ReadLimits, 'signal'> {
  return isSuccess
    ? { maxBytes: maxBodyBytes, beyond: 'fails' }
    : { maxBytes: Math.min(MAX_ERROR_BODY_BYTES, maxBodyBytes), beyond: 'is-left-out' };
}

/** Of an answer whose status fetch keeps to itself nothing else is of use. */
function asksToWait(headers: Headers): boolean {
  return [...headers.keys()].join().includes('retry-after');
}

/** One for all connections of a process: a worker meets many, one after the other. */
const buffers = new BodyBuffers();

const KY_OPTIONS = {
  retry: 0,
  throwHttpErrors: false,
  // Our deadline covers the body too; ky's timeout ends with the headers.
  timeout: false,
} as const;

const NO_BODY: BodyBuffer = { bytes: new Uint8Array(), release: () => {} };

/**
 * Makes what sends one client's requests. Nothing of ky or fetch leaves it: their errors hold the request. It
 * follows no redirect, repeats nothing and ends with the deadline, body included.
 */
export function createHttp(settings: HttpSettings): Http {
  // Node's own fetch repeats a request after a 421; what a user's fetch does is the user's decision.
  const isNodes = settings.fetch === globalThis.fetch;
  const departures = createDepartures(!isNodes);
  const { now, connectDeadlineMs = CONNECT_DEADLINE_MS } = settings;

  const send: Http['send'] = async (request, onHead) => {
    const deadlineMs = request.deadlineMs ?? settings.deadlineMs;
    const deadline = startDeadline(request.signal, deadlineMs);
    const { signal } = deadline;
    let head: HttpHead | undefined;
    const heard = (answered: HttpHead) => {
      head = answered;
      onHead(answered);
    };
    const begunAtMs = now();
    const call = departures.begin({
      // A process that stood still gets what came meanwhile before the timers that are over.
      mayLeave: (hasLeft) => now() - begunAtMs <= (hasLeft ? deadlineMs : connectDeadlineMs),
      abort: (hasLeft) => deadline.end(hasLeft ? 'repeated' : 'held-back'),
      onLeave: request.onLeave,
      onHidden: (hidden) => {
        if (asksToWait(hidden.headers)) heard(hidden);
      },
    });
    let stop = startTimer(connectDeadlineMs, () => {
      if (call.whereabouts() === 'kept') deadline.end('timeout');
    });
    const fail = (error?: unknown) => failureOf(error, deadline.endedBy(), call.whereabouts());
    const answer = (body: BodyBuffer | HttpFailure) => {
      if (head !== undefined) return { kind: 'answer', ...head, body } as const;
      return 'kind' in body ? body : fail();
    };
    const exchange = async () => {
      const { method, address, headers, body } = request;
      const options = {
        ...KY_OPTIONS,
        method,
        fetch: fetchWith(settings, signal, () => (isNodes ? departures.fetchOptions() : {})),
        ...defined({ headers, body }),
      };
      const response = await call.run(() => ky(address, options));
      heard({ status: response.status, headers: response.headers });
      if (response.body === null) return answer(NO_BODY);
      stop();
      if (!response.ok) stop = startTimer(MAX_ERROR_BODY_MS, () => deadline.end('timeout'));
      const limits = limitsFor(response.ok, settings.maxBodyBytes);
      const bytes = await readBody(response.body, buffers, { ...limits, signal }).catch(fail);
      return answer(bytes);
    };
    try {
      // A fetch that does not listen to its signal must not hold up the caller.
      return await Promise.race([
        exchange().catch((error: unknown) => answer(fail(error))),
        deadline.ended.then(() => answer(fail())),
      ]);
    } finally {
      stop();
      deadline.release();
    }
  };
  return { send, holdBack: departures.holdBack };
}

/**
 * The fetch that ky calls. It adds the key at the last moment, to a request of its own, so that ky's request,
 * options and errors never hold it. This is the one place outside `lib/key` that sees it. The signal is added
 * here too: ky would combine it with one of its own, which holds it weakly, so that an abort can be lost.
 */
function fetchWith(
  { key, header, fetch }: HttpSettings,
  signal: AbortSignal,
  more: () => RequestInit,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const { url, method } = request;
    // A plain object, which a user's fetch can spread. What all requests have is added here: ky copies it five times.
    const headers = {
      accept: 'application/json',
      ...Object.fromEntries(request.headers),
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'customers-functions',
      [header]: revealKey(key),
    };
    // As text, so that it is sent with its length.
    const body = request.body === null ? undefined : await request.text();
    const options = { method, headers, redirect: 'manual', signal, ...defined({ body }) } as const;
    return fetch(url, { ...more(), ...options });
  };
}
