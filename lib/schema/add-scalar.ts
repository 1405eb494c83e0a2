import { DOUBLE_DIGITS, isKeptByDoubles } from '../json/exact-number.ts';
import { scalarEnd, stringEnd } from '../json/json-scalar.ts';
import { textOf } from '../json/json-text.ts';
import { BACKSLASH, LOWER_U, MINUS, NINE, POINT, WRONG, ZERO } from '../json/json-tokens.ts';
import { NUMBER_OF, type Shape } from './shape.ts';

/** @returns After the number, `true`, `false` or `null` that begins at `start`, or `WRONG`. */
export function addScalar(shape: Shape, bytes: Uint8Array, start: number): number {
  const first = bytes[start] ?? 0;
  if (first === MINUS || (first >= ZERO && first <= NINE)) return addNumber(shape, bytes, start);
  const end = scalarEnd(bytes, start);
  if (end === WRONG) return WRONG;
  // Of `true`, `false` and `null` one alone begins with an n.
  count(shape, first === LETTER_N ? NUMBER_OF.null : NUMBER_OF.boolean);
  return end;
}

const LETTER_N = 0x6e;

function addNumber(shape: Shape, bytes: Uint8Array, start: number): number {
  const end = scalarEnd(bytes, start);
  if (end === WRONG) return WRONG;
  let digits = 0;
  let isInteger = true;
  let hasExponent = false;
  for (let at = start; at < end && !hasExponent; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= ZERO && byte <= NINE) digits++;
    else if (byte !== MINUS) {
      isInteger = false;
      hasExponent = byte !== POINT;
    }
  }
  if (digits > shape.mostDigits) shape.mostDigits = digits;
  const isShort = digits <= DOUBLE_DIGITS && !hasExponent;
  const text = isShort ? '' : textOf(bytes, { start, end });
  if (isInteger) {
    const isSafe = isShort || Number.isSafeInteger(Number(text));
    count(shape, isSafe ? NUMBER_OF.integer : NUMBER_OF.longInteger);
  } else {
    const isKept = isShort || isKeptByDoubles(text);
    count(shape, isKept ? NUMBER_OF.decimal : NUMBER_OF.longDecimal);
  }
  return end;
}

/** @returns After the closing quote of the string that opens at `start`, or `WRONG`. */
export function addText(shape: Shape, bytes: Uint8Array, start: number): number {
  const end = stringEnd(bytes, start);
  if (end === WRONG) return WRONG;
  const length = end - start - 2;
  // No text has more characters than bytes.
  if (length > shape.longestText) {
    const characters = charactersIn(bytes, start + 1, end - 1);
    if (characters > shape.longestText) shape.longestText = characters;
  }
  if (length >= DATE_LENGTH && length <= MAX_TIME_LENGTH && bytes[start + 5] === MINUS) {
    const text = textOf(bytes, { start: start + 1, end: end - 1 });
    if (DATE.test(text)) shape.dates++;
    else if (DATE_TIME.test(text)) shape.dateTimes++;
  }
  count(shape, NUMBER_OF.text);
  return end;
}

/** RFC 3339 section 5.6, with or without seconds and time zone. */
const DATE = /^\d{4}-[01]\d-[0-3]\d$/;
const DATE_TIME =
  /^\d{4}-[01]\d-[0-3]\d[Tt ][0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?$/;
const DATE_LENGTH = 10;
/** With fractions of a second down to the nanosecond and a time zone, and some more. */
const MAX_TIME_LENGTH = 40;

/** Unicode characters of the inside of a string: one for a pair of surrogates. */
function charactersIn(bytes: Uint8Array, start: number, end: number): number {
  let characters = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    // The first byte of each character counts (RFC 3629 section 3).
    if ((byte & 0xc0) === 0x80) continue;
    characters++;
    if (byte !== BACKSLASH) continue;
    if (bytes[at + 1] !== LOWER_U) at++;
    else {
      if (isSurrogate(bytes, at, 'd89ab') && isSurrogate(bytes, at + 6, 'dcdef')) at += 6;
      at += 5;
    }
  }
  return characters;
}

/** Whether an escape `\uD8…` stands at `at`. @param digits The first digit, and those that may follow it. */
function isSurrogate(bytes: Uint8Array, at: number, digits: string): boolean {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LOWER_U) return false;
  const [first = '', second = ''] = textOf(bytes, { start: at + 2, end: at + 4 }).toLowerCase();
  return first === digits.charAt(0) && digits.slice(1).includes(second);
}

function count(shape: Shape, type: number): void {
  shape.counts[type] = (shape.counts[type] ?? 0) + 1;
}
