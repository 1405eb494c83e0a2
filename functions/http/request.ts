import * as v from 'valibot';
import { defined } from '../../lib/defined.ts';
import { isJsonObject, parseJson } from '../../lib/json/json-value.ts';
import { type Problem, problem } from './problem.ts';

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

const FieldsSchema = v.optional(v.record(v.string(), v.optional(v.string())), {});

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

/** @throws ValiError for an event of another source than an HTTP API. */
export function parseRequest(event: unknown): Request {
  const { pathParameters, queryStringParameters, headers, body, isBase64Encoded, ...parsed } =
    v.parse(EventSchema, event);
  const caller = callerOf(parsed.requestContext.authorizer);
  return {
    path: pathParameters,
    query: queryStringParameters,
    headers,
    body: isBase64Encoded ? Buffer.from(body, 'base64').toString() : body,
    ...defined({ caller }),
  };
}

/** What API Gateway's authorizers tell (developer guide, "Payload format version", 2.0). */
function callerOf(authorizer: unknown): string | undefined {
  const signed = v.safeParse(IamSchema, authorizer);
  if (signed.success) return signed.output.iam.userArn;
  const token = v.safeParse(TokenSchema, authorizer);
  return token.success ? `subject ${token.output.jwt.claims.sub}` : undefined;
}

/** Reads the parts of a request that a route knows; the first wrong one is the problem. */
export function readFields<T>(
  schema: v.GenericSchema<unknown, T>,
  fields: Fields,
): { readonly kind: 'fields'; readonly fields: T } | Problem {
  const parsed = v.safeParse(schema, fields, { abortEarly: true });
  if (parsed.success) return { kind: 'fields', fields: parsed.output };
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue) ?? 'query';
  if (issue.expected !== 'never') return invalid(field, `${field}: ${issue.message}.`);
  const name = wordOr('query', field);
  return invalid(name, `${name}: there is no such query parameter on this route.`);
}

/** Reads a body that is a JSON object; the first wrong member is the problem. */
export function readBody<T>(
  schema: v.GenericSchema<unknown, T>,
  { body }: Request,
): { readonly kind: 'fields'; readonly fields: T } | Problem {
  const value = parseJson(body);
  if (!isJsonObject(value)) return invalid('body', 'body: expected a JSON object.');
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (parsed.success) return { kind: 'fields', fields: parsed.output };
  const [issue] = parsed.issues;
  const name = wordOr('body', v.getDotPath(issue) ?? 'body');
  if (issue.expected === 'never') return invalid(name, `${name}: there is no such member.`);
  const isMissing = issue.type === 'strict_object' && issue.received === 'undefined';
  return invalid(name, `${name}: ${isMissing ? 'is missing' : issue.message}.`);
}

/** A name that comes from the caller is given back only if it is a word. */
function wordOr(other: string, name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : other;
}

export function invalid(field: string, detail: string): Problem {
  return problem('invalid-request', detail, { field });
}

/** Only routes of writes take a body; an empty JSON object is let pass, which some clients send with every POST. */
export function bodyProblem({ body }: Request): Problem | undefined {
  if (body.trim() === '' || /^\s*\{\s*\}\s*$/.test(body)) return undefined;
  return invalid('body', 'body: expected none, or an empty JSON object. Nothing is set by a body.');
}

/** A whole number in decimal digits. */
export function wholeNumber(least: number, most: number) {
  const expected = `expected a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(expected),
    // Digits only: Number would take 1e3, 0x10 and blanks too.
    v.regex(/^(0|[1-9]\d{0,15})$/, expected),
    v.transform(Number),
    v.minValue(least, expected),
    v.maxValue(most, expected),
  );
}
