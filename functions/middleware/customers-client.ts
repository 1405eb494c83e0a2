import type { MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import { parseOptions, takeNone } from '../../lib/customers-api/parse-options.ts';
import type { GatedClient } from '../../lib/gate/gated-client.ts';
import { type TypedClient, withSchemas } from '../../lib/gate/typed-client.ts';
import { ConnectionNameSchema } from '../../lib/names.ts';
import { withClient } from '../aws/connections.ts';
import { UnknownConnectionError } from '../aws/known-connections.ts';
import { type ClientOf, createClientOf, inTime, recordMs } from '../services/gated-clients.ts';
import { createServices } from '../services/services.ts';
import { type LogContext, logOf } from './invocation-log.ts';

/** What {@link customersClient} adds to Lambda's context. */
export interface ClientContext extends LogContext {
  /** The client of the connection. */
  customers: TypedClient;
}

/** What {@link customersClients} adds to Lambda's context. */
export interface ClientsContext extends LogContext {
  /**
   * The client of any connection of the stack, for batches whose messages name their own.
   *
   * @throws UnknownConnectionError
   */
  customersOf: (connection: string) => Promise<TypedClient>;
}

/** What {@link customersClient} adds to `request.internal`, for the middlewares after it. */
export type ClientInternal = Record<'customers', TypedClient>;

export interface CustomersClientMiddlewareOptions<Event> {
  /**
   * The name of the connection, or what takes it from the event. Who may call with which connection is
   * for you to decide before: the name gives no authority, but the key behind it does.
   */
  readonly connection: string | ((event: Event, context: Context) => string | undefined);
}

const OptionsSchema = v.strictObject({
  connection: v.union(
    [ConnectionNameSchema, v.function()],
    'expected the name of a connection, 1 to 63 small letters, digits and hyphens, or a function that takes it from the event',
  ),
});

/**
 * Gives a handler the client of one connection as `context.customers`: it makes no request while the
 * connection is blocked or halted, and records waits and halts for all callers of the connection. A request ends while
 * the invocation has time to tell what came of it. The log at `context.log` never shows a key.
 *
 * @throws SettingError when it is made: naming the option, or the environment variable, that is wrong.
 * In an invocation UnknownConnectionError, when the stack has no such connection.
 */
export function customersClient<Event = unknown>(
  options: CustomersClientMiddlewareOptions<Event>,
): MiddlewareObj<Event, unknown, Error, ClientContext, ClientInternal> {
  parseOptions(OptionsSchema, options, 'options');
  const services = clientServices();
  const { connection } = options;
  return {
    before: async function customersClientBefore(request) {
      const { context, event } = request;
      context.log ??= logOf(context);
      const name = typeof connection === 'string' ? connection : connection(event, context);
      const client = await knownClient(services, name, context);
      context.customers = client;
      request.internal.customers = client;
    },
  };
}

/**
 * Gives a handler the clients of all connections as `context.customersOf(connection)`.
 *
 * @param none There is nothing to set.
 * @throws SettingError when it is made: for options, or naming the environment variable that is wrong.
 */
export function customersClients(
  ...none: readonly never[]
): MiddlewareObj<unknown, unknown, Error, ClientsContext> {
  takeNone(none);
  const services = clientServices();
  return {
    before: function customersClientsBefore({ context }) {
      context.log ??= logOf(context);
      context.customersOf = (connection) => knownClient(services, connection, context);
    },
  };
}

interface ClientServices {
  readonly isKnown: (connection: string) => Promise<boolean>;
  readonly clientOf: ClientOf;
}

let shared: ClientServices | undefined;

/** One for the process: keys, and what clients remember, are shared by all handlers in it. */
function clientServices(): ClientServices {
  if (shared !== undefined) return shared;
  const services = createServices(withClient);
  shared = { isKnown: services.isKnown, clientOf: createClientOf(services) };
  return shared;
}

async function knownClient(
  services: ClientServices,
  connection: string | undefined,
  context: Context,
): Promise<TypedClient> {
  // A list of one name would pass for the name.
  if (typeof connection !== 'string' || !(await services.isKnown(connection))) {
    throw new UnknownConnectionError();
  }
  const leftMs = recordMs(context);
  return withSchemas(endingInTime(services.clientOf(connection, leftMs), leftMs));
}

function endingInTime(client: GatedClient, leftMs: () => number): GatedClient {
  return {
    listPage: (request) =>
      inTime(leftMs(), request.signal, (signal) => client.listPage({ ...request, signal })),
    read: (request) =>
      inTime(leftMs(), request.signal, (signal) => client.read({ ...request, signal })),
    write: (request) =>
      inTime(leftMs(), request.signal, (signal) => client.write({ ...request, signal })),
  };
}
