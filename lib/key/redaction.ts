import { type ApiKey, REDACTED, revealKey } from './api-key.ts';
import { type KeyForms, keyFormsOf } from './key-forms.ts';
import { KeyIndex } from './key-index.ts';
import { type KeyMatcher, keyMatcherOf } from './key-matches.ts';
import { keySignsOf, type SearchedText, searchedText } from './key-signs.ts';

/**
 * Shorter keys turn up in customer data by chance, so an answer is not accused of echoing them, and their encoded
 * forms are a part of any text. Their plain and escaped forms are redacted all the same.
 */
export const SHORTEST_KEY_TO_DETECT = 8;

/** Replaces keys in text. */
export type Redact = (text: string) => string;

/** Makes a function that replaces every occurrence of the given keys, in all forms of `KeyForms`. */
export function redactorOf(keys: readonly ApiKey[]): Redact {
  const redactor = new KeyRedactor();
  for (const key of keys) redactor.add(key);
  return redactor.redact;
}

/** The same for keys that come one by one: a process may know those of thousands of connections. */
export class KeyRedactor {
  readonly #known = new Set<string>();
  readonly #index = new KeyIndex<KeyForms>();
  readonly #short: KeyForms[] = [];
  /** Of the latest key that a text may have held: ids of requests have signs of one, again and again. */
  #latest: { readonly key: KeyForms; readonly matcher: KeyMatcher } | undefined;

  /** One that is added again takes nothing more. */
  add(key: ApiKey): void {
    const value = revealKey(key);
    if (this.#known.has(value)) return;
    this.#known.add(value);
    if (value.length < SHORTEST_KEY_TO_DETECT) {
      this.#short.push({ texts: [value], words: [], codes: [] });
      return;
    }
    const forms = keyFormsOf(value);
    this.#index.add(forms, forms);
  }

  readonly redact: Redact = (text) => {
    const searched = searchedText(Buffer.from(text, 'latin1'));
    const keys = [...this.#index.mayBeIn(searched), ...this.#short];
    return keys.length === 0 ? text : redacted(text, this.#matcherOf(keys));
  };

  /** Whether a text holds one of at least 8 characters. */
  readonly holdsKey = (text: string): boolean => {
    const searched = searchedText(Buffer.from(text));
    const keys = [...this.#index.mayBeIn(searched)];
    return keys.length > 0 && isIn(searched.latin1(), this.#matcherOf(keys));
  };

  /** Those of thousands of keys together are too large to be kept. */
  #matcherOf(keys: readonly KeyForms[]): KeyMatcher {
    const [key] = keys;
    if (key === undefined || keys.length > 1) return keyMatcherOf(keys);
    if (this.#latest?.key === key) return this.#latest.matcher;
    const matcher = keyMatcherOf(keys);
    this.#latest = { key, matcher };
    return matcher;
  }
}

/** Whether a key is too short to be looked for, see {@link SHORTEST_KEY_TO_DETECT}. */
export function isShortKey(key: ApiKey): boolean {
  return revealKey(key).length < SHORTEST_KEY_TO_DETECT;
}

/** Makes a test for the presence of a key, in the same forms, in bytes or a text. */
export function keyDetectorOf(key: ApiKey): (content: Uint8Array | string) => boolean {
  if (isShortKey(key)) return () => false;
  return (content) => {
    const { mayBeIn, matcher } = traceOf(key);
    const text = searchedText(bytesOf(content));
    return mayBeIn(text) && isIn(text.latin1(), matcher);
  };
}

function bytesOf(content: Uint8Array | string): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  const { buffer, byteOffset, byteLength } = content;
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** What is known of a key: made when it is needed. */
interface KeyTrace {
  /** `false` only where no form of the key is. */
  readonly mayBeIn: (text: SearchedText) => boolean;
  readonly matcher: KeyMatcher;
}

const traces = new WeakMap<ApiKey, KeyTrace>();

function traceOf(key: ApiKey): KeyTrace {
  const known = traces.get(key);
  if (known !== undefined) return known;
  const forms = keyFormsOf(revealKey(key));
  const made = { mayBeIn: keySignsOf(forms), matcher: keyMatcherOf([forms]) };
  traces.set(key, made);
  return made;
}

function isIn(text: string, matcher: KeyMatcher): boolean {
  const endAt = matcher(text);
  for (let at = 0; at < text.length; at++) {
    if (endAt(at) !== undefined) return true;
  }
  return false;
}

/** At each place the longest match; what begins in one and ends behind it is taken with it. */
function redacted(text: string, matcher: KeyMatcher): string {
  const endAt = matcher(text);
  let result = '';
  let rest = 0;
  for (let at = 0; at < text.length; at++) {
    const end = endAt(at);
    if (end === undefined) continue;
    if (at >= rest) result += text.slice(rest, at) + REDACTED;
    rest = Math.max(rest, end);
  }
  return result + text.slice(rest);
}
