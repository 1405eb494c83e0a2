import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { defined } from '../../lib/defined.ts';
import { MAX_BY_LENGTH } from '../../lib/names.ts';
import { recordOf } from '../../lib/record-of.ts';
import { parseEvent } from '../messages/parse-event.ts';
import { invalidRequest, type Problem } from './problem.ts';

/** A request as API Gateway hands it over (payload format 2.0); header names are in lower case there. */
export interface Request {
  readonly path: Fields;
  readonly query: Fields;
  readonly headers: Fields;
  /** Empty when there is none. */
  readonly body: string;
  /** Who asks, as the authorizer found: an ARN, or the subject of a token. */
  readonly caller?: string;
}

type Fields = Readonly<Record<string, string | undefined>>;

const FieldsSchema = v.optional(recordOf(v.string(), v.optional(v.string())), {});

const EventSchema = v.object({
  version: v.literal('2.0'),
  pathParameters: FieldsSchema,
  queryStringParameters: FieldsSchema,
  headers: FieldsSchema,
  body: v.optional(v.string(), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
  requestContext: v.optional(v.object({ authorizer: v.optional(v.unknown()) }), {}),
});

const IamSchema = v.object({ iam: v.object({ userArn: v.pipe(v.string(), v.minLength(1)) }) });
const TokenSchema = v.object({
  jwt: v.object({ claims: v.object({ sub: v.pipe(v.string(), v.minLength(1)) }) }),
});

/** @throws SettingError for an event of another source than an HTTP API. */
export function parseRequest(
  event: unknown,
): { readonly kind: 'request'; readonly request: Request } | Problem {
  const { pathParameters, queryStringParameters, headers, ...parsed } = parseEvent(
    EventSchema,
    event,
    'an HTTP API (payload format 2.0)',
  );
  const body = bodyOf(parsed);
  if (typeof body !== 'string') return body;
  const caller = callerOf(parsed.requestContext.authorizer)?.slice(0, MAX_BY_LENGTH);
  const request = { path: pathParameters, query: queryStringParameters, headers, body };
  return { kind: 'request', request: { ...request, ...defined({ caller }) } };
}

function bodyOf({
  body,
  isBase64Encoded,
}: Pick<v.InferOutput<typeof EventSchema>, 'body' | 'isBase64Encoded'>): string | Problem {
  if (isBase64Encoded) {
    const bytes = Buffer.from(body, 'base64');
    return isUtf8(bytes)
      ? bytes.toString()
      : invalidRequest('body', 'body: expected UTF-8, got bytes that are none.');
  }
  // What API Gateway puts in place of bytes that are not UTF-8 (Unicode standard, section 3.9).
  if (!body.includes('\ufffd')) return body;
  return invalidRequest(
    'body',
    'body: holds U+FFFD, which stands for bytes that are not UTF-8. Send UTF-8, and this character itself as \\ufffd.',
  );
}

/** What API Gateway's authorizers add (developer guide, "Payload format version", 2.0). */
function callerOf(authorizer: unknown): string | undefined {
  const signed = v.safeParse(IamSchema, authorizer);
  if (signed.success) return signed.output.iam.userArn;
  const token = v.safeParse(TokenSchema, authorizer);
  return token.success ? `subject ${token.output.jwt.claims.sub}` : undefined;
}

/** Reads of a request what a schema of its parts (`path`, `query`, `headers`, `body`) asks for. */
export function readInput<Schema extends v.GenericSchema>(
  schema: Schema,
  request: Request,
): { readonly kind: 'input'; readonly input: v.InferOutput<Schema> } | Problem {
  const parsed = v.safeParse(schema, request, { abortEarly: true });
  if (parsed.success) return { kind: 'input', input: parsed.output };
  return problemOf(parsed.issues[0]);
}

/** Names of query parameters and members come from the caller: they are given back only if they are words. */
function problemOf(issue: v.BaseIssue<unknown>): Problem {
  const [, part = '', name = ''] = /^(\w+)\.?(.*)$/s.exec(v.getDotPath(issue) ?? '') ?? [];
  if (part === 'headers') {
    // Headers are known by the names that they have in documents; the message holds its own.
    const header = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
    return invalidRequest(header, `${issue.message}.`);
  }
  const field = /^[\w.-]{1,64}$/.test(name) ? name : part;
  const problem =
    issue.expected === 'never' ? 'there is no such query parameter on this route' : issue.message;
  return invalidRequest(field, `${field}: ${problem}.`);
}
