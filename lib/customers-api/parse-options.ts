import * as v from 'valibot';
import { errorName, SettingError } from '../errors.ts';
import { isJsonObject } from '../json/json-value.ts';

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
  const parsed = read(schema, given, placeOf);
  const path = parsed.success ? [] : (parsed.issues[0].path ?? []);
  const inPath = path.findIndex(({ type, input }) => type === 'object' && !isJsonObject(input));
  const elsewhere = inPath < 0 ? unreadPath(given, parsed.output) : path.slice(0, inPath);
  if (elsewhere !== undefined) throw new SettingError(placeOf(pathOf(elsewhere)), OBJECT_EXPECTED);
  if (parsed.success) return parsed.output;
  throw new SettingError(placeOf(pathOf(path)), problemOf(parsed.issues[0]));
}

function read<Schema extends v.GenericSchema>(
  schema: Schema,
  given: unknown,
  placeOf: (path: string) => string,
) {
  try {
    return v.safeParse(schema, given, {
      abortEarly: true,
      message: ({ type, expected }) =>
        `expected ${KIND_WORDS[expected ?? type] ?? expected ?? 'another value'}`,
    });
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new SettingError(placeOf(''), `reading it threw ${errorName(error)}`);
  }
}

const OBJECT_EXPECTED = 'expected an object, not a list, a Map or another instance of a class';

type Path = readonly { readonly key: unknown }[];

/** Where an object was read that is none by {@link isJsonObject}: the schemas take it for one without members. */
function unreadPath(given: unknown, output: unknown): Path | undefined {
  if (given === output || !isObject(given) || !isObject(output)) return undefined;
  // A schema that asks for a Map gives one.
  if (isJsonObject(output) && !isJsonObject(given)) return [];
  for (const [key, value] of Object.entries(output)) {
    const path = unreadPath(Reflect.get(given, key), value);
    if (path !== undefined) return [{ key: Array.isArray(output) ? Number(key) : key }, ...path];
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** For a function without options. @throws SettingError for what somebody gave it all the same. */
export function takeNone(given: readonly unknown[]): void {
  if (given.every((each) => each === undefined)) return;
  throw new SettingError('options', 'expected none: there is nothing to set');
}

/** The signal by which a caller ends what it asked for. */
export const signalOption = v.optional(
  v.custom<AbortSignal>((given) => given instanceof AbortSignal, 'expected an AbortSignal'),
);

/** What valibot names by its type, for a person. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
  object: 'an object',
  Function: 'a function',
  function: 'a function',
  '(string | false)': 'text or false',
};

/** Such as `.lists.invoices` or `[0].name`; empty for the whole. */
function pathOf(path: Path): string {
  return path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
}

function problemOf({ expected, received, path, message, input }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'there is no such setting';
  if (received === 'undefined' && path !== undefined) return 'this setting is missing';
  const isOfKind = expected === 'unknown' || Object.hasOwn(KIND_WORDS, expected ?? '');
  return isOfKind ? `${message}, got ${kindOf(input)}` : message;
}

/** What was given, without a value that may be the key. */
function kindOf(given: unknown): string {
  if (given === undefined) return 'nothing';
  if (given === null || typeof given === 'boolean' || Number.isNaN(given)) return String(given);
  const kind = Array.isArray(given) ? 'Array' : typeof given;
  if (kind === 'object' && !isJsonObject(given)) return 'an instance of a class';
  return KIND_WORDS[kind] ?? 'another value';
}
