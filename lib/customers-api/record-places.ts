import { scalarEnd, stringEnd } from '../json/json-scalar.ts';
import { afterSpace, type Span, textOf } from '../json/json-text.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  MINUS,
  NINE,
  NONE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  WRONG,
  ZERO,
} from '../json/json-tokens.ts';

/** Where a record's line ends, and where its id stands: from `start` to `end`, which is 0 where there is none. */
interface RecordPlace extends Span {
  readonly lineEnd: number;
}

const WORDS_A_PLACE = 3;

/** Three words for each record, see {@link placeAt}. */
export function recordPlaces(ndjson: Uint8Array, recordCount: number, idKey: string): Uint32Array {
  const places = new Uint32Array(WORDS_A_PLACE * recordCount);
  const name = Buffer.from(JSON.stringify(idKey));
  const canBeLate = /^\w/.test(idKey);
  const text = Buffer.from(ndjson.buffer, ndjson.byteOffset, ndjson.byteLength);
  let lineStart = 0;
  // Records of a list are alike: a time stands late in all of them, an id early.
  let isLate = false;
  for (let at = 0; at < places.length; at += WORDS_A_PLACE) {
    const lineEnd = text.indexOf(LINE_FEED, lineStart);
    const record = { start: lineStart, end: lineEnd };
    const late = isLate ? lateIdStartIn(text, record, name) : undefined;
    const start: number = late ?? idStartIn(ndjson, lineStart, name);
    places[at] = Math.max(0, start);
    places[at + 1] = Math.max(0, start === NO_ID ? NO_ID : valueEnd(ndjson, start));
    places[at + 2] = lineEnd;
    isLate = start - lineStart > lineEnd - start && canBeLate;
    lineStart = lineEnd + 1;
  }
  return places;
}

export function placeAt(places: Uint32Array, record: number): RecordPlace {
  const at = WORDS_A_PLACE * record;
  return { start: places[at] ?? 0, end: places[at + 1] ?? 0, lineEnd: places[at + 2] ?? 0 };
}

/** The JSON text of each record's id, as `hashRecords` finds it; empty where there is none. */
export function idTexts(ndjson: Uint8Array, recordCount: number, idKey: string): readonly string[] {
  const places = recordPlaces(ndjson, recordCount, idKey);
  return Array.from({ length: recordCount }, (_, record) =>
    textOf(ndjson, placeAt(places, record)),
  );
}

/** Those of the first and the last record, of one or more. */
export function endIdTexts(
  ndjson: Uint8Array,
  idKey: string,
): { readonly first: string; readonly last: string } {
  const lastLine = ndjson.subarray(ndjson.lastIndexOf(LINE_FEED, ndjson.length - 2) + 1);
  const [first = '', last = ''] = [ndjson, lastLine].flatMap((bytes) => idTexts(bytes, 1, idKey));
  return { first, last };
}

export interface RecordBytes extends Span {
  readonly bytes: Uint8Array;
}

/** Where the id of a record stands; `undefined` where it has none, or the text is cut in it or before. */
export function idSpan({ bytes, start }: RecordBytes, name: Uint8Array): Span | undefined {
  const idStart = idStartIn(bytes, start, name);
  const end = idStart === NO_ID ? WRONG : valueEnd(bytes, idStart);
  return end === WRONG ? undefined : { start: idStart, end };
}

/**
 * The JSON text of an id, with no escape that it does not need: an API that escapes more today than yesterday, such as
 * `\\/` for `/`, has the same records.
 */
export function idBytes(bytes: Uint8Array, id: Span): Uint8Array {
  if (!hasEscape(bytes, id)) return bytes.subarray(id.start, id.end);
  return Buffer.from(unescapedId(textOf(bytes, id)));
}

/** As {@link idBytes}, of the JSON text of an id. */
export function unescapedId(id: string): string {
  return id.includes('\\') ? JSON.stringify(JSON.parse(id)) : id;
}

export function hasEscape(bytes: Uint8Array, { start, end }: Span): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

const NO_ID = -1;

/** Where the id of the record begins that begins at `start`. It reads no further, and ids come first as a rule. */
function idStartIn(bytes: Uint8Array, start: number, name: Uint8Array): number {
  if (bytes[start] !== OPEN_OBJECT) return NO_ID;
  let depth = NONE;
  let isName = false;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at);
      if (end === WRONG) return NO_ID;
      if (isName && isSame(bytes, at, end, name)) {
        const value = afterSpace(bytes, afterSpace(bytes, end) + 1);
        return isId(bytes, value) ? value : NO_ID;
      }
      isName = false;
      at = end - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
      isName = depth === 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
    } else if (byte === COMMA) {
      isName = depth === 1;
    } else if (byte === LINE_FEED) break;
  }
  return NO_ID;
}

/**
 * As {@link idStartIn}, by what stands behind the id alone: its depth is that of the record's end, counted back.
 * `undefined` where the name is not there, or first at another depth.
 *
 * @param name Its first character is a letter, a digit or `_`, which never follows a quote that closes.
 */
function lateIdStartIn(text: Buffer, record: Span, name: Buffer): number | undefined {
  const at = text.indexOf(name, record.start);
  const nameEnd = at + name.length;
  if (at < 0) return undefined;
  // Inside a text a quote that opens has a backslash before it; a text that is no name has no colon behind it.
  if (text[at - 1] === BACKSLASH || text[nameEnd] !== COLON) return undefined;
  if (depthOver(text, { start: nameEnd, end: record.end }) !== -1) return undefined;
  return isId(text, nameEnd + 1) ? nameEnd + 1 : NO_ID;
}

/** How many more objects and lists begin there than end. */
function depthOver(bytes: Uint8Array, { start, end }: Span): number {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const textEnd = stringEnd(bytes, at);
      if (textEnd === WRONG) return NONE;
      at = textEnd - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
  }
  return depth;
}

export function isSameText(bytes: Uint8Array, span: Span, other: Span): boolean {
  if (span.end - span.start !== other.end - other.start) return false;
  const shift = other.start - span.start;
  for (let at = span.start; at < span.end; at++) if (bytes[at] !== bytes[at + shift]) return false;
  return true;
}

function isSame(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false;
  return true;
}

function isId(bytes: Uint8Array, start: number): boolean {
  const byte = bytes[start] ?? 0;
  if (byte === QUOTE) return bytes[start + 1] !== QUOTE;
  return byte === MINUS || (byte >= ZERO && byte <= NINE);
}

function valueEnd(bytes: Uint8Array, start: number): number {
  return bytes[start] === QUOTE ? stringEnd(bytes, start) : scalarEnd(bytes, start);
}

/** The JSON text of a record's id, as `hashRecords` finds it; `undefined` where there is none. */
export function idIn(bytes: Uint8Array, idKey: string): string | undefined {
  const record = { bytes, start: afterSpace(bytes, 0), end: bytes.length };
  const id = idSpan(record, Buffer.from(JSON.stringify(idKey)));
  return id && textOf(bytes, id);
}

/** As {@link idIn}, of a record whose text is given, perhaps on several lines. */
export function idOf(text: string, idKey: string): string | undefined {
  // No text in JSON has a line feed as it is.
  return idIn(Buffer.from(text.replaceAll('\n', ' ')), idKey);
}
