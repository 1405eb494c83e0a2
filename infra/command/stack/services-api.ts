import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { EventBus } from '../../../functions/aws/events.ts';
import { cancelExport } from '../../../functions/http/cancel-export.ts';
import { listChanges } from '../../../functions/http/list-changes.ts';
import { listFiles } from '../../../functions/http/list-files.ts';
import { openGate } from '../../../functions/http/open-gate.ts';
import { ROUTES } from '../../../functions/http/routes.ts';
import { routesOf, serveRoutes } from '../../../functions/http/serve-routes.ts';
import { settleWrite } from '../../../functions/http/settle-write.ts';
import { listExports, showExport } from '../../../functions/http/show-exports.ts';
import { listUnclearWrites, showWrite } from '../../../functions/http/show-writes.ts';
import { connectionSettingsOf } from '../../../functions/services/connection-settings.ts';
import { readConnectionTable, readVariable } from '../../../functions/services/environment.ts';
import { deferred } from '../../../lib/deferred.ts';
import { defined } from '../../../lib/defined.ts';
import { parseJson } from '../../../lib/json/json-value.ts';
import { CommandError } from '../command-error.ts';
import type { DeployedFunctions } from './deployed-functions.ts';
import type { IntegrationApi, Question } from './integration-api.ts';
import { explained } from './missing-right.ts';
import type { ServicePorts } from './service-ports.ts';
import { readAs } from './shown-export.ts';

/** What an integration is asked by that is asked without its HTTP API. */
export interface AskedServices {
  readonly functions: DeployedFunctions;
  readonly ports: ServicePorts;
  readonly startFunction: string;
  readonly signal: AbortSignal;
}

/**
 * Carries out the routes of the HTTP API in this process. It is the same code, but it needs the rights of the person, not
 * those of a function. An export alone is started by the deployed function that starts all.
 */
export function createServicesApi(services: AskedServices): IntegrationApi {
  const { functions, ports, signal } = services;
  const caller = once(functions.callerArn);
  const reads = serveRoutes(readRoutes(ports));
  let bus: string | undefined;
  const decisions = once(async () => {
    const made = await decisionsOf(services);
    bus = made.bus;
    return made.decide;
  });
  const told = (error: unknown) => explained(error, { ...ports.resources, bus });
  const ask = async (connection: string, path: readonly string[], question: Question = {}) => {
    const { method = 'GET' } = question;
    const { serve, untold } =
      method === 'GET' ? { serve: reads, untold: [] } : (await decisions())();
    const event = eventOf(['connections', connection, ...path], question, await caller());
    const answer = await serve(event, INVOCATION());
    if (!('kind' in answer)) {
      if (untold.length > 0) throw notTold(told(untold[0]));
      return answer.body;
    }
    if (answer.code === 'unknown-route') throw new CommandError(NO_WRITES);
    const why = untold.map((error) => ` ${messageOf(told(error))}`).join('');
    throw new CommandError(answer.detail + why);
  };
  const start = async (connection: string, { body = {}, headers = {} }: Question) => {
    const key = headers['idempotency-key'];
    const trigger = key === undefined ? {} : { trigger: { kind: 'request', idempotencyKey: key } };
    const event = { connection, ...body, ...trigger };
    const said = await functions.invoke(services.startFunction, event);
    const started = readAs(StartedSchema, said, `The function ${services.startFunction}`);
    const shown = await ask(connection, ['exports', started.exportId]).catch((error: unknown) => {
      throw unshown(started, told(error));
    });
    if (started.result === 'halted') throw new CommandError(haltedMessage(shown));
    return `{"result":${JSON.stringify(started.result)},"export":${shown}}`;
  };
  return {
    ask: (connection, path, question = {}) => {
      const isStart = question.method === 'POST' && path.length === 1 && path[0] === 'exports';
      const work = isStart ? start(connection, question) : ask(connection, path, question);
      return unlessAborted(work, signal).catch((error: unknown) => {
        throw told(error);
      });
    },
  };
}

const StartedSchema = v.object({ result: v.string(), exportId: v.string(), status: v.string() });
const HaltedSchema = v.object({ reason: v.object({ message: v.string() }) });

