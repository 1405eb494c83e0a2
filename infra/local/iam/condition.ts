import { SettingError } from '../../../lib/errors.ts';
import type { IamRequest } from './request.ts';
import { arnWildcard, wildcard } from './wildcard.ts';

/** Whether the `Condition` of a statement holds for a call. */
export type Condition = (context: IamRequest['context']) => boolean;

type Matcher = (expected: string) => (actual: string) => boolean;

const equals: Matcher = (expected) => (actual) => actual === expected;
const equalsIgnoringCase: Matcher = (expected) => (actual) =>
  actual.toLowerCase() === expected.toLowerCase();

const MATCHERS: Readonly<Record<string, Matcher>> = {
  StringEquals: equals,
  StringEqualsIgnoreCase: equalsIgnoringCase,
  StringLike: (expected) => wildcard(expected),
  Bool: equalsIgnoringCase,
  // Both take wildcards (IAM user guide, "Amazon Resource Name (ARN) condition operators").
  ArnEquals: arnWildcard,
  ArnLike: arnWildcard,
};

/** What the endpoint knows of a call. A statement on any other key cannot be decided here. */
const KNOWN_KEYS = new Set([
  'aws:principalaccount',
  'aws:principalarn',
  'aws:requestedregion',
  'aws:resourceaccount',
  'aws:securetransport',
  'aws:sourceaccount',
  'aws:sourcearn',
  'dynamodb:leadingkeys',
  'events:detail-type',
  'events:source',
  'kms:viaservice',
  'lambda:sourcefunctionarn',
  's3:delimiter',
  's3:prefix',
]);

const OPERATOR =
  /^(?:(ForAllValues|ForAnyValue):)?(String|Arn|Bool)(Not)?(Equals|EqualsIgnoreCase|Like)?(IfExists)?$/;

/**
 * Reads one operator with its keys; all of them have to hold.
 *
 * @throws SettingError naming `place` when the operator or a key is none that can be decided here.
 */
export function readCondition(
  operator: string,
  keys: Readonly<Record<string, readonly string[]>>,
  place: string,
): Condition {
  const holds = Object.entries(keys).map(([key, values]) => {
    if (!KNOWN_KEYS.has(key.toLowerCase())) {
      const known = [...KNOWN_KEYS].join(', ');
      throw new SettingError(place, `the local stack does not know ${key}; it knows ${known}`);
    }
    return conditionOn(key.toLowerCase(), operator, values, place);
  });
  return (context) => holds.every((condition) => condition(context));
}

function conditionOn(
  key: string,
  operator: string,
  values: readonly string[],
  place: string,
): Condition {
  if (operator === 'Null') {
    const wantsAbsence = values.every((value) => value.toLowerCase() === 'true');
    return (context) => (context[key] === undefined) === wantsAbsence;
  }
  const [, quantifier, kind = '', not = '', how = '', ifExists = ''] =
    OPERATOR.exec(operator) ?? [];
  const matcher = MATCHERS[kind + how];
  if (matcher === undefined) {
    throw new SettingError(place, `the local stack does not know the operator ${operator}`);
  }
  const matchers = values.map(matcher);
  // A negated operator holds for a value that none of the listed ones matches, and for a missing key.
  const holdsFor = (actual: string) => matchers.some((matches) => matches(actual)) !== (not !== '');
  const whenMissing = not !== '' || ifExists !== '' || quantifier === 'ForAllValues';
  return (context) => {
    const actual = context[key];
    if (actual === undefined) return quantifier === 'ForAnyValue' ? ifExists !== '' : whenMissing;
    // Without a quantifier a key has one value.
    return quantifier === 'ForAnyValue' ? actual.some(holdsFor) : actual.every(holdsFor);
  };
}
