import { SettingError } from '../../../lib/errors.ts';
import type { Caller } from './request.ts';
import { arnWildcard } from './wildcard.ts';

/** Whether the `Condition` of a statement holds for a call. */
export type Condition = (context: Caller['context']) => boolean;

/** Whether the value of a key, `undefined` without one, fits the value that is written in the policy. */
type Operator = (actual: string | undefined, expected: string) => boolean;

const sameArn: Operator = (actual, expected) =>
  actual !== undefined && arnWildcard(expected)(actual);

const OPERATORS: Readonly<Record<string, Operator>> = {
  StringEquals: (actual, expected) => actual === expected,
  Bool: (actual, expected) => actual === expected.toLowerCase(),
  Null: (actual, expected) => String(actual === undefined) === expected.toLowerCase(),
  // Both take wildcards (IAM user guide, "Amazon Resource Name (ARN) condition operators").
  ArnEquals: sameArn,
  ArnLike: sameArn,
};

/** What is known of a call. A statement on any other key cannot be decided here. */
const KNOWN_KEYS = new Set([
  'aws:securetransport',
  'aws:sourceaccount',
  'aws:sourcearn',
  // No key of KMS is used here, so a statement with it allows nothing.
  'kms:viaservice',
  'lambda:sourcefunctionarn',
]);

/**
 * Reads one operator with its keys; all of them have to hold, each with one of its values.
 *
 * @throws SettingError naming `place` when the operator or a key is none that can be decided here.
 */
export function readCondition(
  operator: string,
  keys: Readonly<Record<string, readonly string[]>>,
  place: string,
): Condition {
  const matches = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (matches === undefined) throw unknown(operator, Object.keys(OPERATORS), place);
  for (const key of Object.keys(keys)) {
    if (!KNOWN_KEYS.has(key.toLowerCase())) throw unknown(key, [...KNOWN_KEYS], place);
  }
  return (context) =>
    Object.entries(keys).every(([key, values]) =>
      values.some((expected) => matches(context[key.toLowerCase()], expected)),
    );
}

function unknown(name: string, known: readonly string[], place: string): SettingError {
  const problem = `the local stack cannot decide the condition ${name}; it knows ${known.join(', ')}`;
  return new SettingError(place, problem);
}
