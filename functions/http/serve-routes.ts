import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import type { OpenKey } from '../../lib/gate/ports.ts';
import type { Log } from '../middleware/log.ts';
import { processLog } from '../middleware/process-log.ts';
import { ConnectionNameSchema, type ConnectionSettings } from '../services/connection-settings.ts';
import type { Services } from '../services/services.ts';
import type { Answer } from './answer.ts';
import { type Problem, problem, unknownConnection } from './problem.ts';
import { parseRequest, readInput } from './request.ts';
import type { RouteSpec } from './routes.ts';

/** One request, checked. */
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

/** What routes know of the invocation that they are a part of. */
export type Invocation = Pick<
  Context,
  'awsRequestId' | 'functionName' | 'getRemainingTimeInMillis'
>;

/** What a route does; `Ports` is what it works with. */
export type Route<Spec extends RouteSpec, Ports, Settings = ConnectionSettings> = (
  call: Call<Spec, Settings>,
  ports: Ports,
) => Promise<Answer | Problem>;

const ConnectionSchema = v.object({ path: v.object({ connection: ConnectionNameSchema }) });

/** What routes know of connections. */
interface KnownConnections<Settings> extends Pick<Services<OpenKey>, 'isKnown'> {
  readonly settingsOf: (connection: string) => Settings;
  /** @default the one of the process */
  readonly log?: Log;
}

/** Makes what makes routes for the router: each is called with a request that its schema has checked. */
export function routesOf<Settings>({
  isKnown,
  settingsOf,
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
      const { caller } = request;
      const settings = settingsOf(connection);
      const log = ownLog.with({ requestId: context.awsRequestId, connection });
      return route({ input, connection, settings, caller, log, context }, ports);
    };
    const { method, path } = spec;
    return { method, path, handler };
  };
}

type RoutePlace = Pick<RouteSpec, 'path'> & { readonly method: string };

/** The problem of a request that no route takes: 405 when only the method is wrong, else 404. */
export function noRoute(routes: readonly RoutePlace[], asked: RoutePlace): Problem {
  const methods = routes.filter(({ path }) => isAt(path, asked.path)).map(({ method }) => method);
  if (methods.length === 0) {
    const known = [...new Set(routes.map(({ path }) => path))].join(', ');
    return problem('unknown-route', `path: expected one of ${known}.`, { field: 'path' });
  }
  // RFC 9110 section 15.5.6: the answer names the methods that there are.
  const allow = methods.sort().join(', ');
  const detail = `method: expected ${allow}.`;
  return problem('method-not-allowed', detail, { field: 'method' }, { Allow: allow });
}

function isAt(template: string, path: string): boolean {
  const expected = template.split('/');
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, index) => segment.startsWith('{') || segment === given[index])
  );
}
