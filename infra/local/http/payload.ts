import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import { recordOf } from '../../../lib/record-of.ts';

export interface Origin {
  readonly accountId: string;
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly authorizer: object;
  readonly nowMs: number;
}

/** API Gateway's event for a function (developer guide, "Payload format version", 2.0). */
export function requestEvent(request: IncomingMessage, body: Buffer, origin: Origin): object {
  const { apiId, routeKey, nowMs, pathParameters } = origin;
  const [path, query] = pathAndQuery(request);
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

export function pathAndQuery({ url = '/' }: IncomingMessage): readonly [string, string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

const ResponseSchema = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(recordOf(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  cookies: v.optional(v.array(v.string()), []),
  body: v.optional(v.string(), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** What a function's result means; `undefined` when API Gateway could not read it either. */
export function answerOf(result: unknown): HttpAnswer | undefined {
  const hasStatus = typeof result === 'object' && result !== null && 'statusCode' in result;
  if (!hasStatus) {
    // Without a status the result itself is the body (developer guide, "Lambda function response").
    return jsonAnswer(200, result);
  }
  const parsed = v.safeParse(ResponseSchema, result);
  if (!parsed.success) return undefined;
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.output;
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    status: statusCode,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(texts),
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

export function jsonAnswer(status: number, value: unknown): HttpAnswer {
  const body = Buffer.from(JSON.stringify(value) ?? 'null');
  return { status, headers: { 'content-type': 'application/json' }, body };
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
