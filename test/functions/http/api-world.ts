import { jest } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { systemRandom } from '../../../functions/aws/clock-and-random.ts';
import { createChangeItems } from '../../../functions/aws/ledger/change-items.ts';
import {
  createWriteItems,
  openWriteMark,
  type WriteItems,
} from '../../../functions/aws/ledger/write-items.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import type { ChangeLedger } from '../../../lib/changes/ports.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import type { Gates } from '../../../lib/gate/ports.ts';
import { startTrustedSimulator } from '../../trusted-simulator.ts';
import { startLedger } from '../aws/dynalite-ledger.ts';
import { startJsonService } from '../aws/json-service.ts';
import { lambdaContext } from '../middleware/lambda-context.ts';

/** The key of each connection: an organization of its own. If one is found in an answer or a log, a rule was broken. */
export const CANARIES = {
  alpha: 'cAnArY-alpha-7f3d9e21/b64+form="x"',
  beta: 'cAnArY-beta-0815-4711',
  blocked: 'cAnArY-blocked-1234567',
  waiting: 'cAnArY-waiting-1234567',
  stale: 'cAnArY-stale-1234567',
  faulty: 'cAnArY-faulty-1234567',
  slow: 'cAnArY-slow-1234567',
  small: 'cAnArY-small-1234567',
  rotated: 'cAnArY-rotated-1234567',
  busy: 'cAnArY-busy-1234567',
} as const;

export interface ApiRequest {
  readonly method?: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are handed over in base64. */
  readonly body?: string | Buffer;
  /** What the authorizer found. @default a signed request */
  readonly authorizer?: object;
  readonly remainingMs?: number;
  readonly requestId?: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApiWorld {
  readonly simulator: Simulator;
  readonly ledger: Ledger;
  readonly changes: ChangeLedger;
  readonly gates: Gates;
  readonly writes: WriteItems;
  readonly logged: readonly string[];
  /** The event bus takes nothing. */
  closeBus(isClosed: boolean): void;
  /** Exports whose wake-up is in the queue. */
  wokenUp(): readonly string[];
  /** Exports whose changes are to be told, by the messages in the queue. */
  wokenChanges(): readonly string[];
  /** Writes whose message is in the queue. */
  wokenWrites(): readonly string[];
  /** Gives a connection's secret a new version; `undefined` removes it. */
  setSecret(connection: string, text: string | undefined): void;
  /** Lets the next call of Secrets Manager fail. */
  breakSecrets(isBroken: boolean): void;
  putBrokenExport(connection: string, exportId: string): Promise<void>;
  /** Puts an active-export item that names no export. */
  putBrokenActive(connection: string): Promise<void>;
  /** Puts a gate whose wait is a text. */
  putBrokenGate(connection: string): Promise<void>;
  putBrokenChange(connection: string, exportId: string): Promise<void>;
  putBrokenWrite(connection: string, writeId: string): Promise<void>;
  ask(request: ApiRequest): Promise<ApiAnswer>;
  close(): Promise<void>;
}

const REGION = 'eu-central-1';
const OPERATIONS = [
  { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  { name: 'rename', method: 'PATCH', resource: 'customers/{id}', acceptsIdempotencyKey: false },
];
const LISTS = {
  invoices: { perPage: 2, query: { status: 'paid' } },
  subscriptions: { firstPage: 0 },
};
const SIGNED = { iam: { userArn: 'arn:aws:iam::123456789012:user/ada' } };
let requests = 0;

/** The handler of the HTTP API on real engines, with the simulator as the API behind it. */
export async function startApiWorld(): Promise<ApiWorld> {
  const logged: string[] = [];
  const simulator = await startTrustedSimulator({
    customers: 60,
    organizations: Object.entries(CANARIES).map(([name, key]) => ({ key, name })),
  });
  // Nobody trusts its certificate.
  const stranger = await startSimulator({ customers: 1 });
  const queues = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  queues.createQueue('work', { region: REGION });
  queues.createQueue('writes', { region: REGION });
  queues.createQueue('changes', { region: REGION });
  const database = await startLedger();
  const secrets = new Map<string, { text: string; version: number }>();
  let isBroken = false;
  let isBusClosed = false;
  const services = await startJsonService(({ operation, input }) => {
    if (operation === 'PutEvents' && isBusClosed) return { error: 'AccessDeniedException' };
    if (operation === 'PutEvents') return { ok: { FailedEntryCount: 0, Entries: [{}] } };
    if (isBroken) return { error: 'AccessDeniedException', message: 'canary of an AWS message' };
    const secret = secrets.get(String(input['SecretId']));
    if (secret === undefined) return { error: 'ResourceNotFoundException' };
    return { ok: { VersionId: `v${secret.version}`, SecretString: secret.text } };
  });
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    logged.push(String(line));
    return true;
  });
  const baseUrl = simulator.url;
  Object.assign(process.env, {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${queues.port}`,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: services.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: services.url,
    LEDGER_TABLE: 'ledger',
    EXPORT_QUEUE_URL: `http://127.0.0.1:${queues.port}/000000000000/work`,
    WRITE_QUEUE_URL: `http://127.0.0.1:${queues.port}/000000000000/writes`,
    CHANGE_QUEUE_URL: `http://127.0.0.1:${queues.port}/000000000000/changes`,
    EVENT_BUS: 'default',
    INTEGRATION_ID: 'Team',
    SECRET_PREFIX: 'customers-api/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl, perPage: 5, operations: OPERATIONS, lists: LISTS },
      connections: {
        ...Object.fromEntries(Object.keys(CANARIES).map((name) => [name, {}])),
        slow: { deadlineMs: 300 },
        beta: { lists: { subscriptions: false } },
        bare: { lists: { customers: false, invoices: false, subscriptions: false } },
        small: { maxBodyBytes: 300 },
        keyless: {},
        elsewhere: { baseUrl: 'https://localhost:2' },
        untrusted: { baseUrl: stranger.url },
      },
    }),
  });
  for (const [connection, key] of Object.entries({
    ...CANARIES,
    elsewhere: CANARIES.alpha,
    untrusted: CANARIES.alpha,
  })) {
    secrets.set(`customers-api/${connection}`, { text: key, version: 1 });
  }
  const module = await import('../../../functions/http-api.ts');

  const idsIn = (queue: string, member: string): readonly string[] =>
    queues
      .inspectQueue(queue)
      ?.messages.ready.map(({ body }) => String(JSON.parse(body)[member])) ?? [];

  return {
    simulator,
    ledger: database.ledger,
    changes: createChangeItems(database.table),
    gates: database.gates,
    writes: createWriteItems(database.table, systemRandom),
    logged,
    closeBus: (isClosed) => {
      isBusClosed = isClosed;
    },
    wokenUp: () => idsIn('work', 'exportId'),
    wokenChanges: () => idsIn('changes', 'exportId'),
    wokenWrites: () => idsIn('writes', 'writeId'),
    setSecret: (connection, text) => {
      const name = `customers-api/${connection}`;
      const version = (secrets.get(name)?.version ?? 0) + 1;
      if (text === undefined) secrets.delete(name);
      else secrets.set(name, { text, version });
    },
    breakSecrets: (value) => {
      isBroken = value;
    },
    putBrokenExport: async (connection, exportId) => {
      const marked = { historyOrder: `${'0'.repeat(16)}#${exportId}` };
      await database.table.put({ connection, sort: `export#${exportId}` }, { v: 99, ...marked });
    },
    putBrokenActive: async (connection) => {
      const damaged = { activeMark: 'active', connection, exportId: 7 };
      await database.table.put({ connection, sort: 'active-export' }, damaged);
    },
    putBrokenGate: (connection) =>
      database.table.put({ connection, sort: 'gate' }, { blockedUntilMs: 'canary' }).then(() => {}),
    putBrokenChange: async (connection, exportId) => {
      await database.table.put({ connection, sort: `change#${exportId}` }, { v: 99 });
    },
    putBrokenWrite: async (connection, writeId) => {
      const marked = { openWrite: openWriteMark('unclear', connection), openWriteAtMs: 1 };
      await database.table.put({ connection, sort: `write#${writeId}` }, { v: 99, ...marked });
    },
    ask: askOf(module.handler),
    close: async () => {
      jest.restoreAllMocks();
      await services.close();
      await database.close();
      await queues.stop();
      await Promise.all([simulator.close(), stranger.close()]);
    },
  };
}

