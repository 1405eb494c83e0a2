import { Readable } from 'node:stream';

/** What one request is sent with. */
interface TransportRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  readonly body?: string;
  /** Asked when the connection is there, at the last moment before the request leaves on it. */
  readonly mayLeave?: () => boolean;
}

/** An answer whose status and headers have arrived. */
export interface TransportAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Decoded, and not yet read; destroying it closes the connection. `undefined` when there is none. */
  readonly body: Readable | undefined;
}

/**
 * Sends one request and follows no redirect. It rejects when no answer came, as a rule with an error that has
 * Node's `code` (or whose `cause` has it), and when the signal ended it.
 */
export type Transport = (url: URL, request: TransportRequest) => Promise<TransportAnswer>;

/** A transport by a fetch that the user brought. It is not asked again before the request leaves. */
export function transportOf(fetch: typeof globalThis.fetch): Transport {
  return async (url, { mayLeave: _, ...request }) => {
    const { status, headers, body } = await fetch(url, { ...request, redirect: 'manual' });
    return { status, headers, body: body === null ? undefined : Readable.fromWeb(body) };
  };
}
