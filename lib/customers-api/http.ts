import ky from 'ky';
import { type ApiKey, revealKey } from '../key/api-key.ts';
import { failureOf, type HttpFailure } from './http-failure.ts';
import type { Fetch } from './https-fetch.ts';
import { startDeadline } from './request-deadline.ts';

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Asked at the last moment: `false` holds the request back. */
  readonly mayLeave?: () => boolean;
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
  readonly body: Uint8Array | HttpFailure;
}

export interface HttpSettings {
  readonly key: ApiKey;
  readonly header: string;
  readonly deadlineMs: number;
  readonly maxBodyBytes: number;
  readonly fetch: Fetch;
}

/** @param onHead Called as soon as status and headers are there, before the body is read. */
export type Send = (
  request: HttpRequest,
  onHead: (head: HttpHead) => void,
) => Promise<HttpAnswer | HttpFailure>;

/**
 * Makes the one function that talks to the API. Nothing of ky or fetch leaves it: their errors hold the
 * request. It follows no redirect, repeats nothing and ends with the deadline, body included.
 */
export function createSend(settings: HttpSettings): Send {
  const client = ky.create({
    retry: 0,
    throwHttpErrors: false,
    // Our deadline covers the body too; ky's timeout ends with the headers.
    timeout: false,
  });
  return async (request, onHead) => {
    const deadline = startDeadline(request.signal, request.deadlineMs ?? settings.deadlineMs);
    const { signal } = deadline;
    let head: HttpHead | undefined;
    const fail = (error?: unknown) => failureOf(error, deadline.endedBy());
    const answer = (body: Uint8Array | HttpFailure) =>
      head === undefined ? fail() : ({ kind: 'answer', ...head, body } as const);
    const exchange = async () => {
      // Without the signal, which ky would combine with one of its own: fetch gets it, and the race below
      // ends what does not listen to it.
      const { method, url } = request;
      const response = await client(url, { method, fetch: withKey(settings, request, signal) });
      head = { status: response.status, headers: response.headers };
      onHead(head);
      return answer(await readBody(response, settings.maxBodyBytes, signal).catch(fail));
    };
    try {
      // A fetch that does not listen to its signal must not hold up the caller.
      return await Promise.race([
        exchange().catch(fail),
        deadline.ended.then(() => answer(fail())),
      ]);
    } finally {
      deadline.release();
    }
  };
}

/**
 * Adds the key to the request at the last moment, so that ky's request, options and errors never hold
 * it. This is the one place outside `lib/key` that sees it.
 *
 * The request is written out once more instead of copied from ky's: requests that are made of others, with
 * signals that follow others, took a quarter of the CPU time of a page's request (1.3 against 1.0 ms).
 */
function withKey(
  { key, header, fetch }: HttpSettings,
  { method, url, headers, body, mayLeave }: HttpRequest,
  signal: AbortSignal,
): () => Promise<Response> {
  return () =>
    fetch(url, {
      method,
      headers: { ...headers, [header]: revealKey(key) },
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body }),
      ...(mayLeave === undefined ? {} : { mayLeave }),
    });
}

/** Reads until the end or the cap, whichever is first; the cap counts decompressed bytes. */
async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | HttpFailure> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const cancel = () => reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    while (true) {
      const { done, value } = await reader.read();
      // A cancelled stream looks like one that ended.
      signal.throwIfAborted();
      if (done)
        return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      bytes += value.byteLength;
      if (bytes > maxBytes) return { kind: 'failure', reason: 'too-large', sent: true };
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    // Without effect on a stream that was read to its end; else the rest is neither read nor decompressed.
    void cancel();
  }
}
