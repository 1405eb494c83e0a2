import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import { recordOf } from '../../../lib/record-of.ts';
import { pathAndQuery } from '../endpoint/signature.ts';

export interface Origin {
  readonly accountId: string;
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly authorizer: object;
  readonly nowMs: number;
}

/**
 * API Gateway's event for a function (developer guide, "Payload format version", 2.0). Both of its paths are decoded, as
 * seen in events of an HTTP API.
 */
export function requestEvent(request: IncomingMessage, body: Buffer, origin: Origin): object {
  const { apiId, routeKey, nowMs, pathParameters } = origin;
  const [sent, query] = pathAndQuery(request.url);
  const path = decodeURIComponent(sent);
  const { cookie, ...headers } = headersOf(request);
  const queryStringParameters = joined(new URLSearchParams(query));
  const isBase64Encoded = body.length > 0 && !isText(headers['content-type']);
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    ...defined({ cookies: cookie?.split(/; */) }),
    headers,
    ...(query === '' ? {} : { queryStringParameters }),
    requestContext: {
      accountId: origin.accountId,
      apiId,
      authorizer: origin.authorizer,
      domainName: headers['host'] ?? '',
      domainPrefix: apiId,
      http: {
        method: request.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: commonLogTime(nowMs),
      timeEpoch: nowMs,
    },
    ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
    ...(body.length === 0 ? {} : { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
}

/** A function's answer, as far as those of the stack make use of the format. */
const ResponseSchema = v.strictObject({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: recordOf(v.string(), v.string()),
  body: v.string(),
});

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a function's result means; `undefined` when it is another one. */
export function answerOf(result: unknown): HttpAnswer | undefined {
  const parsed = v.safeParse(ResponseSchema, result);
  if (!parsed.success) return undefined;
  const { statusCode: status, headers, body } = parsed.output;
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { status, headers: Object.fromEntries(lines), body: Buffer.from(body) };
}

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values = []]) => [name, values.join(',')]),
  );
}

function joined(query: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name).join(',')]));
}

/** The content types whose bodies API Gateway hands on as text; a body without one is text too. */
function isText(contentType: string | undefined): boolean {
  return (
    contentType === undefined ||
    /^(text\/|application\/(json|javascript|xml)|[^;]+\+(json|xml))/i.test(contentType)
  );
}

/** `12/Mar/2026:19:03:58 +0000` */
function commonLogTime(nowMs: number): string {
  const [, day, month, year, time] = new Date(nowMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
