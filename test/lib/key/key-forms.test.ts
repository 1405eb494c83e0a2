import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomBelow, randomOf } from '../../../infra/simulator/random.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { keyDetectorOf, redactorOf } from '../../../lib/key/redaction.ts';
import { amountOf } from '../../deep/depth.ts';

type Write = (key: string, draw: Draw) => string;
type Draw = <T>(choices: readonly [T, ...T[]]) => T;

const numRuns = amountOf({ short: 12, deep: 2_000 });

/** Every form, written by other means than those that look for it. */
const FORMS: readonly (readonly [name: string, Write])[] = [
  ['plain', (key) => key],
  ['capital letters', (key) => key.toUpperCase()],
  ['small letters', (key) => key.toLowerCase()],
  ['backwards', (key) => backwards(key)],
  ['JSON', (key) => json(key)],
  ['JSON, nested', (key) => json(json(json(key)))],
  ['JSON, backwards', (key) => json(backwards(key))],
  ['JSON with escaped slashes', (key) => json(key).replaceAll('/', '\\/')],
  ['JSON in unicode escapes', (key) => each(key, (code) => `\\u00${hex(code)}`)],
  ['JSON in unicode escapes, nested', (key) => json(each(key, (code) => `\\u00${hex(code)}`))],
  ['JavaScript', (key, draw) => each(key, (code) => `${draw(['\\x', '\\u00'])}${hex(code)}`)],
  ['code points', (key) => each(key, (code) => `\\u{${code.toString(16)}}`)],
  ['JavaScript, octal', (key) => punctuation(key, (code) => `\\${octal(code)}`)],
  ['JavaScript, octal, each character', (key) => each(key, (code) => `\\${octal(code)}`)],
  ['JavaScript and Markdown, by backslashes alone', (key) => key.replaceAll(/[^a-z0-9]/gi, '\\$&')],
  ['a template literal', (key) => key.replaceAll(/[`$\\]/g, '\\$&')],
  ['the same in JSON', (key) => json(key.replaceAll(/[^a-z0-9]/gi, '\\$&'))],
  ['URL component', (key) => encodeURIComponent(key)],
  ['URL component, encoded again', (key) => encodeURIComponent(encodeURIComponent(key))],
  ['form', (key) => String(new URLSearchParams({ key }))],
  ['URL, each character', (key) => each(key, (code) => `%${hex(code)}`)],
  ['URL, each character again', (key) => each(key, (code) => `%2525${hex(code).toUpperCase()}`)],
  ['URL in unicode escapes', (key) => each(key, (code) => `%u00${hex(code)}`)],
  ['HTML, by names', (key) => punctuation(key, (code) => HTML_NAMES[code] ?? `&#${code};`)],
  [
    'HTML without semicolons',
    (key) => key.replaceAll(/[^a-z0-9;](?![a-f0-9;])/gi, (char) => `&#${char.charCodeAt(0)}`),
  ],
  [
    'HTML, its oldest names without semicolons',
    (key) => html(key).replaceAll(/&(\w+);(?!;)/g, '&$1'),
  ],
  ['HTML', (key) => html(key)],
  ['HTML, encoded again', (key) => html(html(key))],
  ['HTML, decimal', (key) => each(key, (code) => `&#${code};`)],
  ['HTML, hexadecimal', (key) => each(key, (code) => `&#x00${hex(code)};`)],
  ['quoted-printable', (key) => quotedPrintable(key, 76, '\r\n')],
  ['quoted-printable in short lines', (key) => quotedPrintable(key, 20, '\n')],
  ['quoted-printable in JSON', (key) => json(quotedPrintable(key, 30, '\r\n'))],
  ['a mixture of escapes', (key, draw) => each(key, (code) => draw(escapesOf(code)))],
  [
    'a few escapes',
    (key, draw) => {
      const index = draw([0, 1, 3, 7]);
      const escaped = draw(escapesOf(key.charCodeAt(index)));
      // A backslash before it would make it something else.
      const free = key.replaceAll('\\', '%5c');
      return free.length === key.length
        ? key.slice(0, index) + escaped + key.slice(index + 1)
        : free;
    },
  ],
  ['base64', (key, draw) => base64(around(key, draw))],
  ['base64url', (key, draw) => around(key, draw).toString('base64url')],
  ['base64 in JSON', (key, draw) => json(base64(around(key, draw))).replaceAll('/', '\\/')],
  ['base64 in a URL', (key, draw) => encodeURIComponent(base64(around(key, draw)))],
  ['base64 in lines', (key, draw) => lines(base64(around(key, draw)), 76, '\r\n')],
  [
    'base64 in lines that break anywhere in it',
    (key, draw) => {
      const before = 'x'.repeat(draw([54, ...Array(57).keys()]));
      return lines(base64(Buffer.from(before + key)), 76, '\r\n');
    },
  ],
  [
    'base64 in lines of 64 in JSON',
    (key, draw) => json(lines(base64(around(key, draw)), 64, '\n')),
  ],
  ['base64 of UTF-16', (key, draw) => base64(Buffer.from(`${draw(['', 'a'])}${key}`, 'utf16le'))],
  ['base64 of big-endian UTF-16', (key) => base64(Buffer.from(key, 'utf16le').swap16())],
  ['base32', (key, draw) => base32(around(key, draw))],
  ['base32 in small letters', (key, draw) => base32(around(key, draw)).toLowerCase()],
  ['hex', (key) => Buffer.from(key).toString('hex')],
  ['hex in capitals', (key) => Buffer.from(key).toString('hex').toUpperCase()],
  ['hex with separators', (key, draw) => bytes(key).map(hex).join(draw(HEX_SEPARATORS))],
  ['hex in JSON', (key) => json(bytes(key).map(hex))],
  [
    'hex in groups',
    (key) =>
      (
        Buffer.from(key)
          .toString('hex')
          .match(/.{1,4}/g) ?? []
      ).join(' '),
  ],
  ['hex of UTF-16', (key) => Buffer.from(key, 'utf16le').toString('hex')],
  ['numbers', (key, draw) => bytes(key).join(draw([',', ', ', ' ', ';', '\n', '-', '.', ' | ']))],
  ['numbers of UTF-16', (key) => [...Buffer.from(key, 'utf16le')].join(',')],
  [
    'numbers of three digits',
    (key) =>
      bytes(key)
        .map((code) => `${code}`.padStart(3, '0'))
        .join(' '),
  ],
  ['a Buffer in JSON', (key) => json(Buffer.from(key))],
  ['a Buffer in indented JSON', (key) => JSON.stringify({ a: [Buffer.from(key)] }, null, 4)],
  ['a Uint8Array in JSON', (key) => json(new Uint8Array(Buffer.from(key)))],
  [
    'a Uint8Array in indented JSON',
    (key) => JSON.stringify(new Uint8Array(Buffer.from(key)), null, 2),
  ],
  ['a Buffer as it is inspected', (key) => inspect(Buffer.from(key.slice(0, 50)))],
  ['UTF-16', (key) => Buffer.from(key, 'utf16le').toString('latin1')],
  ['big-endian UTF-16', (key) => Buffer.from(key, 'utf16le').swap16().toString('latin1')],
  ['UTF-16 in JSON', (key) => json([...key].join('\0'))],
  ['UTF-16 in a URL', (key) => encodeURIComponent([...key].join('\0'))],
];

const keys = fc.string({ minLength: 8, maxLength: 50, unit: 'binary-ascii' }).map(visible);
const contexts = fc.string({
  maxLength: 40,
  unit: fc.constantFrom(...'ab1 ,:"{}[]/.é日\\u0%&=;#'),
});

test.each(FORMS)('finds and removes every key in any text: %s', (_, write) => {
  fc.assert(
    fc.property(keys, contexts, contexts, fc.gen(), (text, before, after, draws) => {
      const draw: Draw = (choices) => draws(fc.constantFrom, ...choices);
      const form = write(text, draw);
      const all = `${before} ${form} ${after}`;
      const key = ApiKey.from(text);

      expect({ text, form, isFound: keyDetectorOf(key)(Buffer.from(all)) }).toEqual({
        text,
        form,
        isFound: true,
      });
      const redacted = redactorOf([key])(all);
      expect(redacted).toContain('[redacted]');
      expect(redacted).not.toContain(form);
    }),
    { numRuns },
  );
});

/** A key of 4,096 characters that repeats none of its parts: from each of them on, all that follow would be read again. */
const random = randomOf(1);
const ANY = Array.from({ length: 4_096 }, () => randomBelow(random, 94));
/** One that repeats itself 43 times, and nothing else. */
const AGAIN = Array.from({ length: 4_096 }, (_, index) => (index * 7_919 + index ** 2) % 94);
const LONG = [ANY, AGAIN].map((each) => String.fromCharCode(...each.map((code) => 0x21 + code)));

test.each(FORMS)('finds and removes a key of 4,096 characters: %s', (name, write) => {
  // util.inspect shows 50 bytes.
  const isCut = name === 'a Buffer as it is inspected';
  for (const text of LONG.slice(0, amountOf({ short: 1, deep: 2 }))) {
    const form = write(text, ([first]) => first);
    const key = ApiKey.from(text);

    expect(keyDetectorOf(key)(Buffer.from(form))).toBe(!isCut);
    expect(redactorOf([key])(form).length < form.length / 10).toBe(!isCut);
  }
});

test('finds nothing in texts of any kind without the key', () => {
  const texts = fc.oneof(
    fc.json(),
    contexts.map(encodeURIComponent).map((text) => `https://example.com/${text}?q=${text}#${text}`),
    fc.base64String(),
    contexts,
  );
  fc.assert(
    fc.property(keys, fc.array(texts), (key, parts) => {
      const text = parts.join(' ');
      fc.pre(!text.toLowerCase().includes(key.toLowerCase()));

      expect(keyDetectorOf(ApiKey.from(key))(Buffer.from(text))).toBe(false);
      expect(redactorOf([ApiKey.from(key)])(text)).toBe(text);
    }),
    { numRuns },
  );
});

const HEX_SEPARATORS = [' ', ':', '-', ',', ', ', '\\x', ', 0x', '\n', '","'] as const;

function visible(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, (char) =>
    String.fromCharCode(0x21 + (char.charCodeAt(0) % 94)),
  );
}

function escapesOf(code: number): readonly [string, ...string[]] {
  const digits = hex(code);
  return [
    `%${digits}`,
    `\\u00${digits}`,
    `\\x${digits}`,
    `&#${code};`,
    `&#x${digits};`,
    `=${digits}`,
    `\\${octal(code)}`,
    `%u00${digits}`,
    HTML_NAMES[code] ?? `&#x${digits};`,
  ];
}

const HTML_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries({
    ...{ '!': 'excl', '"': 'quot', '#': 'num', $: 'dollar', '%': 'percnt', '&': 'amp' },
    ...{ "'": 'apos', '(': 'lpar', ')': 'rpar', '*': 'ast', '+': 'plus', ',': 'comma' },
    ...{ '.': 'period', '/': 'sol', ':': 'colon', ';': 'semi', '<': 'lt', '=': 'equals' },
    ...{ '>': 'gt', '?': 'quest', '@': 'commat', '[': 'lbrack', '\\': 'bsol', ']': 'rsqb' },
    ...{ '^': 'Hat', _: 'lowbar', '`': 'grave', '{': 'lcub', '|': 'VerticalLine', '}': 'rbrace' },
  }).map(([character, name]) => [character.charCodeAt(0), `&${name};`]),
);

function octal(code: number): string {
  return code.toString(8).padStart(3, '0');
}

function bytes(key: string): readonly number[] {
  return [...Buffer.from(key)];
}

function each(key: string, write: (code: number) => string): string {
  return bytes(key).map(write).join('');
}

function punctuation(key: string, write: (code: number) => string): string {
  return key.replaceAll(/[^a-z0-9]/gi, (char) => write(char.charCodeAt(0)));
}

function hex(code: number): string {
  return code.toString(16).padStart(2, '0');
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function backwards(key: string): string {
  return [...key].reverse().join('');
}

function html(key: string): string {
  return key
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function quotedPrintable(key: string, width: number, lineBreak: string): string {
  const units = [...key].map((char) => (char === '=' ? '=3D' : char));
  let column = 0;
  return units
    .map((unit) => {
      const breaks = column + unit.length >= width;
      column = breaks ? unit.length : column + unit.length;
      return breaks ? `=${lineBreak}${unit}` : unit;
    })
    .join('');
}

/** The key inside something longer. */
function around(key: string, draw: Draw): Buffer {
  return Buffer.from(
    `${draw(['', ':', 'a:', 'abc', 'abcd', 'user:'])}${key}${draw(['', 'x', ':b', '\n'])}`,
  );
}

function base64(value: Buffer): string {
  return value.toString('base64');
}

function lines(text: string, width: number, lineBreak: string): string {
  return (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(lineBreak);
}

function base32(value: Buffer): string {
  const bits = [...value].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  const digits = groups.map((group) => {
    const index = Number.parseInt(group.padEnd(5, '0'), 2);
    return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(index);
  });
  return digits.join('').padEnd(Math.ceil(digits.length / 8) * 8, '=');
}
