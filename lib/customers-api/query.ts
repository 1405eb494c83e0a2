import * as v from 'valibot';
import { recordOf } from '../record-of.ts';
import { parseOptions } from './parse-options.ts';

/** Query parameters by their names. A whole number beyond 2^53 goes as text. What is `undefined` is not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** As it is sent. */
export type SentQuery = Readonly<Record<string, string>>;

export const ParameterNameSchema = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]+$/, 'expected the name of a parameter, visible ASCII characters'),
);

/** Of what is sent with the pages of a list, besides their numbers and size. */
export const ListParameterNameSchema = v.pipe(
  ParameterNameSchema,
  v.check(
    (name) => !['page', 'per_page'].includes(name),
    'page and per_page are sent by themselves: set firstPage and perPage instead',
  ),
);

const VALUE_EXPECTED = 'expected text, true, false or a number; one beyond 2^53 as text';

/** A value of a query. */
export const ParameterValueSchema = v.pipe(
  v.optional(v.union([v.string(), v.number(), v.boolean()], VALUE_EXPECTED)),
  v.check(
    // Of a whole number beyond 2^53 digits are lost already.
    (value) => typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER,
    VALUE_EXPECTED,
  ),
);

const asSent = v.transform(
  (query: Query): SentQuery =>
    Object.fromEntries(
      Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    ),
);

/** Of a request for one resource. */
export const QuerySchema = v.pipe(recordOf(ParameterNameSchema, ParameterValueSchema), asSent);

const ListQuerySchema = v.pipe(recordOf(ListParameterNameSchema, ParameterValueSchema), asSent);

/** @throws SettingError naming the parameter, such as `query.page`. */
export function listQueryOf(query: Query = {}): SentQuery {
  return parseOptions(v.strictObject({ query: ListQuerySchema }), { query }, 'query').query;
}
