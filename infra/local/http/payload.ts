import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { recordOf } from '../../../lib/record-of.ts';

/** A request that a route takes and its authorizer has let in. */
export interface RoutedRequest {
  readonly routeKey: string;
  /** Percent-decoded, whatever its name says: so API Gateway sends it, as seen in events of an HTTP API. */
  readonly rawPath: string;
  /** Without its question mark. */
  readonly query: string;
  readonly body: Buffer;
  readonly authorizer: object;
}

/** API Gateway's event (developer guide, "Payload format version", 2.0), as far as functions of the stack read it. */
export function requestEvent(request: IncomingMessage, routed: RoutedRequest): object {
  const { routeKey, rawPath, query, body, authorizer } = routed;
  const headers = headersOf(request);
  const isBase64Encoded = body.length > 0 && !isText(headers['content-type']);
  return {
    ...{ version: '2.0', routeKey, rawPath, headers },
    queryStringParameters: joined(new URLSearchParams(query)),
    requestContext: { authorizer, http: { method: request.method } },
    body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
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
