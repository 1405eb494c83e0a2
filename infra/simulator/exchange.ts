import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { defined } from '../../lib/defined.ts';
import { type Answer, errorAnswer, type HeaderLine, headerValues } from './answer.ts';
import { type ApiWorld, answerFromApi } from './api.ts';
import { deliver, type Line, pause, reset } from './delivery.ts';
import { changedAnswer, replacedAnswer } from './fault-answers.ts';
import type { FaultScript } from './fault-script.ts';
import type { FaultKind } from './faults.ts';
import { httpDate } from './http-date.ts';
import { integerOf } from './list-page.ts';
import type { KeyHolder } from './organizations.ts';
import { askedWaitSeconds, isThrottle, type RequestLogEntry } from './request-log.ts';

/** What all exchanges share. */
export interface ExchangeContext {
  readonly world: ApiWorld;
  readonly settings: {
    readonly basePath: string;
    readonly keyHeader: string;
    readonly firstPage: number;
    readonly latencyMs: number;
    readonly retryAfter: 'seconds' | 'date';
    readonly now: () => number;
  };
  readonly holders: ReadonlyMap<string, KeyHolder>;
  readonly labelOfUnknownKey: (key: string) => string;
  readonly entries: RequestLogEntry[];
  readonly closing: AbortSignal;
  faultScript: FaultScript;
  /** Connections whose next request is to be reset. */
  readonly condemned: WeakSet<Socket>;
  effects: number;
  onLogged(entry: RequestLogEntry): void;
}

/** A client's connection. */
export interface Connection {
  readonly tcp: Socket;
  readonly number: number;
}

/** Bodies above this are refused: no customer is that large. */
const MAX_BODY_BYTES = 10 * 2 ** 20;

/** Answers one request: key, fault, limit, API, delivery; and writes it down. */
export async function exchange(
  context: ExchangeContext,
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  const query = new URLSearchParams(search);
  const key = headerOf(request, context.settings.keyHeader);
  const holder = key === undefined ? undefined : context.holders.get(key);
  const entry = entryOf(context, connection, request, path, query, keyIdOf(context, key, holder));
  const line: Line = { response, tcp: connection.tcp, closing: context.closing };
  response.once('close', () => closed(context, entry, response));

  if (context.condemned.has(connection.tcp)) return resetAll(context, entry, connection.tcp);
  const fault = context.faultScript({
    n: entry.n,
    method: entry.method,
    page: entry.page ?? context.settings.firstPage,
    resource: resourceOf(context.settings.basePath, path),
    organization: holder?.organization.name,
  });
  if (fault !== undefined) entry.fault = fault.kind;
  const body = await bodyOf(request);
  await pause(
    context.settings.latencyMs + (fault?.kind === 'delay' ? fault.ms : 0),
    context.closing,
  );
  if (response.destroyed) return;
  if (fault?.kind === 'silence') {
    entry.status = 'silent';
    return;
  }
  if (fault?.kind === 'reset-before-headers' || fault?.kind === 'lose-request') {
    return resetAll(context, entry, connection.tcp);
  }

  const answer = answerTo(context, { entry, request, path, query, body, key, holder, fault });
  if (fault?.kind === 'lose-answer') return resetAll(context, entry, connection.tcp);
  if (fault?.kind === 'reset-keep-alive') context.condemned.add(connection.tcp);
  answered(context, entry, answer);
  await deliver(line, answer, fault);
}

interface Incoming {
  readonly entry: RequestLogEntry;
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined: too large. */
  readonly body: string | undefined;
  readonly key: string | undefined;
  readonly holder: KeyHolder | undefined;
  readonly fault: FaultKind | undefined;
}

/** The whole answer, with the headers that every answer has. */
function answerTo(context: ExchangeContext, incoming: Incoming): Answer {
  const { entry, fault, key = '' } = incoming;
  const dateMs = context.settings.now() + skewSecondsOf(fault) * 1000;
  const replaced = fault === undefined ? undefined : replacedAnswer(fault, dateMs);
  const answer = replaced ?? changedAnswer(fault, ordinaryAnswer(context, incoming, dateMs), key);
  const own = headerValues(answer.headers, 'Date').length > 0;
  const common: HeaderLine[] = [['X-Request-Id', `simulator-${entry.n}`]];
  if (!own) common.push(['Date', httpDate(dateMs)]);
  return { ...answer, headers: [...common, ...answer.headers] };
}

