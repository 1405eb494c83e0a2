import { isHeldByNumber } from './exact-number.ts';

/**
 * Parses a JSON text without losing a digit: a number that JavaScript's numbers do not hold exactly becomes its
 * JSON text, such as `'9007199254740993'`; any other value is what `JSON.parse` makes of it.
 *
 * @throws SyntaxError, whose message quotes the text.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(MAY_HOLD_LONG_NUMBER.test(text) ? withLongNumbersAsText(text) : text);
}

/** In most texts there is none, and `JSON.parse` alone is right. What looks like one may be inside of a string. */
const MAY_HOLD_LONG_NUMBER = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Of 16 digits and more, or with an exponent: only of these can a double lose something. */
const LONG_NUMBER = /(?<=^|[\s:,[])-?(?:[\d.]{16,}|[\d.]+(?=[eE]))(?:[eE][-+]?\d+)?/g;

/** Half as long as a reviver for `JSON.parse` takes, which is called for every member. */
function withLongNumbersAsText(text: string): string {
  let changed = '';
  let copied = 0;
  /** Outside of strings up to here, and then up to `quote`. */
  let outside = 0;
  let quote = quoteFrom(text, 0);
  for (const { 0: number, index } of text.matchAll(LONG_NUMBER)) {
    while (quote < index) {
      outside = endOfString(text, quote);
      quote = quoteFrom(text, outside);
    }
    if (outside > index || isHeldByNumber(number)) continue;
    changed += `${text.slice(copied, index)}"${number}"`;
    copied = index + number.length;
  }
  return changed + text.slice(copied);
}

/** The next one; the end of the text where there is none. */
function quoteFrom(text: string, start: number): number {
  const quote = text.indexOf('"', start);
  return quote === -1 ? text.length : quote;
}

/** After the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let quote = start;
  let slashes = 1;
  while (slashes % 2 === 1 && quote < text.length) {
    quote = quoteFrom(text, quote + 1);
    slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
  }
  return quote + 1;
}
