import ky from 'ky';
import { type ApiKey, revealKey } from '../key/api-key.ts';
import { failureOf, type HttpFailure } from './http-failure.ts';
import { startDeadline } from './request-deadline.ts';

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
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
  readonly fetch: typeof fetch;
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
    redirect: 'manual',
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
      const { method, url, headers, body } = request;
      const response = await client(url, {
        method,
        headers,
        signal,
        fetch: withKey(settings, signal),
        ...(body === undefined ? {} : { body }),
      });
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
 */
function withKey({ key, header, fetch }: HttpSettings, signal: AbortSignal): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init);
    const headers = new Headers(request.headers);
    headers.set(header, revealKey(key));
    // The signal itself, since a copied request follows only a weakly held one of the original.
    return fetch(new Request(request, { headers }), { signal });
  };
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
