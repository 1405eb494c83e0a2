import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Socket } from 'node:net';
import * as v from 'valibot';
import { parseOptions, parseSetting } from '../../lib/customers-api/parse-options.ts';
import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { portProblem } from '../command-line/port.ts';
import { editList } from './api.ts';
import { type Certificates, createCertificates } from './certificate.ts';
import { exchange } from './exchange.ts';
import { type Fault, faultScriptOf, parseFaults } from './faults.ts';
import type { Connection, ExchangeContext } from './incoming.ts';
import type { ListHistory, RecordChange } from './list-history.ts';
import { Looks } from './looks.ts';
import {
  checkEdit,
  KEY_STATUSES,
  type KeyStatus,
  type ListChange,
  type ListEdit,
  type SimulatorOptions,
  settingsOf,
} from './options.ts';
import { type KeyHolder, keyHoldersOf, unknownKeyLabels } from './organizations.ts';
import { randomOf } from './random.ts';
import type { RecordList } from './record-list.ts';
import type { RequestLog } from './request-log.ts';
import { RESOURCE_NAMES, type ResourceName, selectionOf } from './resources.ts';

/** A running API. */
export interface Simulator {
  /** `https://localhost:PORT` and the base path; lists are below `/2.0/`. */
  readonly url: string;
  readonly port: number;
  /** The CA to trust: `NODE_EXTRA_CA_CERTS`, or the `ca` option of `node:https`. */
  readonly caPem: string;
  readonly log: RequestLog;
  /**
   * The truth: the compact JSON text of every customer that the key opens, in list order, byte for
   * byte as on a page (with `pretty`, a page adds white space between tokens).
   */
  customersOf(key: string): readonly string[];
  /** The truth about any resource: the records that a request with this query gets. */
  recordsOf(
    key: string,
    resource: ResourceName,
    query?: { readonly status?: string },
  ): readonly string[];
  /** What happened to the customers, or another resource, since the start. */
  changesOf(key: string, resource?: ResourceName): readonly RecordChange[];
  /** The truth about the customers, or another resource, at any time since the start. */
  historyOf(key: string, resource?: ResourceName): ListHistory;
  /** Changes the customers, or another resource, now. */
  edit(key: string, edit: ListEdit, resource?: ResourceName): void;
  /** What happens to lists from now on while they are read; `undefined`: nothing. */
  setChange(change: ListChange | undefined): void;
  /** Replaces the fault script; its counts start anew. Request numbers go on. */
  setFaults(faults: readonly Fault[]): void;
  /** Revokes a key or makes it valid again. */
  setKeyStatus(key: string, status: KeyStatus): void;
  /** Forgets the log, so that request numbers start at 1 again. */
  resetLog(): void;
  /** Stops listening and ends every open connection. */
  close(): Promise<void>;
}

const ResourceSchema = v.picklist(RESOURCE_NAMES, `expected one of ${RESOURCE_NAMES.join(', ')}`);
const StatusSchema = v.picklist(KEY_STATUSES, `expected ${KEY_STATUSES.join(' or ')}`);
const QuerySchema = v.strictObject({ status: v.optional(v.string()) });

