import {
  BACKSLASH,
  byteAt,
  endOfLineBreaks,
  MAX_DEPTH,
  NUL,
  type Reading,
  readingsAt,
  readingsBehind,
  SOFT_BREAK,
  type Source,
} from './escapes.ts';

/** How the characters of a form follow each other. What comes may depend on the one before. */
export interface Spelling {
  /** What may stand at a place: more than one thing, as `%2525` is `%25` or `%` and `25`. */
  readonly read: (source: Source<string>, at: number, previous: number) => readonly Reading[];
  /** Where the next one may stand. */
  readonly gap: (source: Source<string>, at: number, previous: number) => readonly number[];
}

/** Behind all characters of a key, and without cases: this and so many more stand for a run of backslashes. */
export const RUN = 0x3000;

/** Of a text: an escape may stand for any of its characters. */
export const TEXT: Spelling = { read: readSign, gap: textGap };

/** Of a word such as Base64: also broken into lines. */
export const WORD: Spelling = {
  read: readSign,
  gap: (source, at, previous) => {
    const ends = textGap(source, at, previous);
    const end = endOfLineBreaks(source, at);
    return end === at ? ends : [...ends, end];
  },
};

function readSign(source: Source<string>, at: number, previous: number): readonly Reading[] {
  const code = source.text.charCodeAt(at);
  const escapes = escapesAt(source, at, previous);
  return code === BACKSLASH ? escapes : [{ code, end: at + 1 }, ...escapes];
}

/** Also white space as JSON has it: `\n`. */
const BETWEEN_CODES = String.raw`(?:[^0-9a-z\x80-\uffff]|(?<=\\)[nrt])`;

/** `, 0x` and `\x` are separators too, and in groups there is none. */
const HEX_GAP = new RegExp(`${BETWEEN_CODES}{0,4}(?:0?x)?`, 'iy');
/** Of the codes of the characters, two hexadecimal digits each. */
export const HEX = listSpelling(byteAt, HEX_GAP);

/** From the beginning of a number, so that a text of zeros takes linear time. */
const DECIMAL_ITEM = /(?<!\d)0*(\d{1,3})(?!\d)/y;
/** In JSON a Uint8Array has indexes: `"1":`. */
const DECIMAL_GAP = new RegExp(
  String.raw`${BETWEEN_CODES}{1,40}(?:\d{1,4}\\*"\s{0,4}:\s{0,4})?`,
  'iy',
);
/** Of the codes as decimal numbers. */
export const DECIMAL = listSpelling(({ text }, at) => {
  DECIMAL_ITEM.lastIndex = at;
  const [, digits] = DECIMAL_ITEM.exec(text) ?? [];
  return digits === undefined ? [] : [{ code: Number(digits), end: DECIMAL_ITEM.lastIndex }];
}, DECIMAL_GAP);

function listSpelling(
  read: (source: Source<string>, at: number) => readonly Reading[],
  separator: RegExp,
): Spelling {
  const separatorEnds = (text: string, at: number) => {
    separator.lastIndex = at;
    return separator.test(text) ? [separator.lastIndex] : [];
  };
  const gap = (source: Source<string>, at: number) => {
    const ends = separatorEnds(source.text, at);
    // The other half of UTF-16.
    const zeros = ends.flatMap((end) => read(source, end)).filter(({ code }) => code === NUL);
    return [...ends, ...zeros.flatMap(({ end }) => separatorEnds(source.text, end))];
  };
  return { read, gap };
}

/** The other half of UTF-16, or a soft line break of quoted-printable, each time that it encoded the text, or nothing. */
export function textGap(
  source: Source<string>,
  at: number,
  previous: number,
  depth = MAX_DEPTH,
): readonly number[] {
  if (source.text.charCodeAt(at) === NUL) return [at, at + 1];
  const readings = escapesAt(source, at, previous);
  if (readings.length === 0) return [at];
  const ends = readings.flatMap(({ code, end }) => {
    if (code === NUL) return [end];
    if (code !== SOFT_BREAK) return [];
    return depth === 1 ? [end] : textGap(source, end, 0, depth - 1);
  });
  return [at, ...ends];
}

/** Of which the backslashes may have been taken for the key's own already. */
function escapesAt(source: Source, at: number, previous: number): readonly Reading[] {
  const readings = readingsAt(source, at);
  if (previous < RUN) return readings;
  return [...readings, ...readingsBehind(source, BACKSLASH, at)];
}