function unshown({ exportId, status }: v.InferOutput<typeof StartedSchema>, error: unknown) {
  if (!(error instanceof CommandError)) return error;
  return new CommandError(`${exportId} is ${status}, and cannot be shown: ${error.message}`);
}

function haltedMessage(shown: string): string {
  const parsed = v.safeParse(HaltedSchema, parseJson(shown));
  return parsed.success ? parsed.output.reason.message : 'The connection is halted.';
}

/** The secrets are not read, so whether there is such a connection is not known; one without exports has none. */
const ANY_CONNECTION = { isKnown: async () => true };
/** The command says itself what it does, and the ledger keeps who decided what. */
const NO_LOG = {
  ...{ info: () => undefined, warn: () => undefined, error: () => undefined },
  with: () => NO_LOG,
};

function readRoutes({ exports, files, writes }: ServicePorts) {
  const routeOf = routesOf({ ...ANY_CONNECTION, settingsOf: () => undefined, log: NO_LOG });
  return [
    routeOf(ROUTES.listExports, listExports, exports),
    routeOf(ROUTES.showExport, showExport, exports),
    routeOf(ROUTES.listFiles, listFiles, files),
    routeOf(ROUTES.listChanges, listChanges, files),
    ...(writes === undefined
      ? []
      : [
          routeOf(ROUTES.listUnclearWrites, listUnclearWrites, writes),
          routeOf(ROUTES.showWrite, showWrite, writes),
        ]),
  ];
}

/** The settings that decide, and the bus that is told, are those that the functions have. */
async function decisionsOf({ functions, ports, startFunction }: AskedServices) {
  const variables = await functions.environmentOf(startFunction);
  const table = readConnectionTable(variables);
  const bus = readVariable('eventBus', variables);
  const { exports, writes } = ports.deciding(bus);
  const routeOf = routesOf({
    ...ANY_CONNECTION,
    settingsOf: (connection) => connectionSettingsOf(table, connection),
    log: NO_LOG,
  });
  /** For one decision. */
  const decide = () => {
    const untold: unknown[] = [];
    const { events } = noting(exports.events, untold);
    const { queue } = exports;
    const send: typeof queue.send = (...message) => queue.send(...message).catch(noted(untold));
    const routes = [
      routeOf(ROUTES.cancelExport, cancelExport, { ...exports, events }),
      routeOf(ROUTES.openGate, openGate, { ...exports, queue: { send }, events, writes }),
      ...(writes === undefined
        ? []
        : [routeOf(ROUTES.settleWrite, settleWrite, { ...writes, events })]),
    ];
    return { serve: serveRoutes(routes), untold };
  };
  return { bus, decide };
}

/** Keeps what the event bus throws: the routes leave it to the sweep, and a person may lack the right. */
function noting({ publish }: EventBus, untold: unknown[]): { readonly events: EventBus } {
  return { events: { publish: (event) => publish(event).catch(noted(untold)) } };
}

function noted(untold: unknown[]) {
  return (error: unknown): never => {
    untold.push(error);
    throw error;
  };
}

function notTold(error: unknown): CommandError {
  return new CommandError(
    `What you asked for is done, and the integration publishes its event within some minutes: ${messageOf(error)}`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The request as API Gateway would hand it over (payload format 2.0). */
function eventOf(
  segments: readonly string[],
  { method = 'GET', query = {}, headers = {}, body }: Question,
  userArn: string,
) {
  // API Gateway decodes it. No segment has a slash, and one with a slash must not be two.
  const rawPath = `/${segments.map((each) => each.replaceAll('/', '%2F')).join('/')}`;
  return {
    version: '2.0',
    rawPath,
    queryStringParameters: defined(query),
    headers,
    ...(body && { body: JSON.stringify(body) }),
    requestContext: { http: { method }, authorizer: { iam: { userArn } } },
  };
}

/** All other routes that commands ask for are there. */
const NO_WRITES =
  'The integration declares no operations (setting operations), so there are no writes.';

/** Nobody ends a command after some time. */
const INVOCATION = () => ({
  awsRequestId: randomUUID(),
  getRemainingTimeInMillis: () => Number.MAX_SAFE_INTEGER,
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    // What failed may succeed the next time, as where a network is back.
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** The adapters take no signal; who types Ctrl-C does not wait for them. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = deferred<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}