function ordinaryAnswer(context: ExchangeContext, incoming: Incoming, dateMs: number): Answer {
  const { entry, request, holder, body } = incoming;
  if (holder === undefined || holder.status === 'revoked') {
    return errorAnswer(401, 'invalid_api_key', 'The API key is missing, unknown or revoked.');
  }
  // A write fault promises an effect, so the limit does not get in its way.
  const promised = incoming.fault !== undefined && EFFECTIVE.has(incoming.fault.kind);
  const admission = promised ? undefined : holder.limiter(context.settings.now());
  if (admission?.kind === 'throttled') {
    const { waitSeconds } = admission;
    const value =
      context.settings.retryAfter === 'seconds'
        ? String(waitSeconds)
        : httpDate(dateMs + waitSeconds * 1000);
    const header = ['Retry-After', value] as const;
    return errorAnswer(429, 'rate_limited', `Too many requests. Retry after ${value}.`, [header]);
  }
  if (body === undefined) return errorAnswer(413, 'too_large', 'The body is over 10 MiB.');
  const { answer, effect } = answerFromApi(context.world, {
    method: entry.method,
    path: incoming.path,
    query: incoming.query,
    header: (name) => headerOf(request, name),
    body,
    organization: holder.organization,
    fault: incoming.fault,
    at: entry.at,
  });
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

function entryOf(
  context: ExchangeContext,
  connection: Connection,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  keyId: string,
): RequestLogEntry {
  const page = integerOf(query.get('page'), context.settings.firstPage);
  const perPage = query.has('per_page') ? integerOf(query.get('per_page'), 0) : undefined;
  const idempotencyKey = headerOf(request, 'idempotency-key');
  const entry: RequestLogEntry = {
    n: (context.entries.at(-1)?.n ?? 0) + 1,
    at: context.settings.now(),
    method: request.method ?? 'GET',
    path,
    ...(query.has('page') && page !== undefined ? { page } : {}),
    ...defined({ perPage }),
    keyId,
    ...defined({ idempotencyKey }),
    connection: connection.number,
    status: 'pending',
  };
  context.entries.push(entry);
  return entry;
}

function answered(context: ExchangeContext, entry: RequestLogEntry, answer: Answer): void {
  stamp(context, entry);
  entry.status = answer.status;
  const waitSeconds = isThrottle(answer.status) ? askedWaitSeconds(answer.headers) : undefined;
  if (waitSeconds === undefined || entry.answeredAt === undefined) return;
  entry.retryAfterSeconds = waitSeconds;
  entry.notBefore = entry.answeredAt + waitSeconds * 1000;
}

function resetAll(context: ExchangeContext, entry: RequestLogEntry, tcp: Socket): void {
  stamp(context, entry);
  entry.status = 'reset';
  reset(tcp);
}

function stamp(context: ExchangeContext, entry: RequestLogEntry): void {
  entry.answeredAt = context.settings.now();
  entry.answeredAfter = context.entries.at(-1)?.n ?? entry.n;
}

/** The end of an exchange, however it came. */
function closed(context: ExchangeContext, entry: RequestLogEntry, response: ServerResponse): void {
  const ourDoing = entry.status === 'reset' || CUTTING.has(entry.fault ?? '');
  if (!response.writableFinished && !ourDoing && !context.closing.aborted)
    entry.remoteAborted = true;
  entry.answeredAfter ??= context.entries.at(-1)?.n ?? entry.n;
  context.onLogged(entry);
}

/** Faults after which a write has taken effect. */
const EFFECTIVE: ReadonlySet<string> = new Set(['lose-answer', 'error-after-effect']);
/** Faults that end the connection themselves. */
const CUTTING: ReadonlySet<string> = new Set(['cut-body', 'reset-mid-body']);

function keyIdOf(
  context: ExchangeContext,
  key: string | undefined,
  holder: KeyHolder | undefined,
): string {
  if (key === undefined || key === '') return 'none';
  return holder?.id ?? context.labelOfUnknownKey(key);
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

function resourceOf(basePath: string, path: string): string {
  return path.startsWith(`${basePath}/2.0/`)
    ? (path.slice(basePath.length + '/2.0/'.length).split('/')[0] ?? '')
    : '';
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') {
    request.resume();
    return '';
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(part);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString();
}
