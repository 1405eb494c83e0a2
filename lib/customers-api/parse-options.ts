import * as v from 'valibot';
import { SettingError } from '../errors.ts';

/**
 * Checks an object of options that a caller gave. No value is quoted: it may be the key in the wrong place.
 *
 * @param whole What the object is called when it is none.
 * @throws SettingError naming the first option that is wrong, missing or unknown.
 */
export function parseOptions<Schema extends v.GenericSchema>(
  schema: Schema,
  given: unknown,
  whole: string,
): v.InferOutput<Schema> {
  return parse(schema, given, (path) => path.replace(/^\./, '') || whole);
}

/**
 * The same for the value of one setting: an error names the place in it, such as `operations[1].method`.
 *
 * @throws SettingError
 */
export function parseSetting<Schema extends v.GenericSchema>(
  schema: Schema,
  given: unknown,
  setting: string,
): v.InferOutput<Schema> {
  return parse(schema, given, (path) => `${setting}${path}`);
}

function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  given: unknown,
  placeOf: (path: string) => string,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, given, {
    abortEarly: true,
    message: ({ type, expected }) =>
      `expected ${KIND_WORDS[expected ?? type] ?? expected ?? 'another value'}`,
  });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new SettingError(placeOf(pathOf(issue)), problemOf(issue));
}

/** The signal by which a caller ends what it asked for. */
export const signalOption = v.optional(v.instance(AbortSignal, 'expected an AbortSignal'));

/** What valibot names by its type, for a person. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
  Function: 'a function',
  '(string | false)': 'text or false',
};

/** Such as `.lists.invoices` or `[0].name`; empty for the whole. */
function pathOf({ path }: v.BaseIssue<unknown>): string {
  return (path ?? [])
    .map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('');
}

function problemOf({ expected, received, path, message }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'there is no such setting';
  return received === 'undefined' && path !== undefined ? 'this setting is missing' : message;
}
