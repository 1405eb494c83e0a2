import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import type { WriteSettings } from '../../lib/writes/write-settings.ts';
import type { Log } from '../middleware/log.ts';
import type { WriteControl } from '../services/write-services.ts';
import type { Answer } from './answer.ts';
import { knownConnection } from './known-connection.ts';
import { type Problem, problem } from './problem.ts';
import { parseRequest, type Request } from './request.ts';

/** What the routes of writes work with. */
export interface WriteApiServices extends WriteControl {
  readonly log: Log;
}

/** One request, as far as every route of writes needs the same of it. */
interface WriteCall {
  readonly request: Request;
  readonly connection: string;
  readonly settings: WriteSettings;
  readonly ports: WriteControl['ports'];
  /** Its lines carry the request id and the connection. */
  readonly log: Log;
}

export type WriteRoute = (call: WriteCall) => Promise<Answer | Problem>;

const ID_EXPECTED = 'expected 1 to 128 letters, digits, dots, underscores, colons and hyphens';

/** The id of a write, in a path, a header or a body. */
export const WriteIdSchema = v.pipe(
  v.string(ID_EXPECTED),
  v.regex(/^[A-Za-z0-9._:-]{1,128}$/, ID_EXPECTED),
);

/** Clients write a colon as %3A; no id has a percent sign, so decoding it once more does no harm. */
export const WritePathSchema = v.object({
  writeId: v.pipe(v.string(ID_EXPECTED), v.transform(decoded), WriteIdSchema),
});

function decoded(segment: string): string {
  return segment.replaceAll(/%3a/gi, ':');
}

export const NoQuerySchema = v.strictObject({});

/** Makes the handler of a route below `/connections/{connection}/writes`. */
export function writeRouteOf(
  services: WriteApiServices,
  route: WriteRoute,
): (event: unknown, context: Context) => Promise<Answer | Problem> {
  const { ports, log } = services;
  return async (event, { awsRequestId: requestId }) => {
    const request = parseRequest(event);
    const known = await knownConnection(request, services);
    if (known.kind === 'problem') return known;
    const { connection, settings } = known;
    return route({
      request,
      connection,
      settings,
      ports,
      log: log.with({ requestId, connection }),
    });
  };
}

export function unknownWrite(connection: string): Problem {
  return problem(
    'unknown-write',
    `writeId: expected a write of connection ${connection}. The ledger forgets a write historyDays after its end.`,
    { field: 'writeId' },
  );
}
