import { scalarEnd, stringEnd } from '../json/json-scalar.ts';
import { afterSpace, type Span, textOf } from '../json/json-text.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  LINE_FEED,
  MINUS,
  NINE,
  NONE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from '../json/json-tokens.ts';

export interface RecordHashes {
  /**
   * 64 bits for each record, in their order, the lower 32 first: of its id, of its whole text where it has none. Bit 0
   * tells which, see {@link isOfId}. Of 10 million different ids two are equal once in 700,000 lists; who merges
   * records by them compares the ids too.
   */
  readonly hashes: Uint32Array;
  /** Equal for pages with the same records in any order, 16 hex digits. */
  readonly fingerprint: string;
}

const OF_ID = 1;
const OF_TEXT = 0;

/** @param low The lower 32 bits of a hash. */
export function isOfId(low: number): boolean {
  return (low & 1) === OF_ID;
}

/**
 * Hashes the records of a page. An id is text or a number, as it was received: `1`, `1.0` and `"1"` are three ids,
 * and `null` and `""` are none. Of members with the same name the first one counts, and a name counts as it stands
 * there, without escapes.
 *
 * @param ndjson Records without white space, each followed by a line feed.
 * @param idKey The member that holds the id.
 */
export function hashRecords(ndjson: Uint8Array, recordCount: number, idKey: string): RecordHashes {
  const hashes = new Uint32Array(2 * recordCount);
  const places = recordPlaces(ndjson, recordCount, idKey);
  let lowSum = 0;
  let highSum = 0;
  let lineStart = 0;
  for (let record = 0; record < recordCount; record++) {
    const { start, end, lineEnd } = placeAt(places, record);
    const at = 2 * record;
    if (end === 0) hashInto(hashes, at, ndjson, { start: lineStart, end: lineEnd, kind: OF_TEXT });
    else hashInto(hashes, at, ndjson, { start, end, kind: OF_ID });
    lowSum = (lowSum + (hashes[at] ?? 0)) >>> 0;
    highSum = (highSum + (hashes[at + 1] ?? 0)) >>> 0;
    lineStart = lineEnd + 1;
  }
  return { hashes, fingerprint: hexOf(highSum) + hexOf(lowSum) };
}

/** Where a record's line ends, and where its id stands: from `start` to `end`, which is 0 where there is none. */
interface RecordPlace extends Span {
  readonly lineEnd: number;
}

const WORDS_A_PLACE = 3;

/** Three words for each record, see {@link placeAt}. */
export function recordPlaces(ndjson: Uint8Array, recordCount: number, idKey: string): Uint32Array {
  const places = new Uint32Array(WORDS_A_PLACE * recordCount);
  const name = Buffer.from(JSON.stringify(idKey));
  let lineStart = 0;
  for (let at = 0; at < places.length; at += WORDS_A_PLACE) {
    const start = idIn(ndjson, lineStart, name);
    const end = start === NO_ID ? 0 : valueEnd(ndjson, start);
    const lineEnd = ndjson.indexOf(LINE_FEED, Math.max(lineStart, end));
    places[at] = Math.max(0, start);
    places[at + 1] = end;
    places[at + 2] = lineEnd;
    lineStart = lineEnd + 1;
  }
  return places;
}

export function placeAt(places: Uint32Array, record: number): RecordPlace {
  const at = WORDS_A_PLACE * record;
  return { start: places[at] ?? 0, end: places[at + 1] ?? 0, lineEnd: places[at + 2] ?? 0 };
}

/** The JSON text of each record's id, as {@link hashRecords} finds it; empty where there is none. */
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

/**
 * Hashes the whole text of a record into two words, as {@link hashRecords} does where there is no id: equal for a
 * record that has not changed.
 */
export function hashText(words: Uint32Array, at: number, ndjson: Uint8Array, record: Span): void {
  hashInto(words, at, ndjson, { start: record.start, end: record.end, kind: OF_TEXT });
}

