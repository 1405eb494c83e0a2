/** What an escape stands for, and where it ends. */
export interface Reading {
  /** Of an ASCII character; negative for none. */
  readonly code: number;
  readonly end: number;
}

/** A text, or bytes of which each is a character: a page is not made a text for this. */
type Characters = string | Buffer;

/** NUL, the other half of a character in UTF-16. */
export const NUL = 0;
/** A soft line break of quoted-printable, in place of the code of a character. */
export const SOFT_BREAK = 0x0a;
export const BACKSLASH = 0x5c;

const [QUOTE, HASH, PERCENT, AMPERSAND] = [0x22, 0x23, 0x25, 0x26];
const [SPACE, SLASH, DELETE] = [0x20, 0x2f, 0x7f];
const [ZERO, TWO, FIVE, NINE, EQUALS] = [0x30, 0x32, 0x35, 0x39, 0x3d];
const [SMALL_N, SMALL_R, SMALL_U, SMALL_X, OPEN_BRACE] = [0x6e, 0x72, 0x75, 0x78, 0x7b];
export const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** What escapes begin with. A run of backslashes is one escape, since JSON doubles them at each nesting. */
export const INTRODUCERS: readonly string[] = ['\\', '%', '=', '&'];

function codeAt(text: Characters, at: number): number {
  return typeof text === 'string' ? text.charCodeAt(at) : (text[at] ?? Number.NaN);
}

function slice(text: Characters, start: number, end: number): string {
  return typeof text === 'string' ? text.slice(start, end) : text.toString('latin1', start, end);
}

/** All that the escape at this place may stand for; nothing where there is none. */
export function readingsAt(text: Characters, at: number): readonly Reading[] {
  switch (codeAt(text, at)) {
    case BACKSLASH:
      return [afterBackslashes(text, endOfBackslashes(text, at))];
    case PERCENT:
      return percentAt(text, at);
    case EQUALS:
      return equalsAt(text, at);
    case AMPERSAND:
      return ampersandAt(text, at);
    default:
      return NONE;
  }
}

const NONE: readonly Reading[] = [];

export function endOfBackslashes(text: Characters, at: number): number {
  let end = at;
  while (codeAt(text, end) === BACKSLASH) end++;
  return end;
}

/** So many characters follow the brace of `u{000000}` at most, two digits and the other brace included. */
const MAX_IN_BRACES = 9;

/** What a run of backslashes makes of the characters behind it. */
export function afterBackslashes(text: Characters, at: number): Reading {
  const next = codeAt(text, at);
  // Those of nearly every text in JSON are told apart first.
  if (next === QUOTE || next === SLASH) return { code: next, end: at + 1 };
  if (next === SMALL_N) return { code: -1, end: at + 1 };
  return rarer(text, at, next);
}

function rarer(text: Characters, at: number, next: number): Reading {
  if (isPunctuation(next)) return { code: next, end: at + 1 };
  if (next === SMALL_X) return { code: byteAt(text, at + 1), end: at + 3 };
  if (next !== SMALL_U) return octalAt(text, at);
  if (codeAt(text, at + 1) !== OPEN_BRACE) return asciiUnitAt(text, at + 1);
  const rest = slice(text, at + 2, at + 2 + MAX_IN_BRACES);
  const [all = '', hex = ''] = /^0{0,6}([\da-f]{1,2})\}/i.exec(rest) ?? [];
  return { code: Number.parseInt(hex, 16), end: at + 2 + all.length };
}

/** Any of them may have a backslash in JavaScript, patterns and Markdown: `\_`. */
function isPunctuation(code: number): boolean {
  return code > SPACE && code < DELETE && !isLetter(code) && !(code >= ZERO && code <= NINE);
}

/** Four hexadecimal digits of a character of ASCII, behind a `u`. */
function asciiUnitAt(text: Characters, at: number): Reading {
  const isAscii = codeAt(text, at) === ZERO && codeAt(text, at + 1) === ZERO;
  return { code: isAscii ? byteAt(text, at + 2) : -1, end: at + 4 };
}

/** `\137` as JavaScript and C read it: three digits for a byte at most. */
function octalAt(text: Characters, at: number): Reading {
  let code = 0;
  let end = at;
  for (; end < at + 3; end++) {
    const more = code * 8 + codeAt(text, end) - ZERO;
    const isDigit = codeAt(text, end) >= ZERO && codeAt(text, end) < ZERO + 8;
    if (!isDigit || more > 0xff) break;
    code = more;
  }
  if (code > SPACE || (code === NUL && end === at + 3)) return { code, end };
  // No key has such a character. A NUL: the digits are of the text behind it, such as the key's own in UTF-16.
  return codeAt(text, at) === ZERO ? { code: NUL, end: at + 1 } : { code: -1, end };
}

function percentAt(text: Characters, at: number): readonly Reading[] {
  let end = at + 1;
  // A percent sign that was encoded, once or again and again; what follows may be the key's own `25`.
  while (codeAt(text, end) === TWO && codeAt(text, end + 1) === FIVE) end += 2;
  const percents = againAndAgain(PERCENT, at + 1, end, 2);
  const code = byteAt(text, end);
  if (code >= 0) return [{ code, end: end + 2 }, ...percents];
  if (folded(codeAt(text, end)) !== SMALL_U) return percents;
  // `%u005f`, as `escape` of JavaScript writes characters.
  return [asciiUnitAt(text, end + 1), ...percents];
}

/** No key holds more encodings of its own (`MAX_KEY_LENGTH`), and an answer may be one run of millions. */
const MAX_OWN_ENCODINGS = 2_048;

