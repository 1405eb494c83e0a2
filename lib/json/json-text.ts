/**
 * Finds values inside the bytes of a JSON text without printing them again, so that digits, escapes, the
 * order of members and duplicate members stay as they were received. Nothing is validated here: what a text
 * says is certain only if `scanJson` has checked it.
 */

import { scalarEnd, stringEnd } from './json-scalar.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  LINE_FEED,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  WRONG,
} from './json-tokens.ts';
import type { List, Lists } from './scan-json.ts';

export interface JsonText {
  readonly bytes: Uint8Array;
  /** Those that are known are stepped over; without them everything is still found, but slower. */
  readonly lists: Lists;
}

/** Where a value stands: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Span {
  readonly name: string;
  readonly kind: 'array' | 'object' | 'scalar';
}

/** The value of a whole text, without white space around it. */
export function rootSpan(text: JsonText): Span {
  const start = afterSpace(text.bytes, 0);
  return { start, end: valueEnd(text, start) };
}

export function kindAt(bytes: Uint8Array, start: number): Member['kind'] {
  if (bytes[start] === OPEN_ARRAY) return 'array';
  return bytes[start] === OPEN_OBJECT ? 'object' : 'scalar';
}

/** `undefined` for an empty array. */
export function firstElementKind(bytes: Uint8Array, array: Span): Member['kind'] | undefined {
  const at = afterSpace(bytes, array.start + 1);
  return bytes[at] === CLOSE_ARRAY ? undefined : kindAt(bytes, at);
}

/**
 * The members of the object that begins at `start`, duplicates included. In a text that was not checked they end
 * where it is no JSON; an object or array that was cut there is the last one.
 */
export function* membersOf(text: JsonText, start: number): Generator<Member, void, undefined> {
  const { bytes } = text;
  let at = afterSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at);
    if (nameEnd === WRONG) return;
    const name = nameIn(bytes, { start: at, end: nameEnd });
    // The colon, between optional white space.
    const valueStart = afterSpace(bytes, afterSpace(bytes, nameEnd) + 1);
    const kind = kindAt(bytes, valueStart);
    const end = valueEnd(text, valueStart);
    if (end === WRONG) {
      if (kind !== 'scalar') yield { name, kind, start: valueStart, end: bytes.length };
      return;
    }
    yield { name, kind, start: valueStart, end };
    at = afterSpace(bytes, end);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
}

/** No name that anybody looks for is longer. */
const MAX_NAME_BYTES = 1_024;

/** Names are seldom escaped, and `JSON.parse` is slow for so little. A very long name is told in part. */
function nameIn(bytes: Uint8Array, { start, end }: Span): string {
  if (end - start > MAX_NAME_BYTES) {
    return `${textOf(bytes, { start: start + 1, end: start + MAX_NAME_BYTES })}…`;
  }
  const name = textOf(bytes, { start: start + 1, end: end - 1 });
  return name.includes('\\') ? String(JSON.parse(`"${name}"`)) : name;
}

export interface Lines {
  /** Each element of the array followed by a line feed. */
  readonly ndjson: Uint8Array;
  readonly count: number;
}

/**
 * The elements of a list, one a line, without insignificant white space. The bytes of the list are taken
 * over for that, if there is nothing to leave out: nothing else can be read from them afterwards.
 *
 * @returns `undefined` for a list of more than `maxCount`.
 */
export function takeLines(
  { bytes, lists }: JsonText,
  items: Span,
  maxCount: number,
): Lines | undefined {
  const list = lists.get(items.start);
  const { commas } = list ?? {};
  if (list === undefined || commas === undefined || list.hasSpace) {
    return copyLines(bytes, items, maxCount);
  }
  return commas.length < maxCount ? cutLines(bytes, list, commas) : undefined;
}

function cutLines(bytes: Uint8Array, { start, end }: List, commas: readonly number[]): Lines {
  const ndjson = bytes.subarray(start + 1, end);
  if (ndjson.length === 1) return { ndjson: ndjson.subarray(1), count: 0 };
  for (const comma of commas) bytes[comma] = LINE_FEED;
  // In place of the closing bracket.
  bytes[end - 1] = LINE_FEED;
  return { ndjson, count: commas.length + 1 };
}

function copyLines(bytes: Uint8Array, array: Span, maxCount: number): Lines | undefined {
  const out = new Uint8Array(array.end - array.start);
  let length = 0;
  let count = 0;
  let at = afterSpace(bytes, array.start + 1);
  while (at < array.end && bytes[at] !== CLOSE_ARRAY) {
    if (count === maxCount) return undefined;
    let depth = 0;
    let from = at;
    // One pass: the end of the element is where the depth is 0 again.
    for (; at < array.end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
      else if (byte <= SPACE) {
        out.set(bytes.subarray(from, at), length);
        length += at - from;
        from = afterSpace(bytes, at);
        at = from - 1;
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
      else if (depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) break;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    }
    out.set(bytes.subarray(from, at), length);
    length += at - from;
    out[length++] = LINE_FEED;
    count++;
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
  return { ndjson: out.subarray(0, length), count };
}

export function textOf(bytes: Uint8Array, span: Span): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + span.start, span.end - span.start).toString();
}

export function wholeText(bytes: Uint8Array): string {
  return textOf(bytes, { start: 0, end: bytes.length });
}

/**
 * Whether the bytes are the beginning of a JSON text that was cut: what stands there is well-formed as
 * far as it goes, but a string, an object or an array is still open, or nothing came at all.
 */
export function isCutJson(bytes: Uint8Array): boolean {
  const start = afterSpace(bytes, 0);
  if (start === bytes.length) return true;
  if (kindAt(bytes, start) === 'scalar') return false;
  let depth = 0;
  let isInString = false;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return isInString || depth > 0;
}

/** Where the next token begins. */
export function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  // JSON's white space is space, tab, line feed and carriage return; all others below are no JSON.
  while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at++;
  return at;
}

/** After the value that begins at `start`; {@link WRONG} where the text is cut or no JSON. */
export function valueEnd({ bytes, lists }: JsonText, start: number): number {
  if (bytes[start] === QUOTE) return stringEnd(bytes, start);
  if (kindAt(bytes, start) === 'scalar') return scalarEnd(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at);
      if (end === WRONG) return WRONG;
      at = end - 1;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      const list = lists.get(at);
      if (list === undefined) depth++;
      else at = list.end - 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    if (depth === 0) return at + 1;
  }
  return WRONG;
}

/** A byte order mark may be skipped (RFC 8259 section 8.1). */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
