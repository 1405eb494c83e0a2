/**
 * Finds values inside the bytes of a JSON text without printing them again, so that digits, escapes, the
 * order of members and duplicate members stay as they were received. The text must already have been
 * checked by `scanJson`: nothing is validated here.
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
} from './json-tokens.ts';
import type { List, Lists } from './scan-json.ts';

/** A checked JSON text. */
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

/** The members of the object that begins at `start`, duplicates included. */
export function membersOf(text: JsonText, start: number): readonly Member[] {
  const { bytes } = text;
  const members: Member[] = [];
  let at = afterSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at);
    const name = nameIn(bytes, { start: at, end: nameEnd });
    // The colon, between optional white space.
    const valueStart = afterSpace(bytes, afterSpace(bytes, nameEnd) + 1);
    const end = valueEnd(text, valueStart);
    members.push({ name, kind: kindAt(bytes, valueStart), start: valueStart, end });
    at = afterSpace(bytes, end);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
  return members;
}

/** Names are seldom escaped, and `JSON.parse` is slow for so little. */
function nameIn(bytes: Uint8Array, quoted: Span): string {
  const text = textOf(bytes, quoted);
  const name: unknown = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
  return String(name);
}

export interface Lines {
  /** Each element of the array followed by a line feed. */
  readonly ndjson: Uint8Array;
  readonly count: number;
}

/**
 * The elements of a list, one a line, without insignificant white space. The bytes of the list are taken
 * over for that, if there is nothing to leave out: nothing else can be read from them afterwards.
 */
export function takeLines({ bytes, lists }: JsonText, items: Span): Lines {
  const list = lists.get(items.start);
  return list === undefined || list.hasSpace ? copyLines(bytes, items) : cutLines(bytes, list);
}

function cutLines(bytes: Uint8Array, { start, end, commas }: List): Lines {
  const ndjson = bytes.subarray(start + 1, end);
  if (ndjson.length === 1) return { ndjson: ndjson.subarray(1), count: 0 };
  for (const comma of commas) bytes[comma] = LINE_FEED;
  // In place of the closing bracket.
  bytes[end - 1] = LINE_FEED;
  return { ndjson, count: commas.length + 1 };
}

function copyLines(bytes: Uint8Array, array: Span): Lines {
  const out = new Uint8Array(array.end - array.start);
  let length = 0;
  let count = 0;
  let at = afterSpace(bytes, array.start + 1);
  while (at < array.end && bytes[at] !== CLOSE_ARRAY) {
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

/** The text with every list in it replaced: `[]` for an empty one, `[0]` for all others. */
export function outlineOf({ bytes, lists }: JsonText): string {
  let outline = '';
  let from = 0;
  for (const list of lists.values()) {
    const isEmpty = firstElementKind(bytes, list) === undefined;
    outline += textOf(bytes, { start: from, end: list.start }) + (isEmpty ? '[]' : '[0]');
    from = list.end;
  }
  return outline + textOf(bytes, { start: from, end: bytes.length });
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

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  // JSON's white space is space, tab, line feed and carriage return; all others below are no JSON.
  while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at++;
  return at;
}

function valueEnd({ bytes, lists }: JsonText, start: number): number {
  if (bytes[start] === QUOTE) return stringEnd(bytes, start);
  if (kindAt(bytes, start) === 'scalar') return scalarEnd(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      const list = lists.get(at);
      if (list === undefined) depth++;
      else at = list.end - 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}
