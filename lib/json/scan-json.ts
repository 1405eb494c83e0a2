import { scalarEnd, stringEnd } from './json-scalar.ts';
import {
  CARRIAGE_RETURN,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  NONE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TAB,
  WRONG,
} from './json-tokens.ts';

/** An array that is not inside another one. */
export interface List {
  /** Of its opening bracket. */
  readonly start: number;
  /** After its closing bracket. */
  readonly end: number;
  /** Where the commas between its elements are; absent when the text has more than are noted. */
  readonly commas?: readonly number[];
  /** Whether there is white space between its tokens. */
  readonly hasSpace: boolean;
}

/** Lists by their `start`, in the order of the text; where there are very many, the first ones. */
export type Lists = ReadonlyMap<number, List>;

/**
 * Deeper texts are refused, as RFC 8259 section 9 allows: many parsers end at this depth (Jackson's default), and
 * some overflow their stack.
 */
export const MAX_NESTING = 1_000;
/** What is noted of a text has a bound too: two bytes of it are enough for a comma, and seven for a list. */
const MAX_COMMAS = 100_000;
const MAX_LISTS = 1_000;

/**
 * Checks a JSON text and notes where its lists are, in one pass over its bytes. It accepts what
 * `JSON.parse` accepts (RFC 8259; a test compares them), but sooner, as it makes no value that would only be
 * thrown away.
 *
 * @param bytes Valid UTF-8.
 * @returns `undefined` if the text is not JSON; `too-deep` if it is nested deeper than {@link MAX_NESTING}.
 */
export function scanJson(bytes: Uint8Array): Lists | 'too-deep' | undefined {
  const notes = new ListNotes();
  /** The closing bracket of what is open, and those around it, outermost first. */
  let close = NONE;
  const around: number[] = [];
  let depth = 0;
  /** Of the list that is being noted. */
  let listDepth = NONE;
  let at = afterSpaces(notes, bytes, 0);
  // Each round reads a value, and what follows it up to the next one.
  while (at !== WRONG && at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (depth === MAX_NESTING) return 'too-deep';
      around.push(close);
      close = byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
      depth++;
      if (byte === OPEN_ARRAY && listDepth === NONE) {
        listDepth = depth;
        notes.open(at);
      }
      at = afterSpaces(notes, bytes, at + 1);
      if (at === WRONG) return undefined;
      if (bytes[at] !== close) {
        if (close === CLOSE_OBJECT) at = valueAfterName(bytes, at, notes);
        continue;
      }
    } else at = scalarEnd(bytes, at);
    if (at === WRONG) return undefined;
    for (;;) {
      if (at === bytes.length) return close === NONE ? notes.lists : undefined;
      const next = bytes[at] ?? 0;
      if (next === COMMA) {
        if (close === NONE) return undefined;
        if (depth === listDepth) notes.comma(at);
        at = afterSpaces(notes, bytes, at + 1);
        if (close === CLOSE_OBJECT) at = valueAfterName(bytes, at, notes);
        break;
      }
      if (next <= SPACE) {
        at = notes.spaceEnd(bytes, at);
        if (at === WRONG) return undefined;
        continue;
      }
      if (next !== close) return undefined;
      at++;
      if (depth === listDepth) {
        notes.close(at);
        listDepth = NONE;
      }
      close = around.pop() ?? NONE;
      depth--;
    }
  }
  return undefined;
}

/** Where the value begins of the member whose name is to begin at `start`. */
function valueAfterName(bytes: Uint8Array, start: number, notes: ListNotes): number {
  if (bytes[start] !== QUOTE) return WRONG;
  const end = stringEnd(bytes, start);
  const colon = end === WRONG ? WRONG : afterSpaces(notes, bytes, end);
  return bytes[colon] === COLON ? afterSpaces(notes, bytes, colon + 1) : WRONG;
}

/** Nearly always there is none. */
function afterSpaces(notes: ListNotes, bytes: Uint8Array, start: number): number {
  const isSpace = start < bytes.length && (bytes[start] ?? 0) <= SPACE;
  return isSpace ? notes.spaceEnd(bytes, start) : start;
}

/** Notes the lists of a text that is being read. */
class ListNotes {
  readonly lists = new Map<number, List>();
  #start = 0;
  #commas: number[] = [];
  #commasSeen = 0;
  #spaces = 0;
  #spacesBefore = 0;

  open(start: number): void {
    this.#start = start;
    this.#commas = [];
    this.#spacesBefore = this.#spaces;
  }

  comma(at: number): void {
    if (this.#commasSeen++ < MAX_COMMAS) this.#commas.push(at);
  }

  close(end: number): void {
    const list = { start: this.#start, end, hasSpace: this.#spaces > this.#spacesBefore };
    const isNoted = this.#commasSeen <= MAX_COMMAS;
    if (this.lists.size < MAX_LISTS) {
      this.lists.set(this.#start, isNoted ? { ...list, commas: this.#commas } : list);
    }
  }

  /** After white space from `start` on, which is counted; {@link WRONG} where there is another character below it. */
  spaceEnd(bytes: Uint8Array, start: number): number {
    let at = start;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (byte > SPACE) return at;
      if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) {
        return WRONG;
      }
      this.#spaces++;
      at++;
    }
    return at;
  }
}