/** Two words of the record's id, 0 and 0 where it has none, and two of its whole text. */
export const WORDS_A_RECORD = 4;

/**
 * Hashes one record twice: by its id as {@link idBytes} gives it, and by its text. Spelled in another way, a record has
 * another text.
 *
 * @param words Takes {@link WORDS_A_RECORD} from `at` on.
 * @param name The name of the member that holds the id, as JSON text.
 */
export function hashIdAndText(
  words: Uint32Array,
  at: number,
  { bytes, start, end }: RecordBytes,
  name: Uint8Array,
): void {
  const id = idSpan({ bytes, start, end }, name);
  words[at] = 0;
  words[at + 1] = 0;
  if (id !== undefined && hasEscape(bytes, id)) {
    const unescaped = idBytes(bytes, id);
    hashInto(words, at, unescaped, { start: 0, end: unescaped.length, kind: OF_ID });
  } else if (id !== undefined) hashInto(words, at, bytes, { ...id, kind: OF_ID });
  hashInto(words, at + 2, bytes, { start, end, kind: OF_TEXT });
}

/** Another one only where a test makes ids collide. */
export type HashRecord = typeof hashIdAndText;

export interface RecordBytes extends Span {
  readonly bytes: Uint8Array;
}

/** Where the id of a record stands; `undefined` where it has none. */
export function idSpan({ bytes, start }: RecordBytes, name: Uint8Array): Span | undefined {
  const idStart = idIn(bytes, start, name);
  return idStart === NO_ID ? undefined : { start: idStart, end: valueEnd(bytes, idStart) };
}

/**
 * The JSON text of an id, with no escape that it does not need: an API that escapes more today than yesterday, such as
 * `\\/` for `/`, has the same records.
 */
export function idBytes(bytes: Uint8Array, id: Span): Uint8Array {
  if (!hasEscape(bytes, id)) return bytes.subarray(id.start, id.end);
  return Buffer.from(JSON.stringify(JSON.parse(textOf(bytes, id))));
}

function hasEscape(bytes: Uint8Array, { start, end }: Span): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

const NO_ID = -1;

/** Where the id of the record begins that begins at `start`. It reads no further, and ids come first as a rule. */
function idIn(bytes: Uint8Array, start: number, name: Uint8Array): number {
  if (bytes[start] !== OPEN_OBJECT) return NO_ID;
  let depth = NONE;
  let isName = false;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at);
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

const MULTIPLIERS = [0x9e3779b1, 0x85ebca6b] as const;

/**
 * Two lanes of 32 bits with a rotation and a multiplication a byte, mixed as MurmurHash3 does at its end. One call of
 * a cryptographic hash takes longer than all of this for a page (100 µs against 6), and nothing here must resist an
 * API that makes records look equal: it would only harm its own list.
 */
function hashInto(
  words: Uint32Array,
  at: number,
  bytes: Uint8Array,
  { start, end, kind }: { readonly start: number; readonly end: number; readonly kind: number },
): void {
  const [lowMultiplier, highMultiplier] = MULTIPLIERS;
  let low = 0x1b873593 ^ kind;
  let high = 0xcc9e2d51 ^ kind;
  // No view of these bytes: one for each record would keep the garbage collector busy.
  for (let index = start; index < end; index++) {
    const byte = bytes[index] ?? 0;
    low = Math.imul(((low << 13) | (low >>> 19)) ^ byte, lowMultiplier);
    high = Math.imul(((high << 17) | (high >>> 15)) ^ byte, highMultiplier);
  }
  low = mixed(low ^ (high >>> 16));
  high = mixed(high ^ low);
  low = mixed(low ^ high);
  words[at] = (low & ~1) | kind;
  words[at + 1] = high;
}

/** MurmurHash3's finalizer. */
export function mixed(word: number): number {
  let bits = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** @param word Of 32 bits. */
export function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
