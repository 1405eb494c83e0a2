import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { keyDetectorOf, redactorOf } from '../../../lib/key/redaction.ts';
import { amountOf } from '../../deep/depth.ts';

/** What escapes a text, whatever escaped it before. */
const ENCODERS: readonly (readonly [name: string, encode: (text: string) => string])[] = [
  ['JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['JSON of PHP', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  ['JSON in ASCII', (text) => special(text, (code) => `\\u00${hex(code)}`)],
  ['JSON of Go', (text) => go(JSON.stringify(text).slice(1, -1))],
  ['each character in JSON', (text) => each(text, (code) => `\\u00${hex(code)}`)],
  ['URL', encodeURIComponent],
  ['URL in small letters', (text) => special(text, (code) => `%${hex(code)}`)],
  ['each character in a URL', (text) => each(text, (code) => `%${hex(code).toUpperCase()}`)],
  ['form', (text) => String(new URLSearchParams({ text })).slice('text='.length)],
  ['HTML, by names', (text) => special(text, (code) => HTML_NAMES[code] ?? `&#${code};`)],
  ['HTML, decimal', (text) => special(text, (code) => `&#${code};`)],
  ['HTML, hexadecimal', (text) => special(text, (code) => `&#x${hex(code)};`)],
  ['each character in HTML', (text) => each(text, (code) => `&#${code};`)],
  ['quoted-printable', (text) => quotedPrintable(text, 76, '\r\n')],
  ['quoted-printable in short lines', (text) => quotedPrintable(text, 9, '\n')],
];

/** What is made of the key itself, before anything escapes it. */
const FIRST: readonly (readonly [name: string, encode: (key: string, offset: string) => string])[] =
  [
    ['plain', (key) => key],
    ['base64', (key, offset) => Buffer.from(offset + key).toString('base64')],
    ['hexadecimal', (key) => Buffer.from(key).toString('hex')],
  ];

const keys = fc.string({
  minLength: 8,
  maxLength: 40,
  unit: fc.oneof(
    fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(...'/+=&"%\\'),
  ),
});
const surroundings = fc.string({ maxLength: 30, unit: fc.constantFrom(...'xyz .,:{}[]é日\n') });
const numRuns = amountOf({ short: 400, deep: 20_000 });

test('finds and removes a key that up to three encoders have escaped, one behind the other', () => {
  fc.assert(
    fc.property(
      keys,
      fc.constantFrom(...FIRST),
      fc.constantFrom('', 'a', 'ab'),
      fc.array(fc.constantFrom(...ENCODERS), { maxLength: 3 }),
      surroundings,
      surroundings,
      (key, [first, begin], offset, encoders, before, after) => {
        fc.pre(first === 'plain' || encoders.every(([name]) => !name.startsWith('each')));
        fc.pre(first === 'plain' || !encoders.some(([name]) => name.endsWith('short lines')));
        // Line breaks of one that another one has escaped are not read.
        fc.pre(encoders.filter(([name]) => name.startsWith('quoted')).length < 2);
        const form = encoders.reduce((text, [, encode]) => encode(text), begin(key, offset));
        const text = `${before} ${form} ${after}`;
        const names = [first, ...encoders.map(([name]) => name)];
        const isFound = keyDetectorOf(ApiKey.from(key))(text);
        const redacted = redactorOf([ApiKey.from(key)])(text);

        expect({ key, names, form, isFound }).toEqual({ key, names, form, isFound: true });
        expect(redacted).toContain('[redacted]');
        // Base64 of what is before or behind the key may stay, in up to two characters and what they are escaped as.
        if (first === 'plain') expect(redacted).toBe(`${before} [redacted] ${after}`);
      },
    ),
    { numRuns },
  );
});

/** Of a letter such as r, of which a backslash makes a line break. */
function escapedTwice(text: string): string {
  const inJson = [...text].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('');
  return [...inJson].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
}

test.each([
  ['a URL of JSON', '%5C%2F'],
  ['a URL of JSON in ASCII', '%5Cu002f'],
  ['HTML of a URL', '&#37;2F'],
  ['HTML, by names, of a URL', '&percnt;2F'],
  ['a URL of HTML', '%26%2347%3B'],
  ['a URL of HTML, its ampersand alone', '%26sol;'],
  ['quoted-printable of a URL', '=252F'],
  ['quoted-printable of a URL, where a line breaks', '=252=\r\nF'],
  ['a URL of quoted-printable', '%3D2F'],
  ['JSON of a URL', '\\u00252F'],
  ['HTML of JSON', '&#92;/'],
  ['HTML, by names, of JSON', '&bsol;/'],
  ['JSON of JSON', '\\u005c/'],
  ['JSON of HTML', '\\u0026#47;'],
  [
    'a URL, each character of it, of JSON of HTML with an escaped letter',
    escapedTwice('&percnt;2F'),
  ],
])('a slash as %s writes it is one', (_, written) => {
  const key = 'Zq7/Wm4/Tn9+Xb2/Lk5=Pd8';
  const text = `https://api.example/?state=${key.replaceAll('/', written)} behind`;

  expect(keyDetectorOf(ApiKey.from(key))(text)).toBe(true);
  expect(redactorOf([ApiKey.from(key)])(text)).toBe('https://api.example/?state=[redacted] behind');
});

test.each(['&#33', '&#x21'])(
  '%s ends before what is the key, and reads like an escaped digit or semicolon',
  (written) => {
    const key = '!=30!\\;!=3x!';
    const text = `id ${key.replaceAll('!', written)} behind`;

    expect(keyDetectorOf(ApiKey.from(key))(text)).toBe(true);
    expect(redactorOf([ApiKey.from(key)])(text)).toBe('id [redacted] behind');
  },
);

test('leaves a text without the key as it is, whatever encoders have escaped it', () => {
  const others = fc.string({ maxLength: 200, unit: fc.constantFrom(...'/+=&"%\\ab.:\n 0123') });
  fc.assert(
    fc.property(
      keys,
      others,
      fc.array(fc.constantFrom(...ENCODERS), { maxLength: 3 }),
      (key, other, encoders) => {
        const text = encoders.reduce((escaped, [, encode]) => encode(escaped), other);
        fc.pre(/[^/+=&"%\\ab.:0-9]/.test(key));

        expect(keyDetectorOf(ApiKey.from(key))(text)).toBe(false);
        expect(redactorOf([ApiKey.from(key)])(text)).toBe(text);
      },
    ),
    { numRuns },
  );
});

const HTML_NAMES: Readonly<Record<number, string>> = {
  ...{ 34: '&quot;', 37: '&percnt;', 38: '&amp;', 43: '&plus;', 47: '&sol;' },
  ...{ 59: '&semi;', 60: '&lt;', 61: '&equals;', 62: '&gt;', 92: '&bsol;' },
};

function special(text: string, write: (code: number) => string): string {
  return text.replaceAll(/[^a-z0-9]/gi, (char) => write(char.charCodeAt(0)));
}

function each(text: string, write: (code: number) => string): string {
  return [...text].map((char) => write(char.charCodeAt(0))).join('');
}

function hex(code: number): string {
  return code.toString(16).padStart(2, '0');
}

function go(text: string): string {
  return text.replaceAll(/[&<>]/g, (char) => `\\u00${hex(char.charCodeAt(0))}`);
}

/** As Python's `quopri` writes it: no line is longer, and none is broken inside an escape. */
function quotedPrintable(text: string, width: number, lineBreak: string): string {
  let line = '';
  let all = '';
  for (const char of text) {
    const isEscaped = char === '=' || char < ' ';
    const unit = isEscaped ? `=${hex(char.charCodeAt(0)).toUpperCase()}` : char;
    if (line.length + unit.length >= width) {
      all += `${line}=${lineBreak}`;
      line = '';
    }
    line += unit;
  }
  return all + line;
}
