import { expect, test } from '@jest/globals';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { type Reading, readingsAt, sourceOf } from '../../../lib/key/escapes.ts';
import { keyDetectorOf } from '../../../lib/key/redaction.ts';

test.each([
  ['a percent sign', '%', '25', '41', 'A'],
  ['an ampersand', '&', 'amp;', '#65;', 'A'],
])(
  '%s that was encoded a million times has no more readings than a key can be long',
  (...about) => {
    const [, sign, again, escaped, character] = about;
    const run = sign + again.repeat(1_000_000);
    const readings = readingsIn(Buffer.from(run + escaped));

    expect(readings.at(-1)).toEqual({
      code: character.charCodeAt(0),
      end: run.length + escaped.length,
    });
    expect(readings.at(-2)).toEqual({ code: sign.charCodeAt(0), end: run.length });
    expect(readings.length).toBeLessThan(4_100);
    expect(readingsIn(Buffer.from(run)).at(-1)).toEqual(readings.at(-2));
  },
);

test.each([
  ['%', '25'],
  ['&', 'amp;'],
])(
  'a key that looks as if %s was encoded often is found where it was encoded more often',
  (...of) => {
    const [sign, again] = of;
    const key = sign + again.repeat(50);
    const holdsKey = keyDetectorOf(ApiKey.from(key));

    expect(holdsKey(Buffer.from(sign + again.repeat(80)))).toBe(true);
    expect(holdsKey(Buffer.from(key.slice(0, -again.length)))).toBe(false);
  },
);

const NUL = '\0';

test.each([
  ['\\"', '"'],
  ["\\'", "'"],
  ['\\/', '/'],
  ['\\\\\\/', '/'],
  ['\\_', '_'],
  ['\\\\\\-', '-'],
  ['\\`', '`'],
  ['\\113', 'K'],
  ['\\41', '!'],
  ['\\060', '0'],
  ['\\000', NUL],
  ['\\0', NUL],
  ['\\x4b', 'K'],
  ['\\u004B', 'K'],
  ['\\u{4b}', 'K'],
  ['\\u{0000004b}', 'K'],
  ['%4B', 'K'],
  ['%252F', '/'],
  ['%u004b', 'K'],
  ['%25U004B', 'K'],
  ['=2F', '/'],
  ['&quot;', '"'],
  ['&APOS;', "'"],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&lt', '<'],
  ['&amp', '&'],
  ['&amp;amp', '&'],
  ['&lowbar;', '_'],
  ['&UnderBar;', '_'],
  ['&Hat;', '^'],
  ['&amp;sol;', '/'],
  ['&#75', 'K'],
  ['&#x4B', 'K'],
  ['&#75;', 'K'],
  ['&#x4b;', 'K'],
  ['&#X0004B;', 'K'],
  ['&amp;amp;lt;', '<'],
])('%s stands for %j, and ends there', (written, character) => {
  for (const text of [written, Buffer.from(written)]) {
    expect(readingsIn(text).at(-1)).toEqual({ code: character.charCodeAt(0), end: written.length });
  }
});

test.each([
  ...['\\u014b', '\\u1', '\\n', '\\8', '\\12', '\\400', '\\\n', '%u014b', '%u0'],
  ...['&#4b;', '&#;', '&euro;', '&sol', '&lowbars;', 'K'],
])('%s stands for no character that a key may have', (text) => {
  const codes = readingsIn(text).map(({ code }) => code);
  expect(codes.filter((code) => code > 0x20 && code < 0x7f)).toEqual([]);
});

test('a digit of a key behind the other half of UTF-16 is no part of its escape', () => {
  const text = JSON.stringify([...'key-00417'].join('\0')).replaceAll('\\u0000', '\\0');

  expect(keyDetectorOf(ApiKey.from('key-00417'))(text)).toBe(true);
  expect(keyDetectorOf(ApiKey.from('secret-key-12417'))('secret-key-\\012417')).toBe(true);
});

test.each(['=\n', '=\r\n', '=\\r\\n'])(
  'a key that goes on as if it broke the line is found behind a soft line break: %j',
  (softBreak) => {
    const [front, back] = ['secret-key', '\\n-1'];
    const isEscaped = softBreak.startsWith('=\\');
    const written = isEscaped ? JSON.stringify(back).slice(1, -1) : back;

    expect(keyDetectorOf(ApiKey.from(front + back))(`${front}${softBreak}${written}`)).toBe(true);
  },
);

function readingsIn(text: string | Buffer): readonly Reading[] {
  return readingsAt(sourceOf(text), 0);
}