/** Calls a handler as API Gateway does. */
export function askOf(handler: unknown): ApiWorld['ask'] {
  return async (request) => {
    const given = [eventOf(request), contextOf(request)];
    return answerOf(await Reflect.apply(Object(handler), undefined, given));
  };
}

function contextOf({ remainingMs = 29_000, requestId }: ApiRequest) {
  requests += 1;
  const awsRequestId = requestId ?? `00000000-0000-4000-8000-${String(requests).padStart(12, '0')}`;
  return { ...lambdaContext(), awsRequestId, getRemainingTimeInMillis: () => remainingMs };
}

/** As API Gateway makes it, with a decoded path. */
function eventOf({ method = 'GET', path, headers = {}, body, authorizer = SIGNED }: ApiRequest) {
  const mark = path.indexOf('?');
  const rawPath = decodeURIComponent(mark < 0 ? path : path.slice(0, mark));
  const rawQueryString = mark < 0 ? '' : path.slice(mark + 1);
  const query = new URLSearchParams(rawQueryString);
  return {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    ...(rawQueryString === ''
      ? {}
      : {
          queryStringParameters: Object.fromEntries(
            [...query.keys()].map((name) => [name, query.getAll(name).join(',')]),
          ),
        }),
    requestContext: { http: { method, path: rawPath }, stage: '$default', authorizer },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? body : body.toString('base64') }),
    isBase64Encoded: typeof body === 'object',
  };
}

function answerOf(result: unknown): ApiAnswer {
  const { statusCode, headers, body } = Object(result);
  const lower = Object.entries(Object(headers)).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  return {
    status: Number(statusCode),
    headers: Object.fromEntries(lower),
    text: String(body),
    body: JSON.parse(String(body)),
  };
}
