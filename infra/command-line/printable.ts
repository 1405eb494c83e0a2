import { errorName } from '../../lib/errors.ts';

/**
 * A text as a terminal may print it: what others chose, such as a name in a list or an answer of a server, could
 * otherwise move the cursor, colour what follows or hide it. Line breaks stay; each other character that does not
 * print (Unicode general category C, and the line separators) is replaced.
 */
export function printable(text: string): string {
  return text.replace(NOT_PRINTED, '\ufffd');
}

/** JSON text of the same value without such a character in its strings. */
export function printableJson(json: string): string {
  return json.replace(NOT_PRINTED, (unit) =>
    [...Array(unit.length).keys()]
      .map((index) => `\\u${unit.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A carriage return alone goes back to the beginning of the line; that of `\r\n` does no harm. */
const NOT_PRINTED = /(?!\n|\r\n)[\p{C}\u2028\u2029]/gu;

/** What a person is told of an error that nobody foresaw: one line, of which no character commands a terminal. */
export function unforeseen(error: unknown): string {
  const message = error instanceof Error ? `: ${error.message.split('\n')[0]}` : '';
  return printable(`Unexpectedly failed: ${errorName(error)}${message}`);
}
