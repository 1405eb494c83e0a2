import {
  BACKSLASH,
  CARRIAGE_RETURN,
  endOfBackslashes,
  folded,
  INTRODUCERS,
  LINE_FEED,
  NUL,
  readingsAt,
  type Source,
  sourceOf,
} from './escapes.ts';
import type { KeyForms } from './key-forms.ts';
import { DECIMAL, HEX, RUN, type Spelling, TEXT, textGap, WORD } from './key-spellings.ts';

/**
 * Begins to look through a text, from the left: gives where an occurrence that begins at a place ends; `undefined` where
 * none begins.
 *
 * A text may be made of what is nearly a key that repeats itself, which would take hours. What comes when no
 * steps are left ({@link Source}) counts as the key.
 */
export type KeyMatcher = (text: string) => (at: number) => number | undefined;

/**
 * Makes a matcher for all forms of some keys. They are looked for together, by what they begin with: a text may be made
 * of what is nearly each of thousands of keys, which begin alike. It is no regular expression: one for all forms takes
 * seconds to compile, and the error for one that is too large shows a key.
 */
export function keyMatcherOf(keys: readonly KeyForms[]): KeyMatcher {
  // Nearly no text is searched, so they are made when they are needed.
  let shelves: readonly Shelf[] | undefined;
  return (text) => {
    const source = sourceOf(text);
    shelves ??= shelvesOf(keys);
    const all = shelves;
    let runEnd = 0;
    return (at) => {
      let longest = at;
      const pair = pairOf(text, at);
      const first = pair >> 16;
      const isAny = MARKS.has(first);
      if (isAny && at >= runEnd) runEnd = endOfRun(source, at);
      else if (isAny) {
        // A text of nothing but backslashes must not be tried from each of them.
        if (first === BACKSLASH) return undefined;
        source.last = { at, readings: [] };
      }
      const begin = MARKS.has(pair & 0xffff) ? first : pair;
      for (const shelf of all) {
        // At most places of a page, which has as many of them as bytes.
        if (!isAny && !shelf.begins.has(begin) && !shelf.begins.has(first << 16)) continue;
        longest = Math.max(longest, endOf(shelf, source, at));
      }
      return longest > at ? longest : undefined;
    };
  };
}

/** Of backslashes, as they are or escaped. */
function endOfRun(source: Source<string>, at: number): number {
  const escaped = readingsAt(source, at).findLast(({ code }) => code === BACKSLASH);
  return Math.max(endOfBackslashes(source.text, at), escaped?.end ?? at);
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
const MARKS = new Set([NUL, LINE_FEED, CARRIAGE_RETURN, ...INTRODUCERS]);

/** JSON doubles backslashes at each nesting, so those of a key are one character, for a run of so many or more. */
function withRuns(text: string): string {
  return text.replaceAll(/\\+/g, (run) => String.fromCharCode(RUN + run.length));
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
function endOf(shelf: Shelf, source: Source<string>, at: number): number {
  let longest = 0;
  let branches: readonly Branch[] = [{ from: 0, to: shelf.forms.length, depth: 0, places: [at] }];
  while (branches.length > 0) {
    const next: Branch[] = [];
    for (const branch of branches) {
      goOn(shelf, branch, source, next);
      if (source.left < 0) return source.text.length;
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
  source: Source<string>,
  next: Branch[],
): void {
  const { depth, places } = branch;
  const previous = codeIn(forms[branch.from], depth - 1);
  const runs = runsIn(forms, branch);
  // Nearly always there is one.
  for (const place of places.length > 1 ? [...new Set(places)] : places) {
    if (depth > 0) source.left--;
    for (const start of depth > 0 ? spelling.gap(source, place, previous) : places) {
      // A run of line breaks is read to its end from each place where a form may begin.
      source.left -= start - place;
      for (const { code, end } of spelling.read(source, start, previous)) {
        if (code > NUL && code < RUN) add(forms, branch, next, [folded(code), end]);
      }
      for (const run of runs) {
        const ends = runEnds(source, start, run - RUN);
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

/** Where a run of so many backslashes of a key, or more, may end. */
function runEnds(source: Source<string>, at: number, length: number): readonly number[] {
  // The most that end at each place: as they are, escaped, or with the other half of UTF-16 between them.
  const counts = new Map([[at, 0]]);
  const note = (end: number, count: number) =>
    counts.set(end, Math.max(count, counts.get(end) ?? 0));
  for (const [place, count] of counts) {
    if (source.left-- < 0) break;
    for (const start of place === at ? [at] : textGap(source, place, RUN)) {
      const end = endOfBackslashes(source.text, start);
      if (end > start) note(end, count + end - start);
      for (const reading of readingsAt(source, start)) {
        if (reading.code === BACKSLASH) note(reading.end, count + 1);
      }
    }
  }
  return [...counts].flatMap(([end, count]) => (count >= length ? [end] : []));
}
