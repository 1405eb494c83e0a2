import { scalarEnd, stringEnd } from './json-scalar.ts';
import {
  AFTER_NAME,
  AFTER_VALUE,
  CARRIAGE_RETURN,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  NAME,
  NAME_OR_END,
  NONE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TAB,
  VALUE,
  VALUE_OR_END,
  WRONG,
} from './json-tokens.ts';

/** An array that is not inside another one. */
export interface List {
  /** Of its opening bracket. */
  readonly start: number;
  /** After its closing bracket. */
  readonly end: number;
  /** Where the commas between its elements are; absent when the text has more than are noted. */
  readonly commas?: readonly number[];
  /** Whether there is white space between its tokens. */
  readonly hasSpace: boolean;
}

/** Lists by their `start`, in the order of the text; where there are very many, the first ones. */
export type Lists = ReadonlyMap<number, List>;

/**
 * Deeper texts are refused, as RFC 8259 section 9 allows: many parsers end at this depth (Jackson's default), and
 * some overflow their stack.
 */
export const MAX_NESTING = 1_000;
/** What is noted of a text has a bound too: two bytes of it are enough for a comma, and seven for a list. */
const MAX_COMMAS = 100_000;
const MAX_LISTS = 1_000;

/**
 * Checks a JSON text and notes where its lists are, in one pass over its bytes. It accepts what
 * `JSON.parse` accepts (RFC 8259; a test compares them), but sooner, as it makes no value that would only be
 * thrown away.
 *
 * @param bytes Valid UTF-8.
 * @returns `undefined` if the text is not JSON; `too-deep` if it is nested deeper than {@link MAX_NESTING}.
 */
export function scanJson(bytes: Uint8Array): Lists | 'too-deep' | undefined {
  const lists = new Map<number, List>();
  let listDepth = NONE;
  let listStart = 0;
  let spacesBefore = 0;
  let commas: number[] = [];
  let commasSeen = 0;
  /** The closing bracket of what is open, and those around it, outermost first. */
  let close = NONE;
  const around: number[] = [];
  let next = VALUE;
  let spaces = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    let end = at + 1;
    if (byte === QUOTE) {
      if (next >= AFTER_NAME) return undefined;
      next = next >= NAME ? AFTER_NAME : AFTER_VALUE;
      end = stringEnd(bytes, at);
    } else if (byte === COMMA) {
      if (next !== AFTER_VALUE || close === NONE) return undefined;
      next = close === CLOSE_OBJECT ? NAME : VALUE;
      if (around.length === listDepth && commasSeen++ < MAX_COMMAS) commas.push(at);
    } else if (byte === COLON) {
      if (next !== AFTER_NAME) return undefined;
      next = VALUE;
    } else if (byte <= SPACE) {
      if (!isSpace(byte)) return undefined;
      spaces++;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (next > VALUE_OR_END) return undefined;
      if (around.length === MAX_NESTING) return 'too-deep';
      around.push(close);
      next = byte === OPEN_OBJECT ? NAME_OR_END : VALUE_OR_END;
      close = byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
      if (byte === OPEN_ARRAY && listDepth === NONE) {
        listDepth = around.length;
        listStart = at;
        spacesBefore = spaces;
        commas = [];
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      const mayEnd = next === AFTER_VALUE || next === VALUE_OR_END || next === NAME_OR_END;
      if (!mayEnd || close !== byte) return undefined;
      next = AFTER_VALUE;
      if (around.length === listDepth) {
        const list = { start: listStart, end, hasSpace: spaces > spacesBefore };
        const isNoted = commasSeen <= MAX_COMMAS;
        if (lists.size < MAX_LISTS) lists.set(listStart, isNoted ? { ...list, commas } : list);
        listDepth = NONE;
      }
      close = around.pop() ?? NONE;
    } else {
      if (next > VALUE_OR_END) return undefined;
      next = AFTER_VALUE;
      end = scalarEnd(bytes, at);
    }
    if (end === WRONG) return undefined;
    at = end;
  }
  return next === AFTER_VALUE && close === NONE ? lists : undefined;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}
