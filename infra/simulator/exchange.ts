import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import { deliver, pause } from './delivery.ts';
import { answerTo } from './exchange-answer.ts';
import {
  type Connection,
  type ExchangeContext,
  faultFor,
  type Incoming,
  incomingOf,
  lastNumber,
  placeOf,
} from './incoming.ts';
import { askedWaitSeconds, isThrottle, type RequestLogEntry } from './request-log.ts';

/** Bodies above this are refused: no customer is that large. */
const MAX_BODY_BYTES = 10 * 2 ** 20;
/** Faults that end the connection themselves. */
const CUTTING: ReadonlySet<string> = new Set(['cut-body', 'reset-mid-body']);

/** Requests that are read later than this after their key was rejected came later too. */
const REJECTION_MS = 1_000;

/** Answers one request: key, fault, limit, API, delivery; and writes it down. */
export async function exchange(
  context: ExchangeContext,
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const incoming = incomingOf(context, connection, request);
  const { entry, tcp } = incoming;
  const leave = placeOf(incoming);
  response.once('close', () => {
    leave();
    closed(context, entry, response);
  });

  if (context.condemned.has(tcp)) return reset(incoming);
  const fault = faultFor(incoming);
  if (fault !== undefined) entry.fault = fault.kind;
  const received = await bodyOf(request);
  const body = received?.toString();
  if (received !== undefined && body !== undefined && isLogged(received)) entry.body = body;
  const delayMs = fault?.kind === 'delay' ? fault.ms : 0;
  await pause(context.world.settings.latencyMs + delayMs, context.closing);
  if (response.destroyed) return;
  if (fault?.kind === 'silence') {
    entry.status = 'silent';
    return;
  }
  if (fault?.kind === 'reset-before-headers' || fault?.kind === 'lose-request') {
    return reset(incoming);
  }

  const answer = answerTo(incoming, body, fault);
  if (fault?.kind === 'lose-answer') return reset(incoming);
  if (fault?.kind === 'reset-keep-alive') context.condemned.add(tcp);
  answered(context, entry, answer);
  await deliver({ response, tcp, closing: context.closing }, answer, fault);
}

function answered(context: ExchangeContext, entry: RequestLogEntry, answer: Answer): void {
  const answeredAt = stamp(context, entry);
  entry.status = answer.status;
  if (answer.status === 401) context.looks.follow(REJECTION_MS);
  const waitSeconds = isThrottle(answer.status) ? askedWaitSeconds(answer.headers) : undefined;
  if (waitSeconds === undefined) return;
  context.looks.follow(waitSeconds * 1000);
  entry.retryAfterSeconds = waitSeconds;
  entry.notBefore = answeredAt + waitSeconds * 1000;
}

/** Ends the connection with RST instead of FIN: to the client `ECONNRESET`. */
function reset({ context, entry, tcp }: Incoming): void {
  stamp(context, entry);
  entry.status = 'reset';
  tcp.resetAndDestroy();
}

function stamp(context: ExchangeContext, entry: RequestLogEntry): number {
  const answeredAt = context.world.settings.now();
  entry.answeredAt = answeredAt;
  entry.answeredAfter = lastNumber(context);
  return answeredAt;
}

/** The end of an exchange, however it came. */
function closed(context: ExchangeContext, entry: RequestLogEntry, response: ServerResponse): void {
  const ourDoing = entry.status === 'reset' || CUTTING.has(entry.fault ?? '');
  if (!response.writableFinished && !ourDoing && !context.closing.aborted)
    entry.remoteAborted = true;
  entry.answeredAfter ??= lastNumber(context);
  context.onLogged(entry);
}

/** Twice the largest body that a write may have, so that the log of many requests has room. */
const MAX_LOGGED_BYTES = 512 * 1024;

function isLogged(body: Buffer): boolean {
  return body.length > 0 && body.length <= MAX_LOGGED_BYTES && isUtf8(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') {
    request.resume();
    return Buffer.alloc(0);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(part);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}
