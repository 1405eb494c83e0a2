import {
  BACKSLASH,
  CARRIAGE_RETURN,
  endOfBackslashes,
  folded,
  INTRODUCERS,
  LINE_FEED,
  NUL,
  readingsAt,
} from './escapes.ts';
import type { KeyForms } from './key-forms.ts';
import { DECIMAL, HEX, RUN, type Spelling, TEXT, textGap, WORD } from './key-spellings.ts';

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

/** How often a character may still be tried, or passed over. */
interface Effort {
  left: number;
}

/** What nearly is an ordinary key, again and again and in whatever form, takes 4 for each character. */
const EFFORT_A_CHARACTER = 8;
/** A short text is looked through whatever it holds. */
const LEAST_EFFORT = 1_000_000;

/**
 * Makes a matcher for all forms of some keys. They are looked for together, by what they begin with: a text may be made
 * of what is nearly each of thousands of keys, which begin alike. It is no regular expression: one for all forms takes
 * seconds to compile, and the error for one that is too large shows a key.
 */
export function keyMatcherOf(keys: readonly KeyForms[]): KeyMatcher {
  // Nearly no text is searched, so they are made when they are needed.
  let shelves: readonly Shelf[] | undefined;
  return (text) => {
    const effort = { left: LEAST_EFFORT + EFFORT_A_CHARACTER * text.length };
    shelves ??= shelvesOf(keys);
    const all = shelves;
    return (at) => {
      let longest = at;
      const pair = pairOf(text, at);
      const first = pair >> 16;
      const isAny = MARKS.has(first);
      const begin = MARKS.has(pair & 0xffff) ? first : pair;
      for (const shelf of all) {
        // At most places of a page, which has as many of them as bytes.
        if (!isAny && !shelf.begins.has(begin) && !shelf.begins.has(first << 16)) continue;
        longest = Math.max(longest, endOf(shelf, { text, at, effort }));
      }
      return longest > at ? longest : undefined;
    };
  };
}

/** Forms that are spelled alike: in their order, so that those that begin alike stand side by side. */
interface Shelf {
  readonly spelling: Spelling;
  readonly forms: readonly string[];
  /** What one may begin with where that is not escaped: one character, and two, as {@link pairOf}. */
  readonly begins: ReadonlySet<number>;
}

function shelvesOf(keys: readonly KeyForms[]): readonly Shelf[] {
  const texts = keys.flatMap((key) => key.texts.map(withRuns));
  const words = keys.flatMap((key) => key.words);
  const lists = keys.map(({ codes }) => String.fromCharCode(...codes));
  const begins = keys.flatMap(({ codes: [code = 0] }) => [
    code.toString(16),
    ...[`${code}`, `0${code}`, '00'],
  ]);
  return [
    shelfOf(TEXT, texts),
    shelfOf(WORD, words),
    shelfOf(HEX, lists, begins),
    shelfOf(DECIMAL, lists, begins),
  ];
}

function shelfOf(spelling: Spelling, given: readonly string[], begins = given): Shelf {
  const forms = [...new Set(given.map((form) => form.toLowerCase()))].sort();
  const pairs = begins.map((begin) => pairOf(begin, 0));
  return { spelling, forms, begins: new Set([...pairs, ...pairs.map((pair) => pair >> 16)]) };
}

/** Of two characters, in lower case; of the first one alone where there is no other. */
function pairOf(text: string, at: number): number {
  return (folded(text.charCodeAt(at)) << 16) | folded(text.charCodeAt(at + 1));
}

/** What may stand for a character of a form, or between two of them, beside the character itself. */
const MARKS = new Set([
  NUL,
  LINE_FEED,
  CARRIAGE_RETURN,
  ...INTRODUCERS.map((each) => each.charCodeAt(0)),
]);

/** JSON doubles backslashes at each nesting, so those of a key are one character, for a run of so many or more. */
function withRuns(text: string): string {
  return text.replaceAll(/\\+/g, (run) => String.fromCharCode(RUN + run.length));
}

interface Place {
  readonly text: string;
  readonly at: number;
  readonly effort: Effort;
}

