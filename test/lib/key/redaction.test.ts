import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { KeyRedactor, keyDetectorOf, redactorOf } from '../../../lib/key/redaction.ts';
import { isDeep } from '../../deep/depth.ts';

const value = 'Sk-live_9f8e7d6c5b4a/+="\\x&y';
const key = ApiKey.from(value);
const redact = redactorOf([key]);

const forms: readonly (readonly [string, string])[] = [
  ['plain', value],
  ['JSON', JSON.stringify({ key: value })],
  ['JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify({ key: value })))],
  ['JSON with escaped slashes', JSON.stringify(value).replaceAll('/', '\\/')],
  ['JSON with unicode escapes', [...value].map((c) => `\\u00${hexOf(c)}`).join('')],
  [
    'JSON with some unicode escapes',
    JSON.stringify(value).replace('+', '\\u002B').replace('&', '\\u0026'),
  ],
  ['URL component', encodeURIComponent(value)],
  [
    'URL with lower-case hex',
    encodeURIComponent(value).toLowerCase().replace('sk-live', 'Sk-live'),
  ],
  ['URL encoded twice', encodeURIComponent(encodeURIComponent(value))],
  ['form', new URLSearchParams({ key: value }).toString()],
  ['HTML', value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ['HTML numbers', value.replaceAll('"', '&#34;').replaceAll('&y', '&#x26;y')],
  ['base64', Buffer.from(value).toString('base64')],
  ['base64 after 1 byte', Buffer.from(`:${value}`).toString('base64')],
  ['base64 after 2 bytes', Buffer.from(`a:${value}:b`).toString('base64')],
  ['base64url', Buffer.from(value).toString('base64url')],
  ['hex', Buffer.from(value).toString('hex')],
  ['hex in capitals', Buffer.from(value).toString('hex').toUpperCase()],
  ['a Buffer as inspect shows it', inspect(Buffer.from(value))],
  ['a Buffer as JSON', JSON.stringify(Buffer.from(value))],
  ['codes of three digits', threeDigits(value, 'utf8')],
  ['codes over several lines, in JSON', JSON.stringify(inspect([...Buffer.from(value)]))],
  ['codes on a line each, in JSON', JSON.stringify(JSON.stringify(Buffer.from(value), null, '\t'))],
  ['hex over several lines, in JSON', JSON.stringify(linesOf(Buffer.from(value).toString('hex')))],
  ['codes of UTF-16 of three digits', threeDigits(value, 'utf16le')],
];

test.each(forms)('redacts the form: %s', (_, form) => {
  const redacted = redact(`before ${form} after`);

  expect(redacted).toContain('[redacted]');
  expect(redacted).toMatch(/^before .* after$/s);
  expect(leaks(redacted)).toEqual([]);
});

test.each(forms)('detects the form in an answer: %s', (_, form) => {
  // inspect shows the first bytes of a Buffer only.
  expect(keyDetectorOf(key)(Buffer.from(`{"a":"${form}"}`))).toBe(true);
});

test('detects a key as URLSearchParams writes it', () => {
  const special = 'abcd!efgh(ij)~kl';
  const link = `https://localhost/?${new URLSearchParams({ key: special })}`;

  expect(keyDetectorOf(ApiKey.from(special))(Buffer.from(link))).toBe(true);
});

test('leaves text without the key as it is', () => {
  const text = 'Sk-live_9f8e7d6c5b4 and \\\\\\\\ %2F [1, 2, 3]';

  expect(redact(text)).toBe(text);
  expect(keyDetectorOf(key)(Buffer.from(text))).toBe(false);
});

test('redacts several keys, one of which begins with the other', () => {
  const both = redactorOf([ApiKey.from('abcdefgh'), ApiKey.from('abcdefgh-longer')]);

  expect(both('1 abcdefgh-longer 2 abcdefgh 3')).toBe('1 [redacted] 2 [redacted] 3');
});

test('leaves nothing of a key that overlaps another one, or itself', () => {
  const both = redactorOf([ApiKey.from('abcd-efgh'), ApiKey.from('efgh-ijkl')]);

  expect(both('1 abcd-efgh-ijkl 2')).toBe('1 [redacted] 2');
  expect(both('1 abcd-efghgfe-dcba 2')).toBe('1 [redacted] 2');
  expect(redactorOf([ApiKey.from('abcabcab')])('1 abcabcabcab 2')).toBe('1 [redacted] 2');
});

test('detects and redacts every form of a key from 8 characters on', () => {
  const eight = ApiKey.from('abcd-123');
  const hex = Buffer.from('abcd-123').toString('hex');

  expect(keyDetectorOf(eight)(Buffer.from(`"${hex}"`))).toBe(true);
  expect(redactorOf([eight])(hex)).toBe('[redacted]');
});

test('redacts a short key in its plain form and accuses no answer of holding it', () => {
  const short = ApiKey.from('abc');

  expect(redactorOf([short])('xabcx')).toBe('x[redacted]x');
  expect(redactorOf([ApiKey.from('K')])('ok: Kk')).toBe('o[redacted]: [redacted][redacted]');
  expect(keyDetectorOf(short)(Buffer.from('xabcx'))).toBe(false);
  expect(keyDetectorOf(ApiKey.from('abcd-12'))(Buffer.from('abcd-12'))).toBe(false);
});

test.each(['ab%41cdefgh', '%20!!!!!!', 'a&#65;bcdefg', 'a&lt;bcdefg', 'a\\u0041bcdef'])(
  'redacts a key that looks as if it held an escape: %s',
  (text) => {
    const redactIt = redactorOf([ApiKey.from(text)]);

    expect(redactIt(`key ${text} end`)).toBe('key [redacted] end');
    expect(redactIt(encodeURIComponent(text))).toBe('[redacted]');
    expect(redactIt(text.replaceAll('&', '&amp;'))).toBe('[redacted]');
    expect(redactIt(JSON.stringify({ key: text }))).toBe('{"key":"[redacted]"}');
  },
);

test.each([`${'\\'.repeat(40)}x`, '\\secret-key-1', 'se\\"cret-key'])(
  'takes time in proportion to a text made to slow it down (%#)',
  (value) => {
    const slow = redactorOf([ApiKey.from(value)]);
    const text = '\\'.repeat(2_000_000);

    // Where each backslash were tried with each other one, this would be 10^12 steps.
    expect(slow(text)).toBe(text);
  },
);

test('passes over a run of line breaks so often at most, wherever a form may begin in it', () => {
  // Base64 of this key may begin with an N, as each of the line breaks ends.
  const own = 'Sk-live_9f8e7d6c5b4a3210';
  const run = '\\n'.repeat(200_000);

  // To the end from each of them, this would be 10^10 steps.
  expect(redactorOf([ApiKey.from(own)])(`${own}${run}`)).toMatch(/^\[redacted\]/);
});

test.each([
  ['plain', 'c', 'c'],
  ['as entities', 'c', '&#99;'],
  ['escaped', '\\', '\\u005c'],
  ['encoded', '%25', '%25'],
])(
  'counts as the key what is nearly one so often that to look for it would take too long, %s',
  (_, unit, form) => {
    const own = ApiKey.from(`${unit.repeat(1_000)}X`);
    const isKeyIn = keyDetectorOf(own);
    const endless = `begin ${form.repeat(2_000)}`;

    expect(isKeyIn(Buffer.from(endless))).toBe(true);
    // It looks in the same way, so one form is enough in `npm test`.
    if (isDeep || form === 'c') {
      expect(redactorOf([own])(endless)).toMatch(/^begin .*\[redacted\]$/s);
    }
    // Short ones are looked through to their end.
    expect(isKeyIn(Buffer.from(form.repeat(99)))).toBe(false);
  },
);

function threeDigits(text: string, encoding: BufferEncoding): string {
  return [...Buffer.from(text, encoding)].map((code) => `${code}`.padStart(3, '0')).join(' ');
}

function linesOf(text: string): string {
  return text.replaceAll(/.{20}/g, '$&\r\n');
}

function hexOf(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0');
}

/** Parts of the key of 8 characters or more that are still readable. */
function leaks(text: string): readonly string[] {
  const windows = Array.from({ length: value.length - 7 }, (_, at) => value.slice(at, at + 8));
  return windows.filter((part) => text.includes(part));
}

test('finds any of the keys that it knows, and none of fewer than 8 characters', () => {
  const redactor = new KeyRedactor();
  for (const key of ['canary-one-1', 'canary-two-2', 'short']) redactor.add(ApiKey.from(key));

  expect(redactor.holdsKey('{"note":"\u00fc canary-two-2"}')).toBe(true);
  expect(redactor.holdsKey(Buffer.from('canary-one-1').toString('base64'))).toBe(true);
  expect(redactor.holdsKey('canary-three, short')).toBe(false);
});

test('redacts each of many keys, in any form', () => {
  const values = Array.from({ length: 300 }, (_, index) =>
    createHash('sha256')
      .update(`${index}`)
      .digest('base64url')
      .slice(index % 20),
  );
  const redactAny = redactorOf(values.map(ApiKey.from));
  const found = values.filter((_, index) => index % 30 === 0);
  const forms = found.flatMap((value) => [
    value,
    [...value].map((char) => `\\u00${hexOf(char)}`).join(''),
    [...value].map((char) => `%${hexOf(char)}`).join(''),
    [...value].map(hexOf).join(':'),
    Buffer.from(`a${value}`).toString('base64'),
    JSON.stringify([...Buffer.from(value)]),
  ]);
  expect(forms.filter((form) => !redactAny(`a ${form} b`).includes('[redacted]'))).toEqual([]);
});

const ALIKE = Array.from(
  { length: 2_200 },
  (_, index) =>
    `key_live_${createHash('sha256').update(`${index}`).digest('base64url').slice(0, 32)}`,
);
const redactAlike = redactorOf(ALIKE.map(ApiKey.from));
const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index));

test.each([
  ['the first character that all share, escaped', '\\u006b'],
  ['what all share, backwards', 'evil_yek'],
  ['each character escaped behind each other', pairsOf(visible)],
  ['all their codes again and again', visible.map(hexOf).join('').repeat(45)],
])('looks for thousands of keys at once in a text made to slow that down: %s', (_, made) => {
  const [key = ''] = ALIKE.slice(1_234);
  const escaped = [...key].map((char) => `%${hexOf(char)}`).join('');

  // Where each key were looked for alone, this would take a minute and half a gigabyte.
  expect(redactAlike(`${made} ${key} ${escaped} ${made}`)).toBe(
    `${made} [redacted] [redacted] ${made}`,
  );
});

function pairsOf(characters: readonly string[]): string {
  const free = characters.filter((char) => !'\\%=&'.includes(char));
  return free.flatMap((one) => free.map((other) => `${one}%${hexOf(other)}`)).join('');
}
