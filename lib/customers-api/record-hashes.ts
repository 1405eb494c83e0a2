import type { Span } from '../json/json-text.ts';
import {
  hasEscape,
  idBytes,
  idSpan,
  placeAt,
  type RecordBytes,
  recordPlaces,
} from './record-places.ts';

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
 * Hashes the records of a page. An id is text or a number, as it was received but for escapes that it does not need:
 * `1`, `1.0` and `"1"` are three ids, and `null` and `""` are none. Of members with the same name the first one counts, and a name counts as it stands
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
    else hashId(hashes, at, ndjson, { start, end });
    lowSum = (lowSum + (hashes[at] ?? 0)) >>> 0;
    highSum = (highSum + (hashes[at + 1] ?? 0)) >>> 0;
    lineStart = lineEnd + 1;
  }
  return { hashes, fingerprint: hexOf(highSum) + hexOf(lowSum) };
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
  if (id !== undefined) hashId(words, at, bytes, id);
  hashInto(words, at + 2, bytes, { start, end, kind: OF_TEXT });
}

function hashId(words: Uint32Array, at: number, bytes: Uint8Array, { start, end }: Span): void {
  if (hasEscape(bytes, { start, end })) {
    const unescaped = idBytes(bytes, { start, end });
    hashInto(words, at, unescaped, { start: 0, end: unescaped.length, kind: OF_ID });
  } else hashInto(words, at, bytes, { start, end, kind: OF_ID });
}

/** Another one only where a test makes ids collide. */
export type HashRecord = typeof hashIdAndText;

const MULTIPLIERS = [0x9e3779b1, 0x85ebca6b] as const;

/**
 * Two lanes of 32 bits with a rotation and a multiplication for each four bytes, mixed as MurmurHash3 does at its end.
 * One call of a cryptographic hash takes longer than all of this for the ids of a page, and nothing here must resist an
 * API that makes records look equal: it would only harm its own list.
 *
 * @param bytes JSON text from `start` to `end`: without zeros, so the last word tells how many bytes it has.
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
  const restStart = end - ((end - start) & 3);
  // No view of these bytes: one for each record would keep the garbage collector busy.
  for (let index = start; index < restStart; index += 4) {
    const word =
      (bytes[index] ?? 0) |
      ((bytes[index + 1] ?? 0) << 8) |
      ((bytes[index + 2] ?? 0) << 16) |
      ((bytes[index + 3] ?? 0) << 24);
    low = Math.imul(((low << 13) | (low >>> 19)) ^ word, lowMultiplier);
    high = Math.imul(((high << 17) | (high >>> 15)) ^ word, highMultiplier);
  }
  let rest = 0;
  for (let index = restStart; index < end; index++) rest = (rest << 8) | (bytes[index] ?? 0);
  low = Math.imul(((low << 13) | (low >>> 19)) ^ rest, lowMultiplier);
  high = Math.imul(((high << 17) | (high >>> 15)) ^ rest, highMultiplier);
  low = mixed(low ^ (high >>> 16));
  high = mixed(high ^ low);
  low = mixed(low ^ high);
  words[at] = (low & ~1) | kind;
  words[at + 1] = high;
}

/**
 * 64 bits over all ids in their order, as 16 hex digits. Passes of the same records in the same order have the same
 * one, others hardly ever: once in 10^19.
 *
 * @param digest Of the records before; empty for none.
 */
export function passDigest(digest: string, recordHashes: Uint32Array): string {
  let high = digest === '' ? 0x9e3779b9 : Number.parseInt(digest.slice(0, 8), 16);
  let low = digest === '' ? 0x2545f491 : Number.parseInt(digest.slice(8), 16);
  for (let at = 0; at < recordHashes.length; at++) {
    const word = recordHashes[at] ?? 0;
    low = Math.imul(((low << 13) | (low >>> 19)) ^ word, 0x85ebca6b);
    high = Math.imul(((high << 17) | (high >>> 15)) ^ word ^ low, 0xc2b2ae35);
  }
  return hexOf(high) + hexOf(low);
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
