import ky from 'ky';
import { defined } from '../defined.ts';
import { type ApiKey, revealKey } from '../key/api-key.ts';
import { type BodyBuffer, BodyBuffers } from './body-buffers.ts';
import { failureOf, type HttpFailure } from './http-failure.ts';
import { readBody } from './read-body.ts';
import { startDeadline } from './request-deadline.ts';
import type { Transport, TransportAnswer } from './transport.ts';

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
  readonly body: BodyBuffer | HttpFailure;
}

export interface HttpSettings {
  readonly key: ApiKey;
  readonly header: string;
  readonly deadlineMs: number;
  readonly maxBodyBytes: number;
  readonly transport: Transport;
}

/** @param onHead Called as soon as status and headers are there, before the body is read. */
export type Send = (
  request: HttpRequest,
  onHead: (head: HttpHead) => void,
) => Promise<HttpAnswer | HttpFailure>;

/** One for all connections of a process: a worker meets many, one after the other. */
const buffers = new BodyBuffers();

const NO_BODY: BodyBuffer = { bytes: new Uint8Array(), release: () => {} };

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
    const answer = (body: BodyBuffer | HttpFailure) =>
      head === undefined ? fail() : ({ kind: 'answer', ...head, body } as const);
    const exchange = async () => {
      const send = withKey(settings, request, signal);
      const { status, headers, body } = await sendBy(client, request, send);
      head = { status, headers };
      onHead(head);
      if (body === undefined) return answer(NO_BODY);
      const limits = { maxBytes: settings.maxBodyBytes, signal };
      return answer(await readBody(body, buffers, limits).catch(fail));
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
 * Sends by ky. It is not given the signal, which it would combine with one of its own: the transport has it.
 * Nor is it given the answer, by nothing of which it goes as it neither repeats nor throws: the body would
 * have to become a web stream for that.
 */
async function sendBy(
  client: typeof ky,
  { method, url }: HttpRequest,
  send: () => Promise<TransportAnswer>,
): Promise<TransportAnswer> {
  const answered = Promise.withResolvers<TransportAnswer>();
  const fetch = async () => {
    const answer = await send();
    // Whoever reads the body is told of its failure; it must not end the process if nobody does.
    answer.body?.on('error', () => undefined);
    answered.resolve(answer);
    return new Response();
  };
  await client(url, { method, fetch });
  return answered.promise;
}

/**
 * Adds the key to the request at the last moment, so that ky's request, options and errors never hold
 * it. This is the one place outside `lib/key` that sees it.
 *
 * The request is written out once more instead of copied from ky's: requests that are made of others, with
 * signals that follow others, took a quarter of the CPU time of a page's request (1.3 against 1.0 ms).
 */
function withKey(
  { key, header, transport }: HttpSettings,
  { method, url, headers, body, mayLeave }: HttpRequest,
  signal: AbortSignal,
): () => Promise<TransportAnswer> {
  return () =>
    transport(url, {
      method,
      headers: { ...headers, [header]: revealKey(key) },
      signal,
      ...defined({ body, mayLeave }),
    });
}
