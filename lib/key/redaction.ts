import { type ApiKey, REDACTED, revealKey } from './api-key.ts';

/**
 * Shorter keys turn up in customer data by chance, so an answer is not accused of echoing them.
 * Their plain form is redacted all the same.
 */
const SHORTEST_KEY_TO_DETECT = 8;

/** Replaces keys in text. */
export type Redact = (text: string) => string;

/**
 * Makes a function that replaces every occurrence of the given keys: plain, JSON-escaped (also nested),
 * percent-encoded (also twice), HTML-escaped, base64 and base64url (also inside a longer encoded
 * text), hex (also spaced as `util.inspect` shows a Buffer) and as a list of byte numbers.
 */
export function redactorOf(keys: readonly ApiKey[]): Redact {
  if (keys.length === 0) return (text) => text;
  const known = keys.map(traceOf).sort((a, b) => b.length - a.length);
  let latest: { readonly found: readonly KeyTrace[]; readonly pattern: RegExp } | undefined;
  return (text) => {
    const found = tracesIn(text, known);
    if (found.length === 0) return text;
    const isSame =
      latest?.found.length === found.length &&
      found.every((trace, index) => trace === latest?.found[index]);
    if (latest === undefined || !isSame) {
      const forms = found.flatMap(({ patterns }) => patterns());
      latest = { found, pattern: new RegExp(forms.join('|'), 'g') };
    }
    return text.replace(latest.pattern, REDACTED);
  };
}

/**
 * Shows at little cost that a text cannot hold a key in any form. A process may know the keys of thousands of
 * connections, whose patterns would take too long to compile and too much memory.
 */
interface KeyTrace {
  /** Of the key, in characters. */
  readonly length: number;
  /** The longest run of letters and digits: in a text without escapes it is there as it is. */
  readonly word: string;
  readonly base64: readonly string[];
  /** Small letters without a separator. */
  readonly hex: string;
  /** With commas and no space. */
  readonly numbers: string;
  /** In the order in which they are tried. */
  readonly patterns: () => readonly string[];
}

const traces = new WeakMap<ApiKey, KeyTrace>();

function traceOf(key: ApiKey): KeyTrace {
  const known = traces.get(key);
  if (known !== undefined) return known;
  const value = revealKey(key);
  const bytes = Buffer.from(value);
  let patterns: readonly string[] | undefined;
  const trace: KeyTrace = {
    length: value.length,
    word: longestWord(value),
    base64: base64FormsOf(value),
    hex: bytes.toString('hex'),
    numbers: bytes.join(','),
    patterns: () => {
      patterns ??= patternsOf(value);
      return patterns;
    },
  };
  traces.set(key, trace);
  return trace;
}

/** The keys that the text may hold; all that it does hold are among them. */
function tracesIn(text: string, known: readonly KeyTrace[]): readonly KeyTrace[] {
  const plain = withoutEscapes(text);
  const dense = text.replace(/\s/g, '');
  const digits = dense.replace(/[:,-]/g, '').toLowerCase();
  return known.filter(
    ({ word, base64, hex, numbers }) =>
      text.includes(word) ||
      // In a key such as a%41b, what looks like an escape would be undone too.
      plain.includes(word) ||
      digits.includes(hex) ||
      dense.includes(numbers) ||
      base64.some((form) => text.includes(form)),
  );
}

/** The escapes of ASCII characters that {@link textPatternOf} knows, undone. */
function withoutEscapes(text: string): string {
  const undone = (_: string, ...[hex = '', percent = '', decimal = '', entity = '']: string[]) =>
    String.fromCharCode(
      decimal === '' ? Number.parseInt(hex || percent || entity, 16) : Number(decimal),
    );
  return text.replace(
    // From the beginning of a run of backslashes alone, so that a text of them takes linear time.
    /(?<!\\)\\+u00([2-7][\da-f])|%(?:25)*([2-7][\da-f])|&#0*(\d{2,3});|&#x0*([2-7][\da-f]);/gi,
    undone,
  );
}

/** Makes a test for the presence of a key, in the same forms as {@link redactorOf}, in received bytes. */
export function keyDetectorOf(key: ApiKey): (bytes: Uint8Array) => boolean {
  const value = revealKey(key);
  if (value.length < SHORTEST_KEY_TO_DETECT) return () => false;
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const proofs = [hex, hex.toUpperCase()].map((form) => Buffer.from(form));
  // What no encoder changes: every other form holds the longest run of letters and digits as it is, or is
  // base64, a list of byte numbers, or escapes ASCII. Only then the slow search is worth it.
  const signs = [
    fromRarest(longestWord(value)),
    ...base64FormsOf(value),
    `${bytes[0]},${bytes[1]}`,
    hex.replace(/^(..)(..).*$/, '$1 $2'),
  ].map((sign) => Buffer.from(sign));
  const anyForm = new RegExp(patternsOf(value).join('|'));
  return (received) => {
    const buffer = Buffer.from(received.buffer, received.byteOffset, received.byteLength);
    const holds = (sign: Buffer) => buffer.includes(sign);
    if (proofs.some(holds)) return true;
    const mayHold = signs.some(holds) || (holds(ANY_ESCAPE) && ASCII_ESCAPES.some(holds));
    return mayHold && anyForm.test(buffer.toString());
  };
}

