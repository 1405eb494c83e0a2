import * as v from 'valibot';
import { type Problem, problem } from './problem.ts';

/** A request as API Gateway hands it over (payload format 2.0); header names are in lower case there. */
export interface Request {
  readonly path: Fields;
  readonly query: Fields;
  readonly headers: Fields;
  /** Empty when there is none. */
  readonly body: string;
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
});

/** @throws ValiError for an event of another source than an HTTP API. */
export function parseRequest(event: unknown): Request {
  const { pathParameters, queryStringParameters, headers, body, isBase64Encoded } = v.parse(
    EventSchema,
    event,
  );
  return {
    path: pathParameters,
    query: queryStringParameters,
    headers,
    body: isBase64Encoded ? Buffer.from(body, 'base64').toString() : body,
  };
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
  // The name comes from the caller, and is given back only if it is a word.
  const name = /^[\w.-]{1,64}$/.test(field) ? field : 'query';
  return invalid(name, `${name}: there is no such query parameter on this route.`);
}

export function invalid(field: string, detail: string): Problem {
  return problem('invalid-request', detail, { field });
}

/** No route takes a body; an empty JSON object is let pass, which some clients send with every POST. */
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
