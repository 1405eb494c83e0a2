/** What an escape stands for, and where it ends. */
export interface Reading {
  /** Of a character, or {@link SOFT_BREAK}. */
  readonly code: number;
  readonly end: number;
}

/** Where escapes are read: a text, or bytes of which each is a character, as a page is not made a text for this. */
export interface Source<Text extends string | Buffer = string | Buffer> {
  readonly text: Text;
  /**
   * How many steps it may still take. An escape may stand for a part of another one, so that a hostile text could be
   * read to its end from each of its characters. Whoever reads what is left then must count it as the key.
   */
  left: number;
  /** What was read last, since one place is asked for several times. */
  last: { readonly at: number; readonly readings: readonly Reading[] };
}

/** What nearly is an ordinary key, again and again and in whatever form, takes 4 for each character. */
const STEPS_A_CHARACTER = 8;
/** A short text is looked through whatever it holds. */
const LEAST_STEPS = 1_000_000;

export function sourceOf<Text extends string | Buffer>(text: Text): Source<Text> {
  const left = LEAST_STEPS + STEPS_A_CHARACTER * text.length;
  return { text, left, last: { at: -1, readings: NONE } };
}

/** NUL, the other half of a character in UTF-16. */
export const NUL = 0;
/** A soft line break of quoted-printable, in place of the code of a character. */
export const SOFT_BREAK = -2;
export const BACKSLASH = 0x5c;

const [QUOTE, HASH, PERCENT, AMPERSAND] = [0x22, 0x23, 0x25, 0x26];
const [SPACE, LESS, GREATER, DELETE] = [0x20, 0x3c, 0x3e, 0x7f];
const [ZERO, NINE, SEMICOLON, EQUALS] = [0x30, 0x39, 0x3b, 0x3d];
const [SMALL_N, SMALL_R, SMALL_U, SMALL_X] = [0x6e, 0x72, 0x75, 0x78];
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
export const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** What escapes begin with. A run of backslashes is one escape, since JSON doubles them at each nesting. */
export const INTRODUCERS: readonly number[] = [BACKSLASH, PERCENT, EQUALS, AMPERSAND];

function isIntroducer(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === EQUALS || code === AMPERSAND;
}

/** So many encodings, one around the other, may each escape all characters of the one inside. */
export const MAX_DEPTH = 3;
/** No key holds more encodings of its own (`MAX_KEY_LENGTH`), and an answer may be one run of millions. */
const MAX_READINGS = 2_048;
const NONE: readonly Reading[] = [];
const NOTHING = -1;

/**
 * All that the escape at this place may stand for; nothing where there is none. It may stand for what another one
 * begins with, and that for another: `%252F` is `%` and `/`, `%26amp;#47;` is `&`, at two places, and `/`.
 */
export function readingsAt(source: Source, at: number): readonly Reading[] {
  const code = codeAt(source.text, at);
  if (!isIntroducer(code)) return NONE;
  if (source.last.at !== at) source.last = { at, readings: readingsBehind(source, code, at + 1) };
  return source.last.readings;
}

/** The same behind what the escape begins with. */
export function readingsBehind(
  source: Source,
  introducer: number,
  at: number,
  depth = MAX_DEPTH,
): readonly Reading[] {
  const signs = new Signs(source, at, depth);
  const readings: Reading[] = [];
  let begun = introducer;
  // Backslashes before it that no letter took yet, so that it may be the letter of an escape: `\%75002f` is `\u002f`.
  let pending = introducer === BACKSLASH ? 1 : 0;
  for (; source.left >= 0; source.left--) {
    const next = codeAt(source.text, signs.at);
    const code = isIntroducer(begun) ? meaningOf(begun, signs) : letterEscape(begun, signs);
    if (code === NOTHING) break;
    if (begun === BACKSLASH) {
      if (next === BACKSLASH && readings.length > 0) pending += 1;
      const isPlain = isIntroducer(code) && codeAt(source.text, signs.at - 1) === code;
      if (!isPlain) pending -= 1;
    } else if (!isIntroducer(begun)) pending -= 1;
    if (code === BACKSLASH) pending += 1;
    begun = code === SOFT_BREAK && pending > 0 ? BACKSLASH : code;
    readings.push(...signs.ends.splice(0));
    if (code === SOFT_BREAK) readings.push(...softBreaks(signs));
    else readings.push({ code, end: signs.at });
    // Nearly always that is all.
    if (pending <= 0 && !isIntroducer(begun)) break;
    if (readings.length > 2 * MAX_READINGS) readings.splice(0, MAX_READINGS);
  }
  return readings;
}

