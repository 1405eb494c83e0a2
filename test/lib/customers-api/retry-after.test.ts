import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseRetryAfter } from '../../../lib/customers-api/retry-after.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);

test.each([
  ['7', null, 7],
  ['+7', null, 7],
  ['007', null, 7],
  ['0', null, 1],
  ['-5', null, 1],
  ['1.5', null, 2],
  ['.2', null, 1],
  ['1e2', null, 100],
  [' 7 ', null, 7],
  ['1, 2', null, 2],
  ['3,9,5', null, 9],
  ['1e309', null, Number.MAX_SAFE_INTEGER],
  ['Infinity', null, Number.MAX_SAFE_INTEGER],
  ['9'.repeat(400), null, Number.MAX_SAFE_INTEGER],
  // The three forms of RFC 9110 section 5.6.7, without and with the answer's own date.
  ['Sat, 21 Nov 2026 12:00:07 GMT', null, 7],
  ['Saturday, 21-Nov-26 12:00:07 GMT', null, 7],
  ['Sat Nov 21 12:00:07 2026', null, 7],
  ['Sat Nov  7 12:00:07 2026', 'Sat Nov  7 12:00:00 2026', 7],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'Sat, 21 Nov 2026 11:55:00 GMT', 307],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'Sat, 21 Nov 2026 12:00:00 GMT', 7],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'not a date', 7],
  ['Sat, 21 Nov 2026 11:00:00 GMT', null, 1],
  ['Sat, 21 Nov 2026 12:00:07 GMT, 9', null, 9],
  ['5, Saturday, 21-Nov-26 12:00:07 GMT', null, 7],
  // Over 50 years ahead: the century before (RFC 9110 section 5.6.7).
  ['Friday, 01-Jan-99 00:00:00 GMT', null, 1],
  ['', null, undefined],
  [null, null, undefined],
  ['soon', null, undefined],
  ['NaN', null, undefined],
  ['0x10', null, undefined],
  ['1 2', null, undefined],
  ['7s', null, undefined],
  ['2026-11-21T12:00:07Z', null, undefined],
  ['Sat, 31 Feb 2026 12:00:07 GMT', null, undefined],
  ['Sat, 21 Nov 2026 24:00:07 GMT', null, undefined],
  ['Sat, 21 Nov 2026 12:00:07 CET', null, undefined],
])('%j with Date %j asks to wait %s s', (value, date, seconds) => {
  expect(parseRetryAfter(value, date, now)).toBe(seconds);
});

test('gives a whole number of at least 1 second or nothing, for any text', () => {
  const pieces = fc.constantFrom(
    '1',
    '-',
    '.',
    'e',
    ',',
    ' ',
    'GMT',
    'Sat, 21 Nov 2026 12:00:07 GMT',
    '9'.repeat(30),
    'Inf',
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(pieces).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, fc.option(texts), fc.nat(2 ** 42), (value, date, nowMs) => {
      const seconds = parseRetryAfter(value, date, nowMs);
      expect(seconds === undefined || (Number.isSafeInteger(seconds) && seconds >= 1)).toBe(true);
    }),
  );
});

test('is never early: the wait covers the number or the date that was sent', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (seconds) => {
      expect(parseRetryAfter(String(seconds), null, now)).toBeGreaterThanOrEqual(seconds);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(999), (seconds, ms) => {
      const until = new Date(now + seconds * 1000);
      const waitSeconds = parseRetryAfter(until.toUTCString(), null, now + ms) ?? 0;
      expect(now + ms + waitSeconds * 1000).toBeGreaterThanOrEqual(until.getTime());
    }),
  );
});
