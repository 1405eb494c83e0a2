import {
  afterBackslashes,
  BACKSLASH,
  endOfBackslashes,
  endOfLineBreaks,
  folded,
  INTRODUCERS,
  NUL,
  type Reading,
  readingsAt,
  SOFT_BREAK,
} from './escapes.ts';
import { type KeyForms, SPECIAL_IN_WORD } from './key-forms.ts';

/** Whether a place is behind the first one of a run of backslashes, where no form of a key begins. */
export function isInsideRun(text: string, at: number): boolean {
  return text.charCodeAt(at) === BACKSLASH && text.charCodeAt(at - 1) === BACKSLASH;
}

/**
 * Begins to look through a text, from the left: gives where an occurrence that begins at a place ends; `undefined` where
 * none begins. Not for a place inside a run of backslashes: a text of nothing else must not be tried from each of them.
 *
 * A text may be made of what is nearly a key that repeats itself, which would take hours. What comes when the
 * {@link Effort} is spent counts as the key.
 */
export type KeyMatcher = (text: string) => (at: number) => number | undefined;

/** One thing after the other; each may end at more than one place, as `%2525` is `%25` or `%` and `25`. */
type Ends = (text: string, at: number, effort: Effort) => readonly number[];

/** The units that may still be tried. */
interface Effort {
  left: number;
}

/** What nearly is an ordinary key, again and again and in whatever form, takes 4 for each character. */
const EFFORT_A_CHARACTER = 8;
/** A short text is looked through whatever it holds. */
const LEAST_EFFORT = 1_000_000;

function effortFor(text: string): Effort {
  return { left: LEAST_EFFORT + EFFORT_A_CHARACTER * text.length };
}

const NO_ENDS: readonly number[] = [];

/**
 * Makes a matcher for all forms of a key. It is no regular expression: one for all forms takes seconds to compile,
 * and the error for one that is too large shows it.
 */
export function keyMatcherOf({ texts, words, codes }: KeyForms): KeyMatcher {
  // Nearly no text is searched, and there are thousands of units, so they are made when they are needed.
  let byFirst: readonly (readonly Form[])[] | undefined;
  const formsByFirst = () => {
    const forms = [
      ...texts.map(textForm),
      ...words.map(wordForm),
      { begins: begins(hexOf(codes[0] ?? 0).charAt(0)), units: listUnits(codes, hexItem, HEX_GAP) },
      { begins: begins('0123456789'), units: listUnits(codes, decimalItem, DECIMAL_GAP) },
    ];
    return Array.from({ length: 128 }, (_, code) =>
      forms.filter((form) => form.begins.has(folded(code))),
    );
  };
  return (text) => {
    const effort = effortFor(text);
    byFirst ??= formsByFirst();
    const forms = byFirst;
    return (at) => {
      let longest = at;
      for (const { units } of forms[text.charCodeAt(at)] ?? []) {
        longest = Math.max(longest, endOf(units, text, at, effort));
      }
      return longest > at ? longest : undefined;
    };
  };
}

/** Of a text alone, for a key that is too short to be looked for in other forms. */
export function textMatcherOf(text: string): KeyMatcher {
  const { units } = textForm(text);
  return (searched) => {
    const effort = effortFor(searched);
    return (at) => {
      const end = endOf(units, searched, at, effort);
      return end > at ? end : undefined;
    };
  };
}

interface Form {
  /** The codes with which it may begin. A place is tried only with the forms that may begin there. */
  readonly begins: ReadonlySet<number>;
  readonly units: readonly Ends[];
}

function textForm(text: string): Form {
  return { begins: begins(text.charAt(0) + ESCAPES_BEGIN), units: textUnits(text) };
}

function wordForm(word: string): Form {
  const first = word.charAt(0);
  const isSpecial = SPECIAL_IN_WORD.test(first);
  return { begins: begins(isSpecial ? first + ESCAPES_BEGIN : first), units: wordUnits(word) };
}

const ESCAPES_BEGIN = INTRODUCERS.join('');

function begins(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((char) => folded(char.charCodeAt(0))));
}

/** 0 where the units do not follow each other. */
function endOf(units: readonly Ends[], text: string, at: number, effort: Effort): number {
  let places: readonly number[] = [at];
  for (const unit of units) {
    effort.left -= places.length;
    if (effort.left < 0) return text.length;
    const [only] = places;
    // Nearly always there is one.
    const next =
      places.length === 1 && only !== undefined
        ? unit(text, only, effort)
        : [...new Set(places.flatMap((place) => unit(text, place, effort)))];
    if (next.length === 0) return 0;
    places = next;
  }
  return Math.max(...places);
}

