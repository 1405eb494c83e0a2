import middy from '@middy/core';
import * as v from 'valibot';
import { systemRandom } from '../../../functions/aws/clock-and-random.ts';
import { fromItem, parseItem, toItem } from '../../../functions/aws/ledger/ledger-item.ts';
import type { LedgerTable } from '../../../functions/aws/ledger/ledger-table.ts';
import { createWriteItems } from '../../../functions/aws/ledger/write-items.ts';
import { requestWrite } from '../../../functions/http/request-write.ts';
import { ROUTES } from '../../../functions/http/routes.ts';
import { routesOf, serveRoutes } from '../../../functions/http/serve-routes.ts';
import { createLog } from '../../../functions/log/log.ts';
import { writeAnswer } from '../../../functions/messages/write-answer.ts';
import { parseQueuedWrite } from '../../../functions/messages/write-requested.ts';
import { httpChain } from '../../../functions/middleware/http-chain.ts';
import { invocationLog } from '../../../functions/middleware/invocation-log.ts';
import { queueMessages } from '../../../functions/middleware/queue-messages.ts';
import { connectionSettingsOf } from '../../../functions/services/connection-settings.ts';
import type { ApiRequests } from '../../../lib/customers-api/api-requests.ts';
import { type ItemName, isUnreadable } from '../../../lib/steps/unreadable-item.ts';
import { applyWrites } from '../../../lib/writes/apply-write.ts';
import type { WritePorts } from '../../../lib/writes/ports.ts';
import type { WriteMessage } from '../../../lib/writes/write-request.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { lambdaContext } from '../middleware/lambda-context.ts';
import { portsOfClient } from './one-client.ts';

export const CONNECTION = 'demo';
export const INTEGRATION = 'Team';

const OPERATIONS = [
  { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  { name: 'change', method: 'PATCH', resource: 'customers/{id}', acceptsIdempotencyKey: true },
] as const;
const { write: settings, ...otherSettings } = connectionSettingsOf(
  { defaults: { baseUrl: 'https://api.example.com', operations: OPERATIONS }, connections: {} },
  undefined,
);
/** As Lambda gives a function of the queue. */
const BATCH_SIZE = 10;

export interface ExactWorld {
  /** Asks over HTTP, as API Gateway hands it on. @returns The wrong field of a refusal. */
  ask(writeId: string, body: string | Buffer): Promise<string | undefined>;
  /** Puts a message into the queue. */
  send(messageId: string, body: string): void;
  /** Carries out what is in the queue. @returns Why messages were put aside, by their id. */
  drain(): Promise<ReadonlyMap<string, string>>;
  /** Of the messages that were put aside. */
  readonly bodies: readonly string[];
  stateOf(writeId: string): Promise<WriteState | undefined>;
}

/** The HTTP route and the queue's function without AWS: what they keep in the ledger and send are texts. */
export function createExactWorld(
  client: ApiRequests,
  holdsKey?: WritePorts['holdsKey'],
): ExactWorld {
  const queue: { messageId: string; body: string }[] = [];
  const deadLetters = new Map<string, string>();
  const bodies: string[] = [];
  const ports: WritePorts = {
    ...portsOfClient(client, holdsKey),
    ledger: createWriteItems(createTextTable(), systemRandom),
    queue: {
      send: async (pointer) =>
        void queue.push({
          messageId: `pointer-${queue.length}`,
          body: JSON.stringify(pointer),
        }),
    },
  };
  const log = createLog({ redact: (text) => text, write: () => undefined });
  const services = {
    isKnown: async (connection: string) => connection === CONNECTION,
    settingsOf: () => ({ ...otherSettings, write: settings }),
  };
  const routes = [routesOf(services)(ROUTES.requestWrite, requestWrite, ports)];
  const http = httpChain().handler(serveRoutes(routes));
  const apply = middy()
    .use(invocationLog(log))
    .use(
      queueMessages<WriteMessage>({
        parse: (text) => parseQueuedWrite(text, INTEGRATION),
        deadLetters: {
          add: async (body, reason, messageId) => {
            deadLetters.set(messageId, reason);
            bodies.push(body);
          },
        },
        requeue: () => Promise.reject(new Error('Nothing waits here.')),
      }),
    )
    .handler(async ({ messages }) => {
      const asked = messages.map(({ value }) => value);
      const invocation = { remainingMs: () => 60_000 };
      const reports = await applyWrites(ports, () => settings, asked, invocation);
      return messages.flatMap(({ messageId }, index) =>
        reports
          .slice(index, index + 1)
          .map((report) => ({ messageId, answer: writeAnswer(report) })),
      );
    });
  const invoke = (handler: object, event: unknown): Promise<unknown> =>
    Reflect.apply(Object(handler), undefined, [event, lambdaContext()]);

  return {
    ask: async (writeId, body) => {
      const answer = await invoke(http, httpEvent(writeId, body));
      const { statusCode, body: text } = v.parse(AnswerSchema, answer);
      if (statusCode === 202) return undefined;
      if (statusCode !== 400) throw new Error(`Answered with status ${statusCode}: ${text}`);
      return v.parse(ProblemSchema, JSON.parse(text)).field;
    },
    send: (messageId, body) => void queue.push({ messageId, body }),
    drain: async () => {
      while (queue.length > 0) {
        const batch = queue.splice(0, BATCH_SIZE);
        const Records = batch.map((message) => ({ ...message, attributes: {} }));
        const result = v.parse(BatchSchema, await invoke(apply, { Records }));
        if (result.batchItemFailures.length > 0) throw new Error('A message came back.');
      }
      return deadLetters;
    },
    bodies,
    stateOf: (writeId) => ports.ledger.readWrite(CONNECTION, writeId),
  };
}

const AnswerSchema = v.object({ statusCode: v.number(), body: v.string() });
const ProblemSchema = v.object({ field: v.string() });
const BatchSchema = v.object({ batchItemFailures: v.array(v.unknown()) });

function httpEvent(writeId: string, body: string | Buffer): object {
  const rawPath = `/connections/${CONNECTION}/writes`;
  return {
    version: '2.0',
    rawPath,
    rawQueryString: '',
    headers: { 'idempotency-key': writeId, 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST', path: rawPath }, stage: '$default' },
    body: typeof body === 'string' ? body : body.toString('base64'),
    isBase64Encoded: typeof body !== 'string',
  };
}

/** A table whose items are the JSON texts that DynamoDB would get. */
function createTextTable(): Pick<LedgerTable, 'get' | 'replace' | 'query'> {
  const items = new Map<string, string>();
  const nameOf = ({ connection, sort }: ItemName) => `${connection} ${sort}`;
  const get: LedgerTable['get'] = async (place) => {
    const text = items.get(nameOf(place));
    if (text === undefined) return undefined;
    const read = parseItem(place.schema, fromItem(JSON.parse(text)), place);
    if (isUnreadable(read)) throw read;
    return read;
  };
  return {
    get,
    replace: async (place, next, expectedToken) => {
      const current = await get(place);
      if (current?.writeToken !== expectedToken) return { kind: 'conflict', current };
      items.set(nameOf(place), JSON.stringify(toItem(next)));
      return { kind: 'written' };
    },
    query: async () => ({ items: [], unreadable: [] }),
  };
}
