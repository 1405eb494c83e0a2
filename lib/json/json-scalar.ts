import {
  BACKSLASH,
  LOWER_A,
  LOWER_E,
  LOWER_F,
  LOWER_U,
  MINUS,
  NINE,
  PLUS,
  POINT,
  QUOTE,
  SPACE,
  WRONG,
  ZERO,
} from './json-tokens.ts';

/** After the closing quote of the string that opens at `start`, or {@link WRONG}. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  for (let at = start + 1; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE) return WRONG;
    if (byte !== BACKSLASH) continue;
    at = escapeEnd(bytes, at) - 1;
    if (at < start) return WRONG;
  }
  return WRONG;
}

const IS_SIMPLE = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) IS_SIMPLE[byte] = 1;

/** After the escape that begins at `start`. */
function escapeEnd(bytes: Uint8Array, start: number): number {
  const byte = bytes[start + 1] ?? 0;
  if (byte !== LOWER_U) return IS_SIMPLE[byte] === 1 ? start + 2 : WRONG;
  for (let at = start + 2; at < start + 6; at++) {
    if (!isHex(bytes[at] ?? 0)) return WRONG;
  }
  return start + 6;
}

const LITERALS = ['true', 'false', 'null'].map((literal) => [...Buffer.from(literal)]);

/** After the number or literal that begins at `start`, or {@link WRONG}. */
export function scalarEnd(bytes: Uint8Array, start: number): number {
  const byte = bytes[start] ?? 0;
  if (byte === MINUS || isDigit(byte)) return numberEnd(bytes, start);
  const literal = LITERALS.find((each) => each[0] === byte);
  if (literal === undefined) return WRONG;
  const isWhole = literal.every((each, index) => bytes[start + index] === each);
  return isWhole ? start + literal.length : WRONG;
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  // No digit follows a leading zero.
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at);
  if (at !== WRONG && bytes[at] === POINT) at = digitsEnd(bytes, at + 1);
  if (at === WRONG || lowerCase(bytes[at] ?? 0) !== LOWER_E) return at;
  const sign = bytes[at + 1];
  return digitsEnd(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

/** After one digit or more. */
function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && isDigit(bytes[at] ?? 0)) at++;
  return at === start ? WRONG : at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isHex(byte: number): boolean {
  const lower = lowerCase(byte);
  return isDigit(byte) || (lower >= LOWER_A && lower <= LOWER_F);
}

/** Of an ASCII letter. */
function lowerCase(byte: number): number {
  return byte | 0x20;
}
