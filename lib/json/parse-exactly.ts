import { isHeldByNumber } from './exact-number.ts';

/**
 * Parses a JSON text without losing a digit: a number that JavaScript's numbers do not hold exactly becomes its
 * JSON text, such as `'9007199254740993'`; any other value is what `JSON.parse` makes of it.
 *
 * @throws SyntaxError, whose message quotes the text.
 */
export function parseExactly(text: string): unknown {
  return MAY_HOLD_LONG_NUMBER.test(text) ? parseLongNumbers(text) : JSON.parse(text);
}

/** A value of 16 digits or more, or with an exponent. Where there is none, the slower way makes no difference. */
const MAY_HOLD_LONG_NUMBER = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** TypeScript does not know the third argument yet (ECMAScript proposal "JSON.parse source text access", Node 21). */
type Revive = (
  this: unknown,
  name: string,
  value: unknown,
  context?: { source?: string },
) => unknown;

function parseLongNumbers(text: string): unknown {
  const revive: Revive = (_name, value, { source } = {}) =>
    typeof value === 'number' && source !== undefined && !isHeldByNumber(source) ? source : value;
  return JSON.parse(text, revive);
}
