import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { defined } from '../../lib/defined.ts';
import { type Answer, errorAnswer, type HeaderLine, headerValues, httpDate } from './answer.ts';
import { type ApiWorld, answerFromApi, segmentsOf } from './api.ts';
import { deliver, pause } from './delivery.ts';
import { changedAnswer, replacedAnswer } from './fault-answers.ts';
import type { FaultKind, FaultScript } from './faults.ts';
import { integerOf } from './list-page.ts';
import type { KeyHolder } from './organizations.ts';
import { askedWaitSeconds, isThrottle, type RequestLogEntry } from './request-log.ts';

/** What all exchanges share. */
export interface ExchangeContext {
  readonly world: ApiWorld;
  readonly holders: ReadonlyMap<string, KeyHolder>;
  readonly labelOfUnknownKey: (key: string) => string;
  readonly entries: RequestLogEntry[];
  /** Aborted when the simulator closes. */
  readonly closing: AbortSignal;
  faultScript: FaultScript;
  /** Connections whose next request is to be reset. */
  readonly condemned: WeakSet<Socket>;
  effects: number;
  readonly onLogged: (entry: RequestLogEntry) => void;
}

/** A client's connection. */
export interface Connection {
  /** The TCP connection under TLS: only it can be reset. */
  readonly tcp: Socket;
  readonly number: number;
}

/** A request on its way through the simulator. */
interface Incoming {
  readonly context: ExchangeContext;
  readonly tcp: Socket;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly key: string;
  readonly holder: KeyHolder | undefined;
  readonly entry: RequestLogEntry;
}

/** Bodies above this are refused: no customer is that large. */
const MAX_BODY_BYTES = 10 * 2 ** 20;
/** Faults after which a write has taken effect. */
const EFFECTIVE: ReadonlySet<string> = new Set(['lose-answer', 'error-after-effect']);
/** Faults that end the connection themselves. */
const CUTTING: ReadonlySet<string> = new Set(['cut-body', 'reset-mid-body']);

/** Answers one request: key, fault, limit, API, delivery; and writes it down. */
export async function exchange(
  context: ExchangeContext,
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const incoming = incomingOf(context, connection, request);
  const { entry, tcp } = incoming;
  response.once('close', () => closed(context, entry, response));

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

function incomingOf(
  context: ExchangeContext,
  { tcp, number }: Connection,
  request: IncomingMessage,
): Incoming {
  const { basePath, keyHeader, firstPage, now } = context.world.settings;
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  const query = new URLSearchParams(search);
  const header = (name: string) => {
    const value = request.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const key = header(keyHeader) ?? '';
  const holder = context.holders.get(key);
  const entry: RequestLogEntry = {
    n: lastNumber(context) + 1,
    at: now(),
    method: request.method ?? 'GET',
    path,
    url: request.url ?? '/',
    ...defined({
      resource: segmentsOf(basePath, path)[0],
      page: query.has('page') ? integerOf(query.get('page'), firstPage) : undefined,
      perPage: query.has('per_page') ? integerOf(query.get('per_page'), 0) : undefined,
    }),
    keyId: key === '' ? 'none' : (holder?.id ?? context.labelOfUnknownKey(key)),
    ...defined({ idempotencyKey: header('idempotency-key') }),
    connection: number,
    status: 'pending',
  };
  context.entries.push(entry);
  return { context, tcp, query, header, key, holder, entry };
}

function faultFor({ context, entry, holder }: Incoming): FaultKind | undefined {
  const { firstPage } = context.world.settings;
  return context.faultScript({
    n: entry.n,
    method: entry.method,
    page: entry.page ?? firstPage,
    resource: entry.resource ?? '',
    organization: holder?.organization.name,
  });
}

/** The whole answer, with the headers that every answer has. @param body Undefined: too large. */
function answerTo(
  incoming: Incoming,
  body: string | undefined,
  fault: FaultKind | undefined,
): Answer {
  const { context, entry, key } = incoming;
  const dateMs = context.world.settings.now() + skewSecondsOf(fault) * 1000;
  const answer =
    (fault && replacedAnswer(fault, dateMs)) ??
    changedAnswer(fault, ordinaryAnswer(incoming, body, fault, dateMs), key);
  const common: HeaderLine[] = [['X-Request-Id', `simulator-${entry.n}`]];
  if (headerValues(answer.headers, 'Date').length === 0) common.push(['Date', httpDate(dateMs)]);
  return { ...answer, headers: [...common, ...answer.headers] };
}

function ordinaryAnswer(
  { context, entry, query, header, holder }: Incoming,
  body: string | undefined,
  fault: FaultKind | undefined,
  dateMs: number,
): Answer {
  if (holder === undefined || holder.status === 'revoked') {
    return errorAnswer(401, 'invalid_api_key', 'The API key is missing, unknown or revoked.');
  }
  const { world } = context;
  const { now, retryAfter } = world.settings;
  // A write fault promises an effect, so the limit does not get in its way.
  const admission = EFFECTIVE.has(fault?.kind ?? '') ? undefined : holder.limiter(now());
  if (admission?.kind === 'throttled') {
    const { waitSeconds } = admission;
    const until = httpDate(dateMs + waitSeconds * 1000);
    const value = retryAfter === 'seconds' ? String(waitSeconds) : until;
    const message = `Too many requests. Retry after ${value}.`;
    return errorAnswer(429, 'rate_limited', message, [['Retry-After', value]]);
  }
  if (body === undefined) return errorAnswer(413, 'too_large', 'The body is over 10 MiB.');
  const { method, path, at } = entry;
  const { organization } = holder;
  const request = { method, path, query, header, body, organization, fault, at };
  const { answer, effect } = answerFromApi(world, request);
  if (effect !== undefined) {
    context.effects += 1;
    entry.effect = { id: context.effects, ...effect };
  }
  return answer;
}

function skewSecondsOf(fault: FaultKind | undefined): number {
  if (fault?.kind === 'skewed-date') return fault.seconds;
  return fault?.kind === 'status' ? fault.clockSkewSeconds : 0;
}

function answered(context: ExchangeContext, entry: RequestLogEntry, answer: Answer): void {
  const answeredAt = stamp(context, entry);
  entry.status = answer.status;
  const waitSeconds = isThrottle(answer.status) ? askedWaitSeconds(answer.headers) : undefined;
  if (waitSeconds === undefined) return;
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

function lastNumber({ entries }: ExchangeContext): number {
  return entries.at(-1)?.n ?? 0;
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