/** JSON doubles backslashes at each nesting, so those of a key are one unit, as a run of so many or more. */
function textUnits(text: string): readonly Ends[] {
  const runs = text.match(/\\+|[^\\]/g) ?? [];
  return runs.flatMap((run, index) => {
    const unit = run.startsWith('\\')
      ? backslashes(run.length)
      : character(run.charCodeAt(0), previousOf(runs[index - 1]));
    return index === 0 ? [unit] : [textGap(previousOf(runs[index - 1])), unit];
  });
}

type Previous = 'backslashes' | 'character';

function previousOf(run = ''): Previous {
  return run.startsWith('\\') ? 'backslashes' : 'character';
}

function backslashes(length: number): Ends {
  const escaped = character(BACKSLASH, 'character');
  /** One of them: as an escape, or a run that ends before the other half of UTF-16. */
  const single: Ends = (text, at, effort) => {
    const end = endOfBackslashes(text, at);
    const ends = escaped(text, at, effort);
    return end > at ? [end, ...ends] : ends;
  };
  const gap = textGap('backslashes');
  const singles = Array.from({ length }, (_, index) =>
    index === 0 ? [single] : [gap, single],
  ).flat();
  return (text, at, effort) => {
    const end = endOfBackslashes(text, at);
    const plainEnds = end - at >= length ? [end] : NO_ENDS;
    const last = endOf(singles, text, at, effort);
    return last > at ? [...plainEnds, endOfBackslashes(text, last)] : plainEnds;
  };
}

function character(code: number, previous: Previous): Ends {
  const wanted = folded(code);
  return (text, at) => {
    const found = text.charCodeAt(at);
    const isPlain = folded(found) === wanted && code !== BACKSLASH;
    const readings = escapesAt(text, at, previous);
    if (readings.length === 0) return isPlain ? [at + 1] : NO_ENDS;
    const escaped = readings.filter((each) => folded(each.code) === wanted).map(({ end }) => end);
    return isPlain ? [at + 1, ...escaped] : escaped;
  };
}

/** The other half of UTF-16, or a soft line break of quoted-printable, or nothing. */
function textGap(previous: Previous): Ends {
  return (text, at) => {
    if (text.charCodeAt(at) === NUL) return [at, at + 1];
    const readings = escapesAt(text, at, previous);
    if (readings.length === 0) return [at];
    const marks = readings.filter(({ code }) => code === NUL || code === SOFT_BREAK);
    return [at, ...marks.map(({ end }) => end)];
  };
}

/** Of which the backslashes may have been taken for the key's own already. */
function escapesAt(text: string, at: number, previous: Previous): readonly Reading[] {
  const readings = readingsAt(text, at);
  return previous === 'backslashes' ? [...readings, afterBackslashes(text, at)] : readings;
}

function wordUnits(word: string): readonly Ends[] {
  const wordGap: Ends = (text, at) => [endOfLineBreaks(text, at)];
  return [...word].flatMap((char, index) => {
    const code = char.charCodeAt(0);
    const unit = SPECIAL_IN_WORD.test(char) ? character(code, 'character') : plain(code);
    return index === 0 ? [unit] : [wordGap, unit];
  });
}

function plain(code: number): Ends {
  const wanted = folded(code);
  return (text, at) => (folded(text.charCodeAt(at)) === wanted ? [at + 1] : NO_ENDS);
}

/** `, 0x` and `\x` are separators too, and in groups there is none. */
const HEX_GAP = /[^0-9a-z\x80-\uffff]{0,4}(?:0?x)?/iy;
/** In JSON a Uint8Array has indexes: `"1":`. */
const DECIMAL_GAP = /[^0-9a-z\x80-\uffff]{1,40}(?:\d{1,4}\\*"\s{0,4}:\s{0,4})?/iy;

function listUnits(
  codes: readonly number[],
  item: (code: number) => Ends,
  separator: RegExp,
): readonly Ends[] {
  const gap = endsOf(separator);
  const zero = item(0);
  const listGap: Ends = (text, at, effort) => {
    const ends = gap(text, at, effort);
    // The other half of UTF-16.
    const zeros = ends.flatMap((end) => zero(text, end, effort));
    return [...ends, ...zeros.flatMap((end) => gap(text, end, effort))];
  };
  return codes.flatMap((code, index) => (index === 0 ? [item(code)] : [listGap, item(code)]));
}

function hexItem(code: number): Ends {
  const hex = hexOf(code);
  return (text, at) =>
    text.slice(at, at + hex.length).toLowerCase() === hex ? [at + hex.length] : NO_ENDS;
}

function decimalItem(code: number): Ends {
  // From the beginning of a number, so that a text of zeros takes linear time.
  return endsOf(new RegExp(`(?<!\\d)0*${code}(?!\\d)`, 'y'));
}

function endsOf(pattern: RegExp): Ends {
  return (text, at) => {
    pattern.lastIndex = at;
    return pattern.test(text) ? [pattern.lastIndex] : NO_ENDS;
  };
}

function hexOf(code: number): string {
  return code.toString(16).padStart(2, '0');
}
