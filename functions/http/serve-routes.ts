import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import type { Connections, OpenKey } from '../../lib/gate/ports.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import { ConnectionNameSchema } from '../../lib/names.ts';
import type { Log } from '../log/log.ts';
import { liveKeys, processLog } from '../log/process-log.ts';
import { parseEvent } from '../messages/parse-event.ts';
import type { ConnectionSettings } from '../services/connection-settings.ts';
import type { Services } from '../services/services.ts';
import type { Answer } from './answer.ts';
import { type Problem, problem, unknownConnection } from './problem.ts';
import { parseRequest, readInput } from './request.ts';
import type { RouteSpec } from './routes.ts';

export interface Call<Spec extends RouteSpec, Settings = ConnectionSettings> {
  /** What the route's schema makes of the request. */
  readonly input: v.InferOutput<Spec['input']>;
  readonly connection: string;
  readonly settings: Settings;
  /** Who asks, as the authorizer found. */
  readonly caller: string | undefined;
  /** Its lines carry the request id and the connection. */
  readonly log: Log;
  readonly context: Invocation;
}

export type Invocation = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

/** What a route does; `Ports` is what it works with. */
export type Route<Spec extends RouteSpec, Ports, Settings = ConnectionSettings> = (
  call: Call<Spec, Settings>,
  ports: Ports,
) => Promise<Answer | Problem>;

const ConnectionSchema = v.object({ path: v.object({ connection: ConnectionNameSchema }) });

interface KnownConnections<Settings> extends Pick<Services<OpenKey>, 'isKnown'> {
  readonly settingsOf: (connection: string) => Settings;
  /** Reads the key that a text must not hold. @default - none, where no key may be read */
  readonly connections?: Pick<Connections<OpenKey>, 'open'>;
  /** @default of all keys that the process has read */
  readonly holdsKey?: (text: string) => boolean;
  /** @default the one of the process */
  readonly log?: Log;
}

/** Makes what makes routes for the router: each is called with a request that its schema has checked. */
export function routesOf<Settings>({
  isKnown,
  settingsOf,
  connections,
  holdsKey = liveKeys.holdsKey,
  log: ownLog = processLog,
}: KnownConnections<Settings>) {
  return <Spec extends RouteSpec, Ports>(
    spec: Spec,
    route: Route<Spec, Ports, Settings>,
    ports: Ports,
  ) => {
    const handler = async (event: unknown, context: Invocation): Promise<Answer | Problem> => {
      const parsed = parseRequest(event);
      if (parsed.kind === 'problem') return parsed;
      const { request } = parsed;
      // Nothing else of a request ever says whose key is used.
      const named = readInput(ConnectionSchema, request);
      if (named.kind === 'problem') return named;
      const { connection } = named.input.path;
      if (!(await isKnown(connection))) return unknownConnection();
      const read = readInput(spec.input, request);
      if (read.kind === 'problem') return read;
      const { input } = read;
      const words = wordsIn(input, spec);
      if (words !== undefined) {
        await connections?.open(connection, 'cached');
        if (holdsKey(words)) return keyIn(spec);
      }
      const { caller } = request;
      const settings = settingsOf(connection);
      const log = ownLog.with({ requestId: context.awsRequestId, connection });
      return route({ input, connection, settings, caller, log, context }, ports);
    };
    const { method, path } = spec;
    return { method, path, handler };
  };
}

/** What a person has written. */
function wordsIn(input: unknown, { words }: RouteSpec): string | undefined {
  const body = isJsonObject(input) ? input['body'] : undefined;
  const given = isJsonObject(body) ? body[words ?? ''] : undefined;
  return typeof given === 'string' ? given : undefined;
}

function keyIn({ words: field = 'reason' }: RouteSpec): Problem {
  const detail = `${field}: holds the key of a connection, and would be kept and told. Nothing was stored or done. Take it out, and consider the key exposed.`;
  return problem('key-in-request', detail, { field });
}

/** Where a request goes. Everything else of it is checked by the route. */
const AskedSchema = v.looseObject({
  /** The route that API Gateway has authorized, such as `ANY /connections/{connection}/exports`. */
  routeKey: v.optional(v.string()),
  /** Without what a custom domain maps to the API, which stands in the path of `requestContext.http` (developer guide). */
  rawPath: v.string(),
  requestContext: v.looseObject({ http: v.looseObject({ method: v.string() }) }),
});

type RoutePlace = Pick<RouteSpec, 'path'> & { readonly method: string };

interface ServedRoute extends RoutePlace {
  readonly handler: (event: unknown, context: Invocation) => Promise<Answer | Problem>;
}

/**
 * Makes a handler of routes: the first one that the request is for is called. (`@middy/http-router` comes with
 * `node:http`, and that loads Node's fetch while a function starts, which most have no use for.)
 */
export function serveRoutes(routes: readonly ServedRoute[]): ServedRoute['handler'] {
  return async (event, context) => {
    const asked = parseEvent(AskedSchema, event, 'an HTTP API (payload format 2.0)');
    const { rawPath: path } = asked;
    const { method } = asked.requestContext.http;
    // A slash that was sent as %2F is one here, and would make the path of a route the path of another.
    const open = routes.filter((route) => asked.routeKey?.endsWith(route.path) ?? true);
    for (const route of open) {
      const pathParameters = route.method === method ? parametersIn(route.path, path) : undefined;
      if (pathParameters !== undefined) return route.handler({ ...asked, pathParameters }, context);
    }
    return noRoute(open, { method, path });
  };
}

/** The problem of a request that no route takes: 405 when only the method is wrong, else 404. */
function noRoute(routes: readonly RoutePlace[], asked: RoutePlace): Problem {
  const here = routes.filter(({ path }) => parametersIn(path, asked.path) !== undefined);
  if (here.length === 0) {
    const known = [...new Set(routes.map(({ path }) => path))].join(', ');
    return problem('unknown-route', `path: expected one of ${known}.`, { field: 'path' });
  }
  // RFC 9110 section 15.5.6: the answer names the methods that there are.
  const allow = here
    .map(({ method }) => method)
    .sort()
    .join(', ');
  const detail = `method: expected ${allow}.`;
  return problem('method-not-allowed', detail, { field: 'method' }, { Allow: allow });
}

/**
 * What stands in a path for the `{name}`s of a route; `undefined` for a path of another route. API Gateway has decoded the
 * path, and it is not decoded once more.
 */
function parametersIn(template: string, path: string): Record<string, string> | undefined {
  const expected = template.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? '';
    const [, name] = /^\{(.+)\}$/.exec(segment) ?? [];
    if (name === undefined ? value !== segment : value === '') return undefined;
    if (name !== undefined) parameters[name] = value;
  }
  return parameters;
}
