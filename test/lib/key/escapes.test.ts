import { expect, test } from '@jest/globals';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { readingsAt } from '../../../lib/key/escapes.ts';
import { keyDetectorOf } from '../../../lib/key/redaction.ts';

test.each([
  ['a percent sign', '%', '25', '41', 'A'],
  ['an ampersand', '&', 'amp;', '#65;', 'A'],
])(
  '%s that was encoded a million times has no more readings than a key can be long',
  (...about) => {
    const [, sign, again, escaped, character] = about;
    const run = sign + again.repeat(1_000_000);
    const readings = readingsAt(Buffer.from(run + escaped), 0);

    expect(readings[0]).toEqual({
      code: character.charCodeAt(0),
      end: run.length + escaped.length,
    });
    expect(readings[1]).toEqual({ code: sign.charCodeAt(0), end: run.length });
    expect(readings.length).toBeLessThan(2_050);
    expect(readingsAt(Buffer.from(run), 0)).toEqual(readings.slice(1));
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
  ['\\0', NUL],
  ['\\x4b', 'K'],
  ['\\u004B', 'K'],
  ['\\u{4b}', 'K'],
  ['\\u{0000004b}', 'K'],
  ['%4B', 'K'],
  ['%252F', '/'],
  ['=2F', '/'],
  ['&quot;', '"'],
  ['&APOS;', "'"],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&#75;', 'K'],
  ['&#x4b;', 'K'],
  ['&#X0004B;', 'K'],
  ['&amp;amp;lt;', '<'],
])('%s stands for %j, and ends there', (written, character) => {
  for (const text of [written, Buffer.from(written)]) {
    expect(readingsAt(text, 0)[0]).toEqual({ code: character.charCodeAt(0), end: written.length });
  }
});

test.each(['\\u014b', '\\u1', '&#4b;', '&#75', '&#;', '&euro;', 'K'])(
  '%s stands for no character that a key may have',
  (text) => {
    const codes = readingsAt(text, 0).map(({ code }) => code);
    expect(codes.filter((code) => code >= 0)).toEqual([]);
  },
);

test.each(['=\n', '=\r\n', '=\\r\\n'])(
  'a key that goes on as if it broke the line is found behind a soft line break: %j',
  (softBreak) => {
    const [front, back] = ['secret-key', '\\n-1'];
    const isEscaped = softBreak.startsWith('=\\');
    const written = isEscaped ? JSON.stringify(back).slice(1, -1) : back;

    expect(keyDetectorOf(ApiKey.from(front + back))(`${front}${softBreak}${written}`)).toBe(true);
  },
);