/** Moves behind an escape, and gives its code. */
function meaningOf(introducer: number, signs: Signs): number {
  switch (introducer) {
    case BACKSLASH:
      return afterBackslashes(signs);
    case PERCENT:
      return afterPercent(signs);
    case EQUALS:
      return afterEquals(signs);
    default:
      return afterAmpersand(signs);
  }
}

/** The signs that an escape is written with, one behind the other: each as far as it can be read. */
class Signs {
  at: number;
  /** Where what is read may end before: {@link mayEnd}. */
  readonly ends: Reading[] = [];
  readonly source: Source;
  readonly #depth: number;

  constructor(source: Source, at: number, depth: number) {
    this.source = source;
    this.at = at;
    this.#depth = depth;
  }

  /** The code of the next one. */
  next(): number {
    let code = this.#read();
    // A line may break inside an escape, and that of another encoding there too.
    for (let breaks = 1; code === SOFT_BREAK && breaks <= MAX_DEPTH; breaks++) code = this.#read();
    return code;
  }

  #read(): number {
    const code = codeAt(this.source.text, this.at++);
    return isIntroducer(code) && this.#depth > 1 ? this.#escaped(code) : code;
  }

  #escaped(introducer: number): number {
    this.source.left--;
    const readings = readingsBehind(this.source, introducer, this.at, this.#depth - 1);
    const { code, end } = readings.at(-1) ?? { code: introducer, end: this.at };
    this.at = end;
    return code;
  }

  /** The code of the next one if it passes a test; otherwise -1, and it is still the next one. */
  nextIf(test: (code: number) => boolean): number {
    const { at } = this;
    const code = this.next();
    if (test(code)) return code;
    this.at = at;
    return -1;
  }

  /** Goes on with so many hexadecimal digits; negative without them. */
  hex(digits: number, begun = 0): number {
    let value = begun;
    for (let count = 0; count < digits && value >= 0; count++) {
      const digit = digitOf(this.next());
      value = digit < 0 ? digit : value * 16 + digit;
    }
    return value;
  }

  /** Of as many digits as there are; negative without any. */
  number(isDigit: (code: number) => boolean, base: number): number {
    let value = -1;
    for (;;) {
      const { at } = this;
      const digit = digitOf(this.nextIf(isDigit));
      if (digit < 0) return value;
      this.mayEnd(value, at);
      value = Math.min(Math.max(value, 0) * base + digit, BEYOND_ASCII);
    }
  }

  /** What was read behind `end` may be the text itself, such as the 0 of `&#33=30`, if it is escaped. */
  mayEnd(code: number, end: number): void {
    if (code >= 0 && this.at > end + 1) this.ends.push({ code, end });
  }

  /** Passes so many line breaks at most, and says where the last one ends. */
  lineBreaks(most: number): number {
    for (let count = 0; count < most; count++) {
      const code = codeAt(this.source.text, this.at);
      // Most texts have none. And soft breaks, which follow each other, are not read again and again.
      const mayBe = isLineBreak(code) || (isIntroducer(code) && code !== EQUALS);
      if (!mayBe || this.nextIf(isLineBreak) < 0) break;
    }
    return this.at;
  }
}

export function endOfBackslashes(text: string | Buffer, at: number): number {
  let end = at;
  while (codeAt(text, end) === BACKSLASH) end++;
  return end;
}

function afterBackslashes(signs: Signs): number {
  signs.at = endOfBackslashes(signs.source.text, signs.at);
  const plain = codeAt(signs.source.text, signs.at++);
  if (isPunctuation(plain)) return plain;
  return isOctalDigit(plain) ? octal(plain, signs) : letterEscape(plain, signs);
}

/** What a backslash makes of a letter, and of what follows it. */
function letterEscape(letter: number, signs: Signs): number {
  if (letter === SMALL_N) return LINE_FEED;
  if (letter === SMALL_R) return CARRIAGE_RETURN;
  if (letter === SMALL_X) return signs.hex(2);
  if (letter !== SMALL_U) return NOTHING;
  if (signs.nextIf(isOpenBrace) < 0) return signs.hex(4);
  const code = signs.number(isHexDigit, 16);
  return signs.nextIf(isCloseBrace) < 0 ? NOTHING : code;
}

/** `\137` as JavaScript and C read it: three digits for a byte at most. */
function octal(first: number, signs: Signs): number {
  const { at } = signs;
  let code = first - ZERO;
  let left = code < 4 ? 2 : 1;
  for (; left > 0; left--) {
    const digit = digitOf(signs.nextIf(isOctalDigit));
    if (digit < 0) break;
    code = code * 8 + digit;
  }
  if (code > SPACE || (code === NUL && left === 0)) return code;
  // No key has such a character. A NUL: the digits are of the text behind it, such as the key's own in UTF-16.
  signs.at = at;
  return first === ZERO ? NUL : NOTHING;
}

