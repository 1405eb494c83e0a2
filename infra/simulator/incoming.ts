import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { defined } from '../../lib/defined.ts';
import { type ApiWorld, segmentsOf } from './api.ts';
import type { FaultKind, FaultScript } from './faults.ts';
import { integerOf } from './list-page.ts';
import type { Looks } from './looks.ts';
import type { KeyHolder } from './organizations.ts';
import type { RequestLogEntry } from './request-log.ts';

export interface ExchangeContext {
  readonly world: ApiWorld;
  readonly holders: ReadonlyMap<string, KeyHolder>;
  readonly labelOfUnknownKey: (key: string) => string;
  readonly entries: RequestLogEntry[];
  /** Aborted when the simulator closes. */
  readonly closing: AbortSignal;
  readonly looks: Looks;
  faultScript: FaultScript;
  /** Connections whose next request is to be reset. */
  readonly condemned: WeakSet<Socket>;
  effects: number;
  readonly onLogged: (entry: RequestLogEntry) => void;
}

export interface Connection {
  /** The TCP connection under TLS: only it can be reset. */
  readonly tcp: Socket;
  readonly number: number;
}

/** A request on its way through the simulator. */
export interface Incoming {
  readonly context: ExchangeContext;
  readonly tcp: Socket;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly key: string;
  readonly holder: KeyHolder | undefined;
  readonly entry: RequestLogEntry;
  /** Whether so many requests of the key were under way already that there is no place for it. */
  readonly isTooMany: boolean;
}

/** Reads the head of a request, and writes it down. */
export function incomingOf(
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
    ...defined({ unreadMs: context.looks.unreadMs() }),
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
  const isTooMany = holder !== undefined && holder.underWay >= holder.limit.atOnce(entry.at);
  return { context, tcp, query, header, key, holder, entry, isTooMany };
}

/** Takes a place among the requests that are under way with the key. @returns What gives it back */
export function placeOf({ holder, isTooMany }: Incoming): () => void {
  if (holder === undefined || isTooMany) return () => {};
  holder.underWay += 1;
  return () => {
    holder.underWay -= 1;
  };
}

export function faultFor({ context, entry, holder }: Incoming): FaultKind | undefined {
  const { firstPage } = context.world.settings;
  return context.faultScript({
    n: entry.n,
    method: entry.method,
    page: entry.page ?? firstPage,
    resource: entry.resource ?? '',
    organization: holder?.organization.name,
  });
}

export function lastNumber({ entries }: ExchangeContext): number {
  return entries.at(-1)?.n ?? 0;
}
