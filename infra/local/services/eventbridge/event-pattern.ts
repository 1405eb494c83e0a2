import { SettingError } from '../../../../lib/errors.ts';

/** Tells whether an event matches. */
export type EventPattern = (event: unknown) => boolean;

type Matcher = (value: unknown) => boolean;
type JsonObject = Readonly<Record<string, unknown>>;

const MISSING: unique symbol = Symbol('missing');

/**
 * Compiles an EventBridge pattern (user guide, "Comparison operators"): exact values, `prefix`,
 * `suffix`, `equals-ignore-case`, `anything-but`, `wildcard`, `numeric`, `exists`, nested members, `$or`.
 *
 * @param place Named in an error.
 * @throws SettingError naming what the pattern has that is not run here.
 */
export function compilePattern(pattern: unknown, place: string): EventPattern {
  if (!isObject(pattern)) throw invalid(place, 'a pattern is a JSON object');
  const members = Object.entries(pattern).map(([key, expected]) =>
    key === '$or' ? anyOf(expected, place) : member(key, expected, place),
  );
  return (event) => candidates(event).some((value) => members.every((matches) => matches(value)));
}

function member(key: string, expected: unknown, place: string): Matcher {
  const matches = Array.isArray(expected)
    ? leaf(expected, `${place}, ${key}`)
    : compilePattern(expected, `${place}, ${key}`);
  return (value) => matches(isObject(value) && key in value ? value[key] : MISSING);
}

function anyOf(alternatives: unknown, place: string): Matcher {
  if (!Array.isArray(alternatives)) throw invalid(place, '$or takes a list of patterns');
  const patterns = alternatives.map((pattern) => compilePattern(pattern, place));
  return (event) => patterns.some((matches) => matches(event));
}

function leaf(expected: readonly unknown[], place: string): Matcher {
  if (expected.length === 0) throw invalid(place, 'an empty list matches nothing');
  const matchers = expected.map((item) => matcherOf(item, place));
  return (value) => candidates(value).some((item) => matchers.some((matches) => matches(item)));
}

function matcherOf(expected: unknown, place: string): Matcher {
  if (!isObject(expected)) return (value) => value === expected;
  const [[operator, operand] = ['', undefined], ...others] = Object.entries(expected);
  const make = operators[operator];
  if (make === undefined || others.length > 0) {
    throw invalid(place, `the local stack does not run ${JSON.stringify(expected)}`);
  }
  return make(operand, place);
}

const operators: Readonly<Record<string, (operand: unknown, place: string) => Matcher>> = {
  exists: (operand) => (value) => (value !== MISSING) === operand,
  prefix: (operand, place) => affix(operand, place, (text, part) => text.startsWith(part)),
  suffix: (operand, place) => affix(operand, place, (text, part) => text.endsWith(part)),
  'equals-ignore-case': (operand, place) => {
    const wanted = textOf(operand, place).toLowerCase();
    return (value) => typeof value === 'string' && value.toLowerCase() === wanted;
  },
  wildcard: (operand, place) => {
    const parts = textOf(operand, place).split('*').map(escapeRegExp);
    const expression = new RegExp(`^${parts.join('.*')}$`, 's');
    return (value) => typeof value === 'string' && expression.test(value);
  },
  'anything-but': (operand, place) => {
    const refused = [operand]
      .flat()
      .map((item) => (isObject(item) ? everyOperand(item, place) : matcherOf(item, place)));
    return (value) => value !== MISSING && !refused.some((matches) => matches(value));
  },
  numeric,
};

/** `{"anything-but": {"prefix": ["a", "b"]}}`: an operator with one operand or a list. */
function everyOperand(expected: JsonObject, place: string): Matcher {
  const matchers = Object.entries(expected).flatMap(([operator, operand]) =>
    [operand].flat().map((item) => matcherOf({ [operator]: item }, place)),
  );
  return (value) => matchers.some((matches) => matches(value));
}

function affix(
  operand: unknown,
  place: string,
  test: (text: string, part: string) => boolean,
): Matcher {
  if (isObject(operand)) {
    const part = textOf(operand['equals-ignore-case'], place).toLowerCase();
    return (value) => typeof value === 'string' && test(value.toLowerCase(), part);
  }
  const part = textOf(operand, place);
  return (value) => typeof value === 'string' && test(value, part);
}

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** `[">=", 1, "<", 5]`: pairs that all hold. */
function numeric(operand: unknown, place: string): Matcher {
  if (!Array.isArray(operand) || operand.length === 0) throw invalid(place, 'numeric takes a list');
  const tests: ((value: number) => boolean)[] = [];
  for (let index = 0; index < operand.length; index += 2) {
    const compare = comparisons[String(operand[index])];
    const bound: unknown = operand[index + 1];
    if (compare === undefined || typeof bound !== 'number') {
      throw invalid(place, `numeric cannot be ${JSON.stringify(operand)}`);
    }
    tests.push((value) => compare(value, bound));
  }
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

/** A list in the event matches when one of its items does; an empty one counts as missing. */
function candidates(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  return value.length === 0 ? [MISSING] : value.flatMap(candidates);
}

function textOf(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  throw invalid(place, `a text is expected, got ${JSON.stringify(value)}`);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(place: string, problem: string): SettingError {
  return new SettingError(place, `event pattern: ${problem}`);
}
