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
  const parsed = v.safeParse(schema, given, {
    abortEarly: true,
    message: ({ expected }) =>
      `expected ${KIND_WORDS[expected ?? ''] ?? expected ?? 'another value'}`,
  });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new SettingError(v.getDotPath(issue) ?? whole, problemOf(issue));
}

/** The signal by which a caller ends what it asked for. */
export const signalOption = v.optional(v.instance(AbortSignal, 'expected an AbortSignal'));

/** What valibot names by its type, for a person. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
  '(string | false)': 'text or false',
};

function problemOf({ expected, received, path, message }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'there is no such option';
  return received === 'undefined' && path !== undefined ? 'this option is missing' : message;
}
