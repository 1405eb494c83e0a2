import {
  afterBackslashes,
  BACKSLASH,
  byteAt,
  endOfLineBreaks,
  NUL,
  type Reading,
  readingsAt,
  SOFT_BREAK,
} from './escapes.ts';
import { SPECIAL_IN_WORD } from './key-forms.ts';

/** How the characters of a form follow each other. What comes may depend on the one before. */
export interface Spelling {
  /** What may stand at a place: more than one thing, as `%2525` is `%25` or `%` and `25`. */
  readonly read: (text: string, at: number, previous: number) => readonly Reading[];
  /** Where the next one may stand. */
  readonly gap: (text: string, at: number, previous: number) => readonly number[];
}

/** Behind all characters of a key, and without cases: this and so many more stand for a run of backslashes. */
export const RUN = 0x3000;

/** Of a text: an escape may stand for any of its characters. */
export const TEXT: Spelling = {
  read: (text, at, previous) => {
    const escapes = escapesAt(text, at, previous);
    if (text.charCodeAt(at) === BACKSLASH) return escapes;
    return escapes.length === 0 ? [plainAt(text, at)] : [plainAt(text, at), ...escapes];
  },
  gap: textGap,
};

/** Of a word such as Base64: broken into lines, and escaped only where a character is special. */
export const WORD: Spelling = {
  read: (text, at) => {
    const escapes = readingsAt(text, at);
    if (escapes.length === 0) return [plainAt(text, at)];
    const isSpecial = ({ code }: Reading) => SPECIAL_IN_WORD.test(String.fromCharCode(code));
    return [plainAt(text, at), ...escapes.filter(isSpecial)];
  },
  gap: (text, at) => [endOfLineBreaks(text, at)],
};

/** Also white space as JSON has it: `\n`. */
const BETWEEN_CODES = String.raw`(?:[^0-9a-z\x80-\uffff]|(?<=\\)[nrt])`;

/** `, 0x` and `\x` are separators too, and in groups there is none. */
const HEX_GAP = new RegExp(`${BETWEEN_CODES}{0,4}(?:0?x)?`, 'iy');
/** Of the codes of the characters, two hexadecimal digits each. */
export const HEX = listSpelling((text, at) => [{ code: byteAt(text, at), end: at + 2 }], HEX_GAP);

/** From the beginning of a number, so that a text of zeros takes linear time. */
const DECIMAL_ITEM = /(?<!\d)0*(\d{1,3})(?!\d)/y;
/** In JSON a Uint8Array has indexes: `"1":`. */
const DECIMAL_GAP = new RegExp(
  String.raw`${BETWEEN_CODES}{1,40}(?:\d{1,4}\\*"\s{0,4}:\s{0,4})?`,
  'iy',
);
/** Of the codes as decimal numbers. */
export const DECIMAL = listSpelling((text, at) => {
  DECIMAL_ITEM.lastIndex = at;
  const [, digits] = DECIMAL_ITEM.exec(text) ?? [];
  return digits === undefined ? [] : [{ code: Number(digits), end: DECIMAL_ITEM.lastIndex }];
}, DECIMAL_GAP);

function listSpelling(
  read: (text: string, at: number) => readonly Reading[],
  separator: RegExp,
): Spelling {
  const separatorEnds = (text: string, at: number) => {
    separator.lastIndex = at;
    return separator.test(text) ? [separator.lastIndex] : [];
  };
  const gap = (text: string, at: number) => {
    const ends = separatorEnds(text, at);
    // The other half of UTF-16.
    const zeros = ends.flatMap((end) => read(text, end)).filter(({ code }) => code === NUL);
    return [...ends, ...zeros.flatMap(({ end }) => separatorEnds(text, end))];
  };
  return { read, gap };
}

/** The other half of UTF-16, or a soft line break of quoted-printable, or nothing. */
export function textGap(text: string, at: number, previous: number): readonly number[] {
  if (text.charCodeAt(at) === NUL) return [at, at + 1];
  const readings = escapesAt(text, at, previous);
  if (readings.length === 0) return [at];
  const marks = readings.filter(({ code }) => code === NUL || code === SOFT_BREAK);
  return [at, ...marks.map(({ end }) => end)];
}

/** Of which the backslashes may have been taken for the key's own already. */
function escapesAt(text: string, at: number, previous: number): readonly Reading[] {
  const readings = readingsAt(text, at);
  return previous >= RUN ? [...readings, afterBackslashes(text, at)] : readings;
}

function plainAt(text: string, at: number): Reading {
  return { code: text.charCodeAt(at), end: at + 1 };
}
