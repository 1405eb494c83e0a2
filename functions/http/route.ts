import type { Context } from 'aws-lambda';
import type { ExportSettings } from '../../lib/exports/export-settings.ts';
import type { ControlPorts } from '../../lib/exports/ports.ts';
import type { GatedClient } from '../../lib/gate/gated-client.ts';
import type { Log } from '../middleware/log.ts';
import { tellUntilMs } from '../services/tell-until.ts';
import type { Answer } from './answer.ts';
import { knownConnection } from './known-connection.ts';
import type { Problem } from './problem.ts';
import { bodyProblem, parseRequest, type Request } from './request.ts';

/** What the routes work with. */
export interface ApiServices {
  readonly ports: ControlPorts;
  readonly isKnown: (connection: string) => Promise<boolean>;
  readonly settingsOf: (connection: string) => ExportSettings;
  readonly clientOf: (connection: string, tellUntilMs: number) => GatedClient;
  readonly log: Log;
}

/** One request, as far as every route needs the same of it. */
export interface Call {
  readonly request: Request;
  readonly connection: string;
  readonly settings: ExportSettings;
  readonly ports: ControlPorts;
  readonly client: GatedClient;
  /** Its lines carry the request id and the connection. */
  readonly log: Log;
  readonly requestId: string;
  /** Milliseconds until the function is ended. */
  readonly remainingMs: () => number;
}

export type Route = (call: Call) => Promise<Answer | Problem>;

/** Makes the handler of a route below `/connections/{connection}`. */
export function routeOf(
  services: ApiServices,
  route: Route,
): (event: unknown, context: Context) => Promise<Answer | Problem> {
  const { ports, clientOf, log } = services;
  return async (event, context) => {
    const request = parseRequest(event);
    const known = await knownConnection(request, services);
    if (known.kind === 'problem') return known;
    const wrongBody = bodyProblem(request);
    if (wrongBody !== undefined) return wrongBody;
    const { connection, settings } = known;
    const { awsRequestId: requestId } = context;
    return route({
      request,
      connection,
      settings,
      ports,
      client: clientOf(connection, tellUntilMs(context, ports.clock)),
      log: log.with({ requestId, connection }),
      requestId,
      remainingMs: () => context.getRemainingTimeInMillis(),
    });
  };
}
