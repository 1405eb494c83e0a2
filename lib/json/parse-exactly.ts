import { isHeldByNumber, isJsonNumber } from './exact-number.ts';

/**
 * Parses a JSON text without losing a digit: a number that JavaScript's numbers do not hold exactly becomes its
 * JSON text, such as `'9007199254740993'`; any other value is what `JSON.parse` makes of it.
 *
 * @throws SyntaxError, whose message quotes the text.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(withLongNumbersAsText(text));
}

/**
 * Where a number begins that has 16 digits and more, or an exponent: only of these can a double lose something. Not up
 * to its end: a number may have millions of digits, and V8 then ends a match by its stack.
 */
const LONG_NUMBER = /(?<=^|[\s:,[])-?(?:[\d.]{16}|[\d.]{1,15}[eE])/g;
const AFTER_NUMBER = /[^-+.\deE]/g;

/** Half as long as a reviver for `JSON.parse` takes, which is called for every member. */
function withLongNumbersAsText(text: string): string {
  let changed = '';
  let copied = 0;
  /** Outside of strings up to here, and then up to `quote`. */
  let outside = 0;
  let quote = quoteFrom(text, 0);
  for (const { index } of text.matchAll(LONG_NUMBER)) {
    while (quote < index) {
      outside = endOfString(text, quote);
      quote = quoteFrom(text, outside);
    }
    if (outside > index) continue;
    AFTER_NUMBER.lastIndex = index;
    const end = AFTER_NUMBER.exec(text)?.index ?? text.length;
    const number = text.slice(index, end);
    // What is no number is left to `JSON.parse`, which refuses it.
    if (isHeldByNumber(number) || !isJsonNumber(number)) continue;
    changed += `${text.slice(copied, index)}"${number}"`;
    copied = end;
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