/** Those forms of a shelf, side by side, that have so many characters in common. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

interface Branch extends Range {
  /** Where in the text these characters may end. */
  readonly places: number[];
}

/** Of the longest form that is at the place; 0 where there is none. */
function endOf(shelf: Shelf, { text, at, effort }: Place): number {
  let longest = 0;
  let branches: readonly Branch[] = [{ from: 0, to: shelf.forms.length, depth: 0, places: [at] }];
  while (branches.length > 0) {
    const next: Branch[] = [];
    for (const branch of branches) {
      goOn(shelf, branch, { text, effort }, next);
      if (effort.left < 0) return text.length;
    }
    for (const { from, depth, places } of next) {
      if (shelf.forms[from]?.length !== depth) continue;
      for (const place of places) longest = Math.max(longest, place);
    }
    branches = next;
  }
  return longest;
}

/** The same with one character more, into `next`. */
function goOn(
  { spelling, forms }: Shelf,
  branch: Branch,
  { text, effort }: Omit<Place, 'at'>,
  next: Branch[],
): void {
  const { depth, places } = branch;
  const previous = codeIn(forms[branch.from], depth - 1);
  const runs = runsIn(forms, branch);
  // Nearly always there is one.
  for (const place of places.length > 1 ? [...new Set(places)] : places) {
    if (depth > 0) effort.left--;
    for (const start of depth > 0 ? spelling.gap(text, place, previous) : places) {
      // A run of line breaks is read to its end from each place where a form may begin.
      effort.left -= start - place;
      for (const { code, end } of spelling.read(text, start, previous)) {
        if (code > NUL && code < RUN) add(forms, branch, next, [folded(code), end]);
      }
      for (const run of runs) {
        const ends = runEnds({ text, at: start, effort }, run - RUN);
        for (const end of ends) add(forms, branch, next, [run, end]);
      }
    }
  }
}

function add(
  forms: readonly string[],
  branch: Branch,
  next: Branch[],
  [code, end]: readonly [number, number],
): void {
  const { depth } = branch;
  const from = firstFrom(forms, branch, code);
  if (from === branch.to || codeIn(forms[from], depth) !== code) return;
  const known = next.find((each) => each.from === from);
  if (known !== undefined) known.places.push(end);
  else next.push({ from, to: firstFrom(forms, branch, code + 1), depth: depth + 1, places: [end] });
}

/** The first one whose next character is `code` or a later one. */
function firstFrom(forms: readonly string[], { from, to, depth }: Range, code: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codeIn(forms[middle], depth) < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** -1 behind the end, since a shorter one comes first. */
function codeIn(form: string | undefined, at: number): number {
  const code = form?.charCodeAt(at) ?? -1;
  return code >= 0 ? code : -1;
}

/** The runs of backslashes with which they may go on. */
function runsIn(forms: readonly string[], { from, to, depth }: Range): readonly number[] {
  // They come last, and most keys have none.
  if (codeIn(forms[to - 1], depth) < RUN) return [];
  const codes = forms.slice(from, to).map((form) => codeIn(form, depth));
  return [...new Set(codes)].filter((code) => code >= RUN);
}

/** Where a run of so many backslashes of a key may end. */
function runEnds({ text, at, effort }: Place, length: number): readonly number[] {
  const end = endOfBackslashes(text, at);
  const plainEnds = end - at >= length ? [end] : [];
  // One by one: as an escape, or a run that ends before the other half of UTF-16.
  let places: readonly number[] = [at];
  for (let index = 0; index < length && effort.left >= 0; index++) {
    effort.left -= places.length;
    const starts = index === 0 ? places : places.flatMap((each) => textGap(text, each, RUN));
    places = [...new Set(starts.flatMap((start) => backslashEnds(text, start)))];
  }
  return [...plainEnds, ...places.map((place) => endOfBackslashes(text, place))];
}

function backslashEnds(text: string, at: number): readonly number[] {
  const end = endOfBackslashes(text, at);
  const escaped = readingsAt(text, at).filter(({ code }) => code === BACKSLASH);
  const ends = escaped.map((each) => each.end);
  return end > at ? [end, ...ends] : ends;
}
