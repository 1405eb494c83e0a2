import { FOLDED } from './fragment-search.ts';
import type { KeyForms } from './key-forms.ts';
import {
  beginIn,
  escapeSignsOf,
  fragmentsOf,
  isListIn,
  pairIn,
  type SearchedText,
  someRun,
} from './key-signs.ts';

/** The shortest fragment of a key of 8 characters has as many; of 6 bits each they fit into a number. */
const TAIL_LENGTH = 5;
const TAIL = 2 ** (6 * TAIL_LENGTH) - 1;
const ENDS = 2 ** 12 - 1;

/**
 * Which of many keys a text may hold, by the signs of `keySignsOf`: looked up by what the text has, so that it takes as
 * long with thousands of keys as with one. Only a long run of digits is looked through for each.
 */
export class KeyIndex<Key> {
  /** By the last bytes of a fragment: in them keys differ that begin alike. */
  readonly #byTail = new Map<number, Key[]>();
  /** 1 for the last two bytes of a tail: with few keys most of a text is passed over by these. */
  readonly #ends = new Uint8Array(ENDS + 1);
  /** By the signs of escapes. */
  readonly #byEscape = new Map<number, Key[]>();
  /** With their codes, by the number of these. */
  readonly #lists = new Map<number, Listed<Key>[]>();

  /** @param forms Of a key of 8 characters or more. */
  add(key: Key, forms: KeyForms): void {
    for (const fragment of fragmentsOf(forms)) {
      const tail = Buffer.from(fragment.slice(-TAIL_LENGTH)).reduce(withByte, 0);
      this.#ends[tail & ENDS] = 1;
      put(this.#byTail, tail, key);
    }
    for (const sign of escapeSignsOf(forms)) put(this.#byEscape, sign, key);
    put(this.#lists, forms.codes.length, { key, codes: forms.codes });
  }

  /** All keys that the text holds, and few others. */
  mayBeIn({ bytes, latin1, escapes }: SearchedText): ReadonlySet<Key> {
    const found = new Set<Key>();
    const note = (keys: readonly Key[] = []) => {
      for (const key of keys) found.add(key);
    };
    let tail = 0;
    for (let at = 0; at < bytes.length; at++) {
      tail = withByte(tail, bytes[at] ?? 0);
      if (this.#ends[tail & ENDS] === 1) note(this.#byTail.get(tail));
    }
    for (const sign of escapes()) {
      note(this.#byEscape.get(pairIn(sign)));
      note(this.#byEscape.get(beginIn(sign)));
    }
    for (const [length, listed] of this.#lists) {
      // Two hexadecimal digits each.
      someRun(bytes, 2 * length, (start, end) => {
        const run = latin1().slice(start, end).toLowerCase();
        for (const { key, codes } of listed) if (isListIn(run, codes)) found.add(key);
        return false;
      });
    }
    return found;
  }
}

interface Listed<Key> {
  readonly key: Key;
  readonly codes: readonly number[];
}

function withByte(tail: number, byte: number): number {
  return ((tail << 6) | (FOLDED[byte] ?? 0)) & TAIL;
}

function put<Value>(index: Map<number, Value[]>, at: number, value: Value): void {
  const values = index.get(at);
  if (values === undefined) index.set(at, [value]);
  else if (values.at(-1) !== value) values.push(value);
}
