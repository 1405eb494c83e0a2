import { SettingError } from '../../../../lib/errors.ts';
import { isJsonObject } from '../../../../lib/json/json-value.ts';

/** Whether an event matches. */
export type EventPattern = (event: unknown) => boolean;

/**
 * Compiles an EventBridge pattern (user guide, "Comparison operators"): texts, `prefix`, `exists`, nested
 * members.
 *
 * @throws SettingError naming what the pattern has that is not run here.
 */
export function compilePattern(pattern: unknown, place: string): EventPattern {
  if (!isJsonObject(pattern)) throw notRun(pattern, place);
  const members = Object.entries(pattern).map(([key, expected]) => {
    const matches = Array.isArray(expected)
      ? anyOf(expected, `${place}, ${key}`)
      : compilePattern(expected, `${place}, ${key}`);
    return (event: unknown) => matches(isJsonObject(event) ? event[key] : undefined);
  });
  return (event) => members.every((matches) => matches(event));
}

function anyOf(expected: readonly unknown[], place: string): EventPattern {
  if (expected.length === 0) throw notRun(expected, place);
  const matchers = expected.map((item) => matcherOf(item, place));
  // Of a list in the event one item is enough.
  return (value) => [value].flat().some((item) => matchers.some((matches) => matches(item)));
}

function matcherOf(expected: unknown, place: string): EventPattern {
  if (typeof expected === 'string') return (value) => value === expected;
  const { prefix, exists } = Object(expected);
  if (Object.keys(Object(expected)).length === 1) {
    if (typeof prefix === 'string') {
      return (value) => typeof value === 'string' && value.startsWith(prefix);
    }
    if (typeof exists === 'boolean') return (value) => (value !== undefined) === exists;
  }
  throw notRun(expected, place);
}

function notRun(pattern: unknown, place: string): SettingError {
  return new SettingError(
    place,
    `the local stack does not run the event pattern ${JSON.stringify(pattern)}; it runs texts in a list, ` +
      '{"prefix": …} and {"exists": …} in a list, and nested members',
  );
}