/** The beginnings of `\u0020` to `\u007f`: .NET, for one, writes + as `\u002B`. */
const ASCII_ESCAPES = ['2', '3', '4', '5', '6', '7'].map((digit) => Buffer.from(`\\u00${digit}`));
const ANY_ESCAPE = Buffer.from('\\u00');

/** Shorter words turn up in any text, and each costs the slow search. */
const SHORTEST_SIGN = 6;
/** What JSON texts are full of comes first. */
const BY_FREQUENCY = 'eatnroisclud0mp1yg2hf3b5v4w8679kxzjq';

/**
 * The part of a word from its rarest character on: a search stops at each first character, so that one
 * for a word that begins with e takes much longer.
 */
function fromRarest(word: string): string {
  const starts = [...word.slice(0, Math.max(1, word.length - SHORTEST_SIGN + 1))];
  // Capital letters are not listed, and so the rarest.
  const rarity = starts.map((char) =>
    BY_FREQUENCY.includes(char) ? BY_FREQUENCY.indexOf(char) : BY_FREQUENCY.length,
  );
  return word.slice(rarity.indexOf(Math.max(...rarity)));
}

function longestWord(value: string): string {
  const words = value.match(/[A-Za-z0-9]+/g) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

function patternsOf(value: string): readonly string[] {
  // The encoded forms of a few characters are a part of any text; redacting those would only destroy it.
  if (value.length < SHORTEST_KEY_TO_DETECT) return [textPatternOf(value)];
  const bytes = [...Buffer.from(value)];
  return [
    ...base64FormsOf(value).map(quoted),
    bytes.map(hexPatternOf).join('[\\s:,-]?'),
    `\\b${bytes.join(',\\s*')}\\b`,
    textPatternOf(value),
  ];
}

/** Any mixture of plain characters and JSON, percent and HTML escapes. */
function textPatternOf(value: string): string {
  const runs = value.match(/\\+|[^\\]/g) ?? [];
  return runs
    .map((run, index) => {
      if (run.startsWith('\\')) return backslashPatternOf(run.length, index === 0);
      return characterPatternOf(run, before(runs[index - 1]));
    })
    .join('');
}

type Before = 'start' | 'backslashes' | 'character';

function before(run: string | undefined): Before {
  if (run === undefined) return 'start';
  return run.startsWith('\\') ? 'backslashes' : 'character';
}

// A match begins at the first backslash of a run and a run is taken by one quantifier, so that a text of
// backslashes takes linear time and not the square or cube of its length.
const RUN_BEGINS = '(?<!\\\\)';

/** JSON doubles backslashes at each nesting, so a run of n shows as n or more. */
function backslashPatternOf(length: number, isFirst: boolean): string {
  const escaped = `(?:${percentPatternOf('\\')}|${isFirst ? RUN_BEGINS : ''}\\\\+u005[cC]){${length}}\\\\*`;
  return `(?:${isFirst ? RUN_BEGINS : ''}\\\\{${length},}|${escaped})`;
}

function characterPatternOf(char: string, previous: Before): string {
  const code = char.charCodeAt(0);
  const begin = previous === 'start' ? RUN_BEGINS : '';
  // Those after a run of backslashes in the key are already taken with the run.
  const [optional, required] = previous === 'backslashes' ? ['', ''] : ['\\\\*', '\\\\+'];
  const named = { '"': '&quot;', "'": '&apos;', '&': '&amp;', '<': '&lt;', '>': '&gt;' }[char];
  const forms = [
    `${begin}${required}u00${hexPatternOf(code)}`,
    percentPatternOf(char),
    `&#(?:0*${code}|[xX]0*${hexPatternOf(code)});`,
    ...(named === undefined ? [] : [named]),
    // JSON puts backslashes before these; before any other character they would be part of the text.
    /["/]/.test(char) ? `${begin}${optional}${quoted(char)}` : quoted(char),
  ];
  return `(?:${forms.join('|')})`;
}

function percentPatternOf(char: string): string {
  return `%(?:25)*${hexPatternOf(char.charCodeAt(0))}`;
}

function hexPatternOf(byte: number): string {
  return [...byte.toString(16).padStart(2, '0')]
    .map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit))
    .join('');
}

/**
 * The characters that encode only bytes of the value, for each of the three ways in which it can lie
 * in a longer base64 text (RFC 4648 section 4: three bytes make four characters).
 */
function base64FormsOf(value: string): readonly string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]).toString('base64');
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor(((offset + value.length) * 8) / 6);
    const core = encoded.slice(from, to);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...new Set(forms)];
}

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
