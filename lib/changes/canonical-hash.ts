import { hexOf, mixed } from '../customers-api/record-hashes.ts';
import { scalarEnd, stringEnd } from '../json/json-scalar.ts';
import { textOf } from '../json/json-text.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  LOWER_U,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  WRONG,
} from '../json/json-tokens.ts';

/**
 * 64 bits of a JSON value, 16 hex digits, that say whether two values differ in more than their form: the order of
 * members with different names and the way in which characters are escaped make no difference, every digit does.
 *
 * @param bytes A checked text without white space between its tokens.
 * @throws RangeError for another one.
 */
export function canonicalHash(bytes: Uint8Array): string {
  const hash = new CanonicalHash(bytes);
  hash.add(0);
  return hexOf(hash.high) + hexOf(hash.low);
}

/** As in MurmurHash3; nothing here must resist an API that makes records look equal. */
const LOW_MULTIPLIER = 0x9e3779b1;
const HIGH_MULTIPLIER = 0x85ebca6b;
const LOW_START = 0x1b873593;
const HIGH_START = 0xcc9e2d51;

/** Two lanes of 32 bits. A value's bits are made of those of the values in it, so that members can be sorted by them. */
class CanonicalHash {
  low = 0;
  high = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @returns After the value. */
  add(start: number): number {
    const first = this.#bytes[start] ?? 0;
    if (first === QUOTE) return this.#string(start);
    if (first === OPEN_OBJECT) return this.#object(start);
    if (first === OPEN_ARRAY) return this.#array(start);
    const end = checked(scalarEnd(this.#bytes, start));
    this.#span(start, end);
    return end;
  }

  #array(start: number): number {
    let low = OPEN_ARRAY;
    let high = OPEN_ARRAY;
    let at = start + 1;
    while (this.#bytes[at] !== CLOSE_ARRAY) {
      // Over the comma, or onto the closing bracket.
      at = this.#afterComma(this.add(at));
      low = laneOf(low, this.low, LOW_MULTIPLIER);
      high = laneOf(high, this.high, HIGH_MULTIPLIER);
    }
    this.#finish(low, high);
    return at + 1;
  }

  #object(start: number): number {
    /** Of each member, in the order of the text: the bits of its name, and those of its value. */
    const members: number[] = [];
    const order: number[] = [];
    let at = start + 1;
    while (this.#bytes[at] !== CLOSE_OBJECT) {
      at = this.#string(at);
      order.push(members.length);
      members.push(this.low, this.high);
      at = this.#afterComma(this.add(at + 1));
      members.push(this.low, this.high);
    }
    const bitsAt = (index: number) => members[index] ?? 0;
    // Members of one name keep their order: which of them counts is for others to say.
    order.sort((one, other) => bitsAt(one + 1) - bitsAt(other + 1) || bitsAt(one) - bitsAt(other));
    let low = OPEN_OBJECT;
    let high = OPEN_OBJECT;
    for (const member of order) {
      low = laneOf(low, bitsAt(member), LOW_MULTIPLIER);
      high = laneOf(high, bitsAt(member + 1), HIGH_MULTIPLIER);
      low = laneOf(low, bitsAt(member + 2), LOW_MULTIPLIER);
      high = laneOf(high, bitsAt(member + 3), HIGH_MULTIPLIER);
    }
    this.#finish(low, high);
    return at + 1;
  }

  #afterComma(at: number): number {
    const byte = this.#bytes[at];
    return byte === CLOSE_ARRAY || byte === CLOSE_OBJECT ? at : at + 1;
  }

  #string(start: number): number {
    const end = checked(stringEnd(this.#bytes, start));
    for (let at = start; at < end; at++) {
      if (this.#bytes[at] !== BACKSLASH) continue;
      this.#escaped(start, end);
      return end;
    }
    this.#span(start, end);
    return end;
  }

  #span(start: number, end: number): void {
    const bytes = this.#bytes;
    let low = LOW_START;
    let high = HIGH_START;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      low = laneOf(low, byte, LOW_MULTIPLIER);
      high = laneOf(high, byte, HIGH_MULTIPLIER);
    }
    this.#finish(low, high);
  }

  /** The bits of the string that has the same characters and no escape that it does not need. */
  #escaped(start: number, end: number): void {
    const bytes = this.#bytes;
    let low = LOW_START;
    let high = HIGH_START;
    for (let at = start; at < end; ) {
      const next = bytes[at] === BACKSLASH ? escapeEnd(bytes, at) : at + 1;
      for (const byte of next === at + 1 ? bytes.subarray(at, next) : unescaped(bytes, at, next)) {
        low = laneOf(low, byte, LOW_MULTIPLIER);
        high = laneOf(high, byte, HIGH_MULTIPLIER);
      }
      at = next;
    }
    this.#finish(low, high);
  }

  /** Every bit of either lane changes those of both. */
  #finish(low: number, high: number): void {
    this.low = mixed(low ^ (high >>> 16));
    this.high = mixed(high ^ this.low);
    this.low = mixed(this.low ^ this.high);
  }
}

/** So that a text that nobody checked ends this, too. */
function checked(end: number): number {
  if (end === WRONG) throw new RangeError('expected a JSON text without white space');
  return end;
}

function laneOf(lane: number, word: number, multiplier: number): number {
  return Math.imul(((lane << 13) | (lane >>> 19)) ^ word, multiplier);
}

const ESCAPED_UNIT_BYTES = 6;

/** After an escape; after both where two make one character. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== LOWER_U) return at + 2;
  const end = at + ESCAPED_UNIT_BYTES;
  const isPair = /^\\u[dD][89abAB]..\\u[dD][c-fC-F]/.test(
    textOf(bytes, { start: at, end: Math.min(bytes.length, end + ESCAPED_UNIT_BYTES) }),
  );
  return isPair ? end + ESCAPED_UNIT_BYTES : end;
}

/** What an escape stands for; as an escape of one form where a JSON text cannot hold it otherwise. */
function unescaped(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const character = String(JSON.parse(`"${textOf(bytes, { start, end })}"`));
  const isPlain = character >= ' ' && character !== '"' && character !== '\\';
  return Buffer.from(isPlain && character.isWellFormed() ? character : JSON.stringify(character));
}
