import ky from 'ky';
import { type ApiKey, revealKey } from '../key/api-key.ts';
import { failureOf, type HttpFailure } from './http-failure.ts';
import { startDeadline } from './request-deadline.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** An answer whose status and headers arrived; the body may still have failed. */
export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array | HttpFailure;
}

export interface HttpSettings {
  readonly key: ApiKey;
  readonly header: string;
  readonly deadlineMs: number;
  readonly maxBodyBytes: number;
  readonly fetch: typeof fetch;
}

export type Send = (request: HttpRequest) => Promise<HttpAnswer | HttpFailure>;

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
  return async ({ method, url, headers, body, signal }) => {
    const deadline = startDeadline(signal, settings.deadlineMs);
    const fail = (error: unknown) => failureOf(error, deadline.endedBy());
    try {
      const response = await client(url, {
        method,
        headers,
        signal: deadline.signal,
        fetch: withKey(settings, deadline.signal),
        ...(body === undefined ? {} : { body }),
      });
      return {
        kind: 'answer',
        status: response.status,
        headers: response.headers,
        body: await readBody(response, settings.maxBodyBytes, deadline.signal).catch(fail),
      };
    } catch (error) {
      return fail(error);
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
