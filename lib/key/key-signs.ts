import {
  BACKSLASH,
  CARRIAGE_RETURN,
  endOfBackslashes,
  folded,
  INTRODUCERS,
  LINE_FEED,
  MAX_DEPTH,
  NUL,
  type Reading,
  readingsAt,
  readingsBehind,
  SOFT_BREAK,
  type Source,
  sourceOf,
} from './escapes.ts';
import { fragmentSearch } from './fragment-search.ts';
import { type KeyForms, SPECIAL_IN_WORD } from './key-forms.ts';

/** A text, in what all keys ask of it. No form of a key has a character outside ASCII. */
export interface SearchedText {
  /** Made when it is first asked for: of a page it is as large as all other memory that reading it takes. */
  readonly latin1: () => string;
  readonly bytes: Uint8Array;
  /** The escaped characters that a key could hold, as {@link signOf}. */
  readonly escapes: () => readonly number[];
}

export function searchedText(bytes: Buffer): SearchedText {
  let text: string | undefined;
  let escapes: readonly number[] | undefined;
  const latin1 = () => {
    text ??= bytes.toString('latin1');
    return text;
  };
  return {
    latin1,
    bytes,
    escapes: () => {
      escapes ??= escapesIn(bytes);
      return escapes;
    },
  };
}

/**
 * Makes a test that shows at little cost that a text holds no form of a key (`false`), so that almost no text has to
 * be searched from each of its characters. Each page of a list passes here.
 *
 * A form without escapes is there as one of a few fixed fragments; one with an escape has a first escape, which
 * stands for a character of the key behind the character before it; and a list of codes is a long run of digits and
 * separators.
 */
export function keySignsOf(forms: KeyForms): (text: SearchedText) => boolean {
  const fragments = fragmentSearch(fragmentsOf(forms));
  const ofKey = escapeSignsOf(forms);
  const { codes } = forms;
  return ({ bytes, latin1, escapes }) =>
    fragments(bytes) ||
    escapes().some((sign) => ofKey.has(pairIn(sign)) || ofKey.has(beginIn(sign))) ||
    // Two hexadecimal digits each.
    someRun(bytes, 2 * codes.length, (start, end) =>
      isListIn(latin1().slice(start, end).toLowerCase(), codes),
    );
}

/** Whether the codes are there one behind the other, whatever is between them. */
export function isListIn(run: string, codes: readonly number[]): boolean {
  return [16, 10].some((radix) => {
    let end = 0;
    return codes.every((code) => {
      const at = run.indexOf(code.toString(radix), end);
      end = at + 2;
      return at >= 0;
    });
  });
}

/**
 * Of an escaped character in a text: itself, the one before it, and the one behind it, all as one number, whatever the
 * case of letters. What is no visible character is 0.
 */
function signOf(previous: number, code: number, next: number): number {
  return (folded(previous) << 16) | (folded(code) << 8) | folded(next);
}

/** In place of signs that were not read, since that would have taken too many steps: each key has it. */
const UNKNOWN = -1;

/** Within a key: the character before it, and itself. */
export function pairIn(sign: number): number {
  return sign >> 8;
}