/** `%5f`, or `%u005f`, as `escape` of JavaScript writes characters. */
function afterPercent(signs: Signs): number {
  const first = signs.next();
  return folded(first) === SMALL_U ? signs.hex(4) : signs.hex(1, digitOf(first));
}

function afterEquals(signs: Signs): number {
  const first = signs.next();
  return isLineBreak(first) ? SOFT_BREAK : signs.hex(1, digitOf(first));
}

/** A soft break is one line break, of one or two characters. What follows may be more of them, or the text itself. */
function softBreaks(signs: Signs): readonly Reading[] {
  const ends = [signs.at, signs.lineBreaks(1), signs.lineBreaks(Number.POSITIVE_INFINITY)];
  return [...new Set(ends)].map((end) => ({ code: SOFT_BREAK, end }));
}

/** Where line feeds and carriage returns end, as they are or escaped. */
export function endOfLineBreaks(source: Source, at: number): number {
  return new Signs(source, at, MAX_DEPTH).lineBreaks(Number.POSITIVE_INFINITY);
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
/** What has a name that needs no semicolon: of up to four letters. */
const OLDEST_ENTITIES: ReadonlySet<number> = new Set([QUOTE, LESS, GREATER, AMPERSAND]);

function afterAmpersand(signs: Signs): number {
  const first = signs.next();
  if (first !== HASH) return isLetter(first) ? named(first, signs) : NOTHING;
  // HTML asks for the semicolon, and does without it.
  const isHex = signs.nextIf(isX) >= 0;
  const code = isHex ? signs.number(isHexDigit, 16) : signs.number(isDecimalDigit, 10);
  const { at } = signs;
  if (code >= 0 && signs.nextIf(isSemicolon) >= 0) signs.mayEnd(code, at);
  return code;
}

function named(first: number, signs: Signs): number {
  let sum = withLetter(0, first);
  let oldest = { code: NOTHING, at: signs.at };
  for (let letters = 2; letters <= LONGEST_ENTITY; letters++) {
    const letter = signs.nextIf(isLetter);
    if (letter < 0) break;
    sum = withLetter(sum, letter);
    const code = letters <= 4 ? ENTITIES.get(sum) : undefined;
    if (code !== undefined && OLDEST_ENTITIES.has(code)) oldest = { code, at: signs.at };
  }
  const code = ENTITIES.get(sum);
  if (code !== undefined && signs.nextIf(isSemicolon) >= 0) return code;
  signs.at = oldest.at;
  return oldest.code;
}

function withLetter(sum: number, letter: number): number {
  return (sum * 31 + folded(letter)) | 0;
}

const isX = (code: number) => folded(code) === SMALL_X;
const isSemicolon = (code: number) => code === SEMICOLON;
const isOpenBrace = (code: number) => code === OPEN_BRACE;
const isCloseBrace = (code: number) => code === CLOSE_BRACE;
const isLineBreak = (code: number) => code === LINE_FEED || code === CARRIAGE_RETURN;
const isOctalDigit = (code: number) => code >= ZERO && code < ZERO + 8;
const isDecimalDigit = (code: number) => code >= ZERO && code <= NINE;
const isHexDigit = (code: number) => digitOf(code) >= 0;

function isLetter(code: number): boolean {
  const small = folded(code);
  return small >= 0x61 && small <= 0x7a;
}

/** Any of them may have a backslash in JavaScript, patterns and Markdown: `\_`. */
function isPunctuation(code: number): boolean {
  return code > SPACE && code < DELETE && !isLetter(code) && !isDecimalDigit(code);
}

const BEYOND_ASCII = 0x80;

/** The code of two hexadecimal digits, between which a line may break; nothing where there are none. */
export function byteAt(source: Source, at: number): readonly Reading[] {
  if (digitOf(codeAt(source.text, at)) < 0) return NONE;
  const signs = new Signs(source, at, MAX_DEPTH);
  const code = signs.hex(2);
  return code < 0 ? NONE : [{ code, end: signs.at }];
}

function codeAt(text: string | Buffer, at: number): number {
  return typeof text === 'string' ? text.charCodeAt(at) : (text[at] ?? Number.NaN);
}

/** Of a hexadecimal digit; negative for anything else. */
function digitOf(code: number): number {
  if (isDecimalDigit(code)) return code - ZERO;
  const small = folded(code);
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

/** The same for both cases of a letter. */
export function folded(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
}