/** Long enough that no client's idle connection is closed during a run. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Starts the customers API on 127.0.0.1 over TLS with a CA of its own.
 *
 * @throws SettingError naming the option that cannot be used; `port` when it is taken.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  // TLS clients look at the real time, whatever the simulator's clock says.
  return startSimulatorWith(await createCertificates(Date.now()), options);
}

/** The same with certificates that are there already: to make some takes longer than all else of a short test. */
export async function startSimulatorWith(
  certificates: Certificates,
  options: SimulatorOptions = {},
): Promise<Simulator> {
  const settings = settingsOf(options);
  const closing = new AbortController();
  const context = contextOf(settings, options.onLogged ?? ignore, closing.signal);
  const { holders, world } = context;
  const server = createTlsServer(certificates);
  const connections = connectionsOf(server);
  answerRequests(server, connections, context);
  const port = await listen(server, settings.port);
  world.origin = `https://localhost:${port}`;

  const listOf = (key: string, resource: ResourceName) => {
    parseSetting(ResourceSchema, resource, 'resource');
    return holderOf(holders, key).organization.resources[resource];
  };
  return {
    url: `${world.origin}${settings.basePath}`,
    port,
    caPem: certificates.caPem,
    log: { entries: context.entries },
    customersOf: (key) => recordsOf(listOf(key, 'customers'), 'customers'),
    recordsOf: (key, resource, query = {}) => {
      const { status } = parseOptions(QuerySchema, query, 'query');
      return recordsOf(listOf(key, resource), resource, status);
    },
    changesOf: (key, resource = 'customers') => listOf(key, resource).changes,
    historyOf: (key, resource = 'customers') => listOf(key, resource).history(),
    edit: (key, edit, resource = 'customers') => {
      checkEdit(edit);
      editList(listOf(key, resource), edit, world.random, settings.now());
    },
    setChange: (change) => {
      world.change = settingsOf(defined({ change })).change;
    },
    setFaults: (faults) => {
      context.faultScript = faultScriptOf(parseFaults(faults), settings.seed);
    },
    setKeyStatus: (key, status) => {
      parseSetting(StatusSchema, status, 'status');
      holderOf(holders, key).status = status;
    },
    resetLog: () => {
      context.entries.length = 0;
    },
    close: async () => {
      if (!server.listening) return;
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      connections.destroyAll();
      await closed;
    },
  };
}

function contextOf(
  settings: ReturnType<typeof settingsOf>,
  onLogged: ExchangeContext['onLogged'],
  closing: AbortSignal,
): ExchangeContext {
  const random = randomOf(settings.seed);
  return {
    holders: keyHoldersOf(settings, random),
    closing,
    looks: new Looks(closing),
    onLogged,
    world: { settings, origin: '', random, listRequests: 0, change: settings.change },
    labelOfUnknownKey: unknownKeyLabels(),
    entries: [],
    faultScript: faultScriptOf(parseFaults(settings.faults), settings.seed),
    condemned: new WeakSet(),
    effects: 0,
  };
}

function createTlsServer({ certificatePem, privateKeyPem }: Certificates): Server {
  const files = { key: privateKeyPem, cert: certificatePem };
  const server = createServer({ ...files, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  server.on('tlsClientError', ignore);
  server.on('clientError', (_, socket) => socket.destroy());
  return server;
}

/** Keeps the TCP connection under each TLS connection: a TLS socket cannot be reset. */
function connectionsOf(server: Server) {
  const open = new Map<number, Connection>();
  let count = 0;
  server.on('connection', (tcp) => {
    if (!(tcp instanceof Socket)) return;
    count += 1;
    const { remotePort = 0 } = tcp;
    const connection = { tcp, number: count };
    open.set(remotePort, connection);
    tcp.on('error', ignore);
    tcp.once('close', () => {
      if (open.get(remotePort) === connection) open.delete(remotePort);
    });
  });
  server.on('secureConnection', (tls) => tls.on('error', ignore));
  return {
    of: (socket: Socket) => open.get(socket.remotePort ?? 0),
    destroyAll: () => {
      for (const { tcp } of open.values()) tcp.destroy();
    },
  };
}

function answerRequests(
  server: Server,
  connections: ReturnType<typeof connectionsOf>,
  context: ExchangeContext,
): void {
  server.on('request', (request, response) => {
    response.sendDate = false;
    response.on('error', ignore);
    const connection = connections.of(request.socket);
    if (connection === undefined) return;
    exchange(context, connection, request, response).catch((error) => failed(response, error));
  });
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw portProblem('port', port, error);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function recordsOf(list: RecordList, resource: ResourceName, status?: string): readonly string[] {
  const selected = selectionOf(resource, status);
  if ('expected' in selected) throw new SettingError('status', `there is no ${status}`);
  return list.select(selected.selection).slice(0);
}

function holderOf(holders: ReadonlyMap<string, KeyHolder>, key: string): KeyHolder {
  const holder = holders.get(key);
  // The key is not shown: it may be a real one.
  if (holder === undefined) throw new SettingError('key', 'is not one of the simulator’s keys.');
  return holder;
}

/** A fault of the simulator itself must not look like one of the API. */
function failed(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500).end(`The simulator failed: ${String(error)}\n`);
}

function ignore(): void {}