/** Where a key begins: itself, and the one behind it. Links are full of `=73` and `%3D73`, which may stand for one character. */
export function beginIn(sign: number): number {
  return -2 - (sign & 0xffff);
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

function escapesIn(bytes: Buffer): readonly number[] {
  const found = new Set<number>();
  const source = sourceOf(bytes);
  for (const introducer of INTRODUCERS) {
    let end = 0;
    for (let at = bytes.indexOf(introducer); at !== -1; at = bytes.indexOf(introducer, end)) {
      const previous = bytes[at - 1] ?? 0;
      const add = ({ code, end: behind }: Reading) => {
        if (!isVisible(code) && code !== NUL) return;
        // From each of a run that is escaped the rest of it would be read.
        const isRead = !INTRODUCERS.includes(code);
        const next = isRead ? (bytes[behind] ?? 0) : 0;
        found.add(signOf(previous, code, isVisible(next) ? next : 0));
        for (const each of isRead ? readingsAt(source, behind) : []) {
          found.add(signOf(previous, code, isVisible(each.code) ? each.code : 0));
        }
      };
      if (introducer === BACKSLASH) found.add(signOf(previous, introducer, 0));
      end = introducer === BACKSLASH ? endOfBackslashes(bytes, at) : at + 1;
      for (const reading of readingsBehind(source, introducer, end)) {
        add(reading);
        if (reading.code === SOFT_BREAK) behindSoftBreak(source, reading.end).forEach(add);
        // What is inside a run of backslashes was read with it.
        if (reading.code === BACKSLASH) end = reading.end;
      }
    }
  }
  if (source.left < 0) found.add(UNKNOWN);
  return [...found];
}

/** What follows in a key behind a soft line break. Texts have such breaks too, so it is what stands there. */
function behindSoftBreak(
  source: Source<Buffer>,
  at: number,
  depth = MAX_DEPTH,
): readonly Reading[] {
  const code = source.text[at] ?? LINE_FEED;
  // A break of two characters, or the end of the text: no key goes on here.
  if (code === LINE_FEED || code === CARRIAGE_RETURN) return [];
  const behind = readingsAt(source, at).flatMap((each) => {
    if (each.code !== SOFT_BREAK) return [each];
    return depth === 1 ? [] : behindSoftBreak(source, each.end, depth - 1);
  });
  return [{ code, end: at + 1 }, ...behind];
}

/** A search does not become faster with longer ones. */
const MAX_FRAGMENT_LENGTH = 24;

/**
 * Two of each word: a line break, which comes every 60 characters or more, leaves one of them whole. A text is
 * broken by an escape only. From the end, since the keys of an API may all begin alike.
 */
export function fragmentsOf({ texts, words }: KeyForms): readonly string[] {
  const halves = words.flatMap((word) => {
    const length = Math.min(MAX_FRAGMENT_LENGTH, Math.floor(word.length / 2));
    return [word.slice(-2 * length, -length), word.slice(-length)];
  });
  const utf16 = texts.map((text) => [...text].join('\0'));
  return [...texts, ...utf16, ...halves].map((each) => each.slice(-MAX_FRAGMENT_LENGTH));
}

/** What {@link pairIn} or {@link beginIn} gives of a text with an escape in a form. */
export function escapeSignsOf({ texts, words }: KeyForms): ReadonlySet<number> {
  const signs = new Set([UNKNOWN]);
  const add = (form: string, index: number) => {
    const [previous, code, next] = [index - 1, index, index + 1].map((at) => form.charCodeAt(at));
    if (index > 0) signs.add(pairIn(signOf(previous ?? 0, code ?? 0, 0)));
    else for (const each of [next ?? 0, 0]) signs.add(beginIn(signOf(0, code ?? 0, each)));
  };
  for (const text of texts) {
    for (let index = 0; index < text.length; index++) add(text, index);
    signs.add(pairIn(signOf(text.charCodeAt(0), NUL, 0)));
  }
  for (const word of words) {
    for (let index = 0; index < word.length; index++) {
      if (SPECIAL_IN_WORD.test(word.charAt(index))) add(word, index);
    }
  }
  return signs;
}

/** 1 for what a list of codes is made of: digits, hexadecimal ones too, x, `\n`, `\r`, `\t`, and ASCII that is no letter. */
const IN_LIST = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 128 && !/[g-mo-qsu-wyz]/i.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Whether one of the runs of such bytes passes a test: they are found by looking at every `min`-th byte. */
export function someRun(
  bytes: Uint8Array,
  min: number,
  test: (start: number, end: number) => boolean,
): boolean {
  let start = 0;
  while (start + min <= bytes.length) {
    let back = start + min - 1;
    while (back >= start && IN_LIST[bytes[back] ?? 0] === 1) back--;
    if (back >= start) {
      start = back + 1;
      continue;
    }
    let end = start + min;
    while (end < bytes.length && IN_LIST[bytes[end] ?? 0] === 1) end++;
    if (test(start, end)) return true;
    start = end + 1;
  }
  return false;
}