/** A sign that was encoded again and again, each time with so many characters more: where it may end, behind the last ones. */
function againAndAgain(
  code: number,
  from: number,
  end: number,
  characters: number,
): readonly Reading[] {
  if (end === from) return NONE;
  const readings: Reading[] = [];
  const first = Math.max(from, end - MAX_OWN_ENCODINGS * characters);
  for (let each = end; each > first; each -= characters) readings.push({ code, end: each });
  return readings;
}

function equalsAt(text: Characters, at: number): readonly Reading[] {
  const code = byteAt(text, at + 1);
  if (code >= 0) return [{ code, end: at + 3 }];
  return softBreakEnds(text, at + 1).map((end) => ({ code: SOFT_BREAK, end }));
}

/** A soft break is one line break, of one or two characters. What follows may be more of them, or the text itself. */
function softBreakEnds(text: Characters, at: number): readonly number[] {
  const first = endOfLineBreak(text, at);
  if (first === at) return [];
  return [...new Set([first, endOfLineBreak(text, first), endOfLineBreaks(text, first)])];
}

/** Line feeds and carriage returns, as they are or in JSON. */
export function endOfLineBreaks(text: Characters, at: number): number {
  for (let end = at; ; ) {
    const next = endOfLineBreak(text, end);
    if (next === end) return end;
    end = next;
  }
}

/** The same place where there is none. */
function endOfLineBreak(text: Characters, at: number): number {
  const code = codeAt(text, at);
  if (code === LINE_FEED || code === CARRIAGE_RETURN) return at + 1;
  const end = code === BACKSLASH ? endOfBackslashes(text, at) : at;
  const letter = codeAt(text, end);
  return end > at && (letter === SMALL_N || letter === SMALL_R) ? end + 1 : at;
}

/**
 * The names of ASCII punctuation in HTML, each with its character: by a sum of its letters, whatever their case, since
 * a page may have thousands. Where another name has the same sum, one more character is read, which harms nothing.
 */
const ENTITIES: ReadonlyMap<number, number> = new Map(
  'quot" apos\' lt< gt> amp& excl! num# dollar$ percnt% lpar( rpar) ast* midast* plus+ comma, period. sol/ colon: semi; equals= quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] hat^ lowbar_ underbar_ grave` diacriticalgrave` lcub{ lbrace{ verbar| vert| verticalline| rcub} rbrace}'
    .split(' ')
    .map((each) => [
      [...each.slice(0, -1)].reduce((sum, letter) => withLetter(sum, letter.charCodeAt(0)), 0),
      each.charCodeAt(each.length - 1),
    ]),
);
const LONGEST_ENTITY = 'diacriticalgrave'.length;
/** Those that need no semicolon. */
const OLDEST_ENTITIES: readonly (readonly [string, number])[] = [
  ['quot', QUOTE],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['amp', AMPERSAND],
];

function ampersandAt(text: Characters, at: number): readonly Reading[] {
  let from = at + 1;
  // Encoded again and again, or an ampersand with a name behind it.
  while (isNext(text, from, AMP)) from += AMP.length;
  const ampersands = againAndAgain(AMPERSAND, at + 1, from, AMP.length);
  const entity = codeAt(text, from) === HASH ? numbered(text, from + 1) : named(text, from);
  return entity === undefined ? ampersands : [entity, ...ampersands];
}

const AMP = 'amp;';
const SEMICOLON = 0x3b;

function named(text: Characters, at: number): Reading | undefined {
  let sum = 0;
  let end = at;
  for (; isLetter(codeAt(text, end)) && end - at < LONGEST_ENTITY; end++) {
    sum = withLetter(sum, codeAt(text, end));
  }
  const code = codeAt(text, end) === SEMICOLON ? ENTITIES.get(sum) : undefined;
  if (code !== undefined) return { code, end: end + 1 };
  const oldest = OLDEST_ENTITIES.find(([name]) => isNext(text, at, name));
  return oldest && { code: oldest[1], end: at + oldest[0].length };
}

function withLetter(sum: number, letter: number): number {
  return (sum * 31 + folded(letter)) | 0;
}

function isLetter(code: number): boolean {
  const small = folded(code);
  return small >= 0x61 && small <= 0x7a;
}

function behindSemicolon(text: Characters, at: number): number {
  return codeAt(text, at) === SEMICOLON ? at + 1 : at;
}

const BEYOND_ASCII = 0x80;

/** `43;` or `x2b;`, with any zeros in front. HTML asks for the semicolon, and does without it. */
function numbered(text: Characters, at: number): Reading | undefined {
  const isHex = folded(codeAt(text, at)) === SMALL_X;
  const base = isHex ? 16 : 10;
  const start = isHex ? at + 1 : at;
  let code = 0;
  let end = start;
  for (let digit = digitAt(text, end); digit >= 0 && digit < base; digit = digitAt(text, end)) {
    code = Math.min(code * base + digit, BEYOND_ASCII);
    end++;
  }
  return end > start ? { code, end: behindSemicolon(text, end) } : undefined;
}

/** @param lower In lower case; the text may be in any. */
function isNext(text: Characters, at: number, lower: string): boolean {
  for (let index = 0; index < lower.length; index++) {
    if (folded(codeAt(text, at + index)) !== lower.charCodeAt(index)) return false;
  }
  return true;
}

/** The value of two hexadecimal digits; negative where there are none. */
export function byteAt(text: Characters, at: number): number {
  return (digitAt(text, at) << 4) | digitAt(text, at + 1);
}

function digitAt(text: Characters, at: number): number {
  const code = codeAt(text, at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** The same for both cases of a letter. */
export function folded(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
}
