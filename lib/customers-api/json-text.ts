/**
 * Finds values inside the bytes of a JSON text without printing them again, so that digits, escapes, the
 * order of members and duplicate members stay as they were received. The text must already have been
 * checked by `JSON.parse`: nothing is validated here.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
export const LINE_FEED = 0x0a;
const SPACE = 0x20;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

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
export function rootSpan(bytes: Uint8Array): Span {
  const start = afterSpace(bytes, 0);
  return { start, end: valueEnd(bytes, start) };
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
export function membersOf(bytes: Uint8Array, start: number): readonly Member[] {
  const members: Member[] = [];
  let at = afterSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at);
    const name = nameIn(bytes, { start: at, end: nameEnd });
    // The colon, between optional white space.
    const valueStart = afterSpace(bytes, afterSpace(bytes, nameEnd) + 1);
    const end = valueEnd(bytes, valueStart);
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

/** The elements of the array that begins at `start`, one a line, without insignificant white space. */
export function linesOf(bytes: Uint8Array, array: Span): Lines {
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

export function textOf(bytes: Uint8Array, span: Span): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + span.start, span.end - span.start).toString();
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
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = stringEnd(bytes, at) - 1;
      if (at >= bytes.length) return true;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return depth > 0;
}

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  // JSON's white space is space, tab, line feed and carriage return; all others below are no JSON.
  while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at++;
  return at;
}

/** After the closing quote of the string that opens at `start`; past the end when it is cut. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return bytes.length + 1;
}

function valueEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] === QUOTE) return stringEnd(bytes, start);
  if (kindAt(bytes, start) === 'scalar') return scalarEnd(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if ((byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function scalarEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte <= SPACE || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) break;
    at++;
  }
  return at;
}
