import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseRetryAfter } from '../../../lib/customers-api/parse-retry-after.ts';
import { amountOf, tried } from '../../deep/depth.ts';

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
  // With a unit, and other lengths of time.
  ['7s', null, 7],
  ['7 s', null, 7],
  ['30 seconds', null, 30],
  ['500ms', null, 1],
  ['1500 ms', null, 2],
  ['1m30s', null, 90],
  ['6m0s', null, 360],
  ['1h2m3.5s', null, 3_724],
  ['2 hours', null, 7_200],
  ['1d', null, 86_400],
  ['"30"', null, 30],
  ['PT1M30S', null, 90],
  ['P1DT0.5S', null, 86_401],
  ['P1W', null, 604_800],
  ['P1M', null, 31 * 86_400],
  ['P1Y2M3DT4M', null, (366 + 2 * 31 + 3) * 86_400 + 240],
  // With anything around it, as sloppy gateways and people write it.
  ['1200;', null, 1_200],
  ['1200,', null, 1_200],
  ['1200 ;', null, 1_200],
  [';1200', null, 1_200],
  ['1200; comment=busy', null, 1_200],
  ['120;w=60', null, 120],
  ['1200.', null, 1_200],
  ['1200 s;', null, 1_200],
  ['1200 seconds.', null, 1_200],
  ['1200 Sekunden', null, 1_200],
  ["'1200'", null, 1_200],
  ['<1200>', null, 1_200],
  ['=1200', null, 1_200],
  ['delay=1200', null, 1_200],
  ['retry-after: 1200', null, 1_200],
  ['in 1200 seconds', null, 1_200],
  ['in 5 more minutes', null, 300],
  ['wait 1 hour and 30 min', null, 5_400],
  ['1 minute; 30 seconds', null, 90],
  ['7s 7m', null, 427],
  ['1e3 s', null, 1_000],
  ['0x10', null, 16],
  ['1w', null, 604_800],
  ['7y', null, 7 * 366 * 86_400],
  ['00:20:00', null, 1_200],
  ['1.00:20:00', null, 87_600],
  ['in 1200 s; Sat, 21 Nov 2026 12:00:07 GMT', null, 1_200],
  // Several values: the largest.
  ['1200, 1200', null, 1_200],
  ['1200 1200', null, 1_200],
  ['1 2', null, 2],
  ['30; 1200', null, 1_200],
  ['1200s, retry', null, 1_200],
  // Digits in groups.
  ['1,200 s', null, 1_200],
  ['1 200', null, 1_200],
  ["1'200;", null, 1_200],
  ['10,2000', null, 2_000],
  // Commas that may be part of the value.
  ['1,200', null, 1_200],
  ['2,5', null, 5],
  ['7,5', null, 8],
  ['1 minute, 30 seconds', null, 90],
  ['3s, 9s', null, 9],
  // An epoch time is a number of seconds by the RFC: never earlier than that.
  ['1795262407', null, 1_795_262_407],
  // The three forms of RFC 9110 section 5.6.7, without and with the answer's own date.
  ['Sat, 21 Nov 2026 12:00:07 GMT', null, 7],
  ['Saturday, 21-Nov-26 12:00:07 GMT', null, 7],
  ['Sat Nov 21 12:00:07 2026', null, 7],
  ['Sat Nov  7 12:00:07 2026', 'Sat Nov  7 12:00:00 2026', 7],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'Sat, 21 Nov 2026 11:55:00 GMT', 307],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'Sat, 21 Nov 2026 12:00:00 GMT', 7],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'Sat, 21 Nov 2026 14:00:00 GMT', 7],
  ['Sat, 21 Nov 2026 14:00:07 GMT', 'Sat, 21 Nov 2026 14:00:00 GMT', 7_207],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'not a date', 7],
  ['Sat, 21 Nov 2026 11:00:00 GMT', null, 1],
  ['Sat, 21 Nov 2026 12:00:07 GMT, 9', null, 9],
  ['5, Saturday, 21-Nov-26 12:00:07 GMT', null, 7],
  // As mails have them.
  ['Sat, 21 Nov 2026 12:00:07 +0000', null, 7],
  ['Sat, 21 Nov 2026 13:00:07 +0100', null, 7],
  ['7 Nov 2026 12:00:07 UTC', 'Sat Nov  7 12:00:00 2026', 7],
  // As cookies, JavaScript's Date and people write them.
  ['Saturday, 21-Nov-2026 12:00:07 GMT', null, 7],
  ['Sat, 21-Nov-2026 12:00:07 GMT', null, 7],
  ['Sat Nov 21 2026 12:00:07 GMT+0000 (Coordinated Universal Time)', null, 7],
  ['Sat Nov 21 2026 13:00:07 GMT+0100', null, 7],
  ['Saturday, November 21, 2026 12:00:07 GMT', null, 7],
  ['Sat, 21 November 2026 12:00:06.001 UTC', null, 7],
  ['Sat, 21 Nov 2026 12:01 GMT', null, 60],
  ['Sat, 21 Nov 2026 12:00:07 GMT;', null, 7],
  ['"Sat, 21 Nov 2026 12:00:07 GMT",', null, 7],
  ['until Sat, 21 Nov 2026 12:00:07 GMT.', null, 7],
  ['not before: Saturday, November 21, 2026 12:00:07 GMT', null, 7],
  ['at 2026-11-21T12:00:07Z; 5', null, 7],
  ['please wait and retry after 2026-11-21T12:00:07Z', null, 7],
  ['Sat, 21 Nov 2026, 12:00:07 GMT', null, 7],
  ['Sat, 21\tNov\u00a02026 12:00:07 GMT', null, 7],
  // A day alone: as its end, where it ends last.
  ['Sun, 22 Nov 2026', null, 48 * 3_600],
  ['2026-11-22', null, 48 * 3_600],
  ['2026-11-20', null, 1],
  // Of a time that cannot be read too; a day that is over is not believed then.
  ['2026-11-21T23Z', null, 24 * 3_600],
  ['2026-11-21T23', null, 24 * 3_600],
  ['2026-11-21T2300Z', null, 24 * 3_600],
  ['2026-11-21T230000Z', null, 24 * 3_600],
  ['2026-11-21 11 PM', null, 24 * 3_600],
  ['21 Nov 2026 11pm GMT', null, 24 * 3_600],
  ['21 Nov 2026 23.00.00 GMT', null, 24 * 3_600],
  ['21 Nov 2026 23h00 GMT', null, 24 * 3_600],
  ['2026-11-19T23Z', null, undefined],
  // Of other languages: a weekday is no month, and a month is no zone.
  ['mar, 01 dic 2026 13:00:00 GMT', null, undefined],
  ['mar 01 dic 2026 13:00:00 GMT', null, undefined],
  ['mar., 01 dic. 2026 13:00:00 GMT', null, undefined],
  ['martes, 1 dic 2026 13:00:00 GMT', null, undefined],
  ['martedi 1 ott 2026 13:00:00 GMT', null, undefined],
  ['1 marraskuu 2026 13:00:00 GMT', null, undefined],
  ['mardi 1 dec 2026 13:00:00 GMT', null, 10 * 86_400 + 3_600],
  ['mar, 01 dec 2026 13:00:00 GMT', null, 10 * 86_400 + 3_600],
  ['mar 1 dec 2026 13:00:00 GMT', null, 10 * 86_400 + 3_600],
  ['1 mars 2027 12:00:00 GMT', null, 100 * 86_400],
  ['Sat Nov 21 12:00:07 AEDT 2026', null, 12 * 3_600 + 7],
  // Addresses and versions are no times.
  ['Rate limit exceeded for 203.0.113.7 retry in 3600 seconds', null, 3_600],
  ['Retry 10.1.2.3 after 3600 seconds', null, 3_600],
  ['3600 (v1.2.3)', null, 3_600],
  ['nginx/1.25.3 3600', null, 3_600],
  ['part 1-2-3: 30 s', null, 30],
  ['203.0.113.7', null, undefined],
  ['2026-13-01T23Z', null, undefined],
  // Beside what may be a time only a number counts that is longer than what is taken for it.
  ['3600 seconds (until 12:30)', null, 3_600],
  ['v1.2.10 3600', null, 3_600],
  ['31 Feb 2026 12:00:07 or in 7200 seconds', null, 7_200],
  ['7 seconds (until 12:30)', null, undefined],
  // Half a day without the name of its month is still none.
  ['Nov 28 at 11pm', null, undefined],
  ['until Nov 28 at 11pm', null, undefined],
  ['2026-13-01', null, undefined],
  // In no zone that is known: as the latest that it can mean.
  ['Sat, 21 Nov 2026 12:00:07', null, 12 * 3_600 + 7],
  ['Sat, 21 Nov 2026 12:00:07 CET', null, 12 * 3_600 + 7],
  // ISO 8601, without a zone as the latest that it can mean.
  ['2026-11-21T12:00:07Z', null, 7],
  ['2026-11-21T12:00:06.001Z', null, 7],
  ['2026-11-21T07:00:07-05:00', null, 7],
  ['2026-11-21 21:00:07 +09', null, 7],
  ['2026-11-21T12:01Z', null, 60],
  ['2026-11-21T12:00:07', null, 12 * 3_600 + 7],
  ['2026-11-21T12:00:07+1', null, 12 * 3_600 + 7],
  ['2026-11-21T12:00:07+99:99', null, 12 * 3_600 + 7],
  ['2026-11-21T12:00:07 GMT-1', null, 12 * 3_600 + 7],
  ['2026-11-21T12:00:06.0000000001Z', null, 7],
  ['2026-11-21T24:00:00Z', null, 12 * 3_600],
  // As languages and their libraries write one.
  ['2026-11-21 12:00:07 +0000 UTC', null, 7],
  ['2026-11-21 13:00:06.000000001 +0100 CET m=+3600.000012345', null, 7],
  ['2026-11-21T12:00:07Z[UTC]', null, 7],
  ['2026-11-21T13:00:07+01:00[Europe/Berlin]', null, 7],
  ['11/21/2026 12:00:07 +00:00', null, 7],
  ['11/21/2026 12:00:07 [+00:00]', null, 7],
  ['11/21/2026 12:00:07 PM +00:00', null, 7],
  ['11/22/2026, 12:00:07 AM', null, 24 * 3_600 + 7],
  ['21.11.2026 12:00:07', null, 12 * 3_600 + 7],
  ['2026/11/21 12:00:07', null, 12 * 3_600 + 7],
  ['2026-Nov-21 12:00:07 UTC', null, 7],
  ['21/Nov/2026:12:00:07 +0000', null, 7],
  ['Sat Nov 21 12:00:07 UTC 2026', null, 7],
  ['Sat Nov 21 12:00:07 PST 2026', null, 12 * 3_600 + 7],
  ['Sat Nov 21 13:00:07 +0100 2026', null, 7],
  ['try 3: after 2026-11-21T12:00:07Z (attempt 12)', null, 7],
  // Day and month in either order: the later one.
  ['11/12/2026 12:00:00 GMT', null, 20 * 86_400],
  ['12/11/2026 12:00:00 GMT', null, 20 * 86_400],
  ['11/21/26 12:00:07 GMT', null, 7],
  // A list of values, and no day.
  ['1, 2, 2030', null, 2_030],
  ['1.2.2030', null, undefined],
  // Before the epoch is long past, but a clock that shows it was never set.
  ['0001-01-01T00:00:00Z', null, 1],
  ['Wed, 31 Dec 1969 23:59:59 GMT', null, 1],
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'Wed, 31 Dec 1969 23:59:59 GMT', 7],
  ['28 Dezember 2026 00:12:39', null, undefined],
  // Over 50 years ahead: the century before (RFC 9110 section 5.6.7).
  ['Friday, 01-Jan-99 00:00:00 GMT', null, 1],
  ['Monday, 21-Nov-77 12:00:00 GMT', null, 1],
  ['Saturday, 21-Nov-76 12:00:00 GMT', null, (Date.UTC(2076, 10, 21, 12) - now) / 1_000],
  // Of no year: which one it is in nobody knows.
  ['Sat, 21 Nov 2026 12:00:07 GMT', 'Sat Nov 21 11:00:00', 7],
  ['Sat, Nov 21 12:20:00 GMT', null, undefined],
  ['until Nov 21 12:20:00', null, undefined],
  ['Sat Nov 21 12:20:00; 5', null, 5],
  ['', null, undefined],
  [null, null, undefined],
  ['soon', null, undefined],
  ['NaN', null, undefined],
  ['P', null, undefined],
  ['2026-13-01T00:00:00Z', null, undefined],
  ['Sat, 31 Feb 2026 12:00:07 GMT', null, undefined],
  ['Sat, 21 Nov 2026 24:00:07 GMT', null, undefined],
])('%j with Date %j asks to wait %s s', (value, date, seconds) => {
  expect(parseRetryAfter(value, { date, nowMs: now })).toBe(seconds);
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
      const seconds = parseRetryAfter(value, { date, nowMs });
      expect(seconds === undefined || (Number.isSafeInteger(seconds) && seconds >= 1)).toBe(true);
    }),
  );
});

test('reads a header of 16 KB of anything without going over it again and again', () => {
  const pieces = [
    '1',
    ' ',
    ',',
    '1,',
    ' ,',
    '1.',
    '1d',
    '1 ',
    'sat',
    'sat,',
    '"',
    '-',
    'P1',
    '\t',
  ].concat([
    'a ',
    'a=',
    'a',
    '(a',
    ';',
    '111,',
    "111'",
    '0x',
    '1:',
    '(',
    '1e',
    'jan ',
    'jan 1 ',
    '1-1-',
    '1/',
    '1:11',
    '+01',
    '1 p',
  ]);
  for (const piece of pieces) {
    const value = piece.repeat(16_384 / piece.length);
    const fromMs = performance.now();
    for (const text of [value, `1${value}x`, `1d${value}1x`]) {
      parseRetryAfter(text, { date: text, nowMs: now });
    }
    // It takes a few milliseconds; a pattern that goes back at each character takes minutes.
    expect(performance.now() - fromMs).toBeLessThan(5_000);
  }
});

/** A value as it is sent, and until when it asks to wait by each clock that it may mean. */
interface Sent {
  readonly value: string;
  /** Seconds from the answer on, or milliseconds since the epoch. */
  readonly meant: { readonly seconds: number } | { readonly untilMs: number };
}

const seconds = fc.oneof(fc.nat(10), fc.nat(100_000), fc.double({ min: 0, max: 1e7, noNaN: true }));
const space = fc.constantFrom('', ' ');

const lengths = fc.oneof(
  seconds.map((number) => ({ value: String(number), meant: { seconds: number } })),
  fc.nat(2 ** 40).map((number) => ({ value: String(number), meant: { seconds: number } })),
  fc
    .tuple(
      fc.nat(99_999),
      space,
      fc.constantFrom<[string, number]>(
        ['ms', 0.001],
        ['s', 1],
        ['sec', 1],
        ['seconds', 1],
        ['m', 60],
        ['min', 60],
        ['minutes', 60],
        ['h', 3_600],
        ['hours', 3_600],
        ['d', 86_400],
      ),
    )
    .map(([number, gap, [unit, weight]]) => ({
      value: `${number}${gap}${unit}`,
      meant: { seconds: number * weight },
    })),
  fc
    .tuple(fc.nat(99), fc.nat(59), fc.nat(59_999), fc.constantFrom('', ' ', ', '))
    .map(([h, m, ms, gap]) => ({
      value: `${h}h${gap}${m}m${gap}${ms / 1000}s`,
      meant: { seconds: h * 3_600 + m * 60 + ms / 1000 },
    })),
  fc.tuple(fc.nat(9), fc.nat(59), fc.nat(59)).map(([d, m, s]) => ({
    value: `P${d}DT${m}M${s}S`,
    meant: { seconds: d * 86_400 + m * 60 + s },
  })),
  fc.nat(9_999_999).map((number) => ({
    value: number.toLocaleString('en-US'),
    meant: { seconds: number },
  })),
);

const MINUTE_MS = 60_000;
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** By the API's clock, which may be far from ours. */
function dateSent(nowMs: number): fc.Arbitrary<Sent> {
  const aheadMs = fc.oneof(fc.nat(120_000), fc.integer({ min: -86_400_000, max: 86_400_000 }));
  const offsets = fc.integer({ min: -48, max: 56 }).map((quarters) => quarters * 15);
  return fc.tuple(aheadMs, offsets, fc.nat(11)).map(([ms, offsetMinutes, form]) => {
    const untilMs = nowMs + ms;
    const wholeMs = Math.floor(untilMs / 1000) * 1000;
    const utc = new Date(wholeMs).toUTCString();
    const [, day = '', month = '', year = '', time = ''] = utc.split(' ');
    const zone = `${offsetMinutes < 0 ? '-' : '+'}${new Date(Math.abs(offsetMinutes) * MINUTE_MS).toISOString().slice(11, 16)}`;
    const local = new Date(untilMs + offsetMinutes * MINUTE_MS).toISOString();
    const offset = zone.replace(':', '');
    const [y, m, d] = local.slice(0, 10).split('-');
    const clock = local.slice(11, 19);
    const hour = Number(clock.slice(0, 2));
    const halves = `${hour % 12 || 12}${clock.slice(2)} ${hour < 12 ? 'AM' : 'PM'}`;
    const weekday = DAYS[new Date(wholeMs).getUTCDay()] ?? '';
    switch (form) {
      case 0:
        return { value: utc, meant: { untilMs: wholeMs } };
      case 1:
        return {
          value: `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
          meant: { untilMs: wholeMs },
        };
      case 2:
        return {
          value: `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
          meant: { untilMs: wholeMs },
        };
      case 3:
        return { value: local.replace('Z', zone), meant: { untilMs } };
      case 4:
        // The zone is missing: whichever it was.
        return { value: local.replace('Z', ''), meant: { untilMs } };
      case 5:
        return {
          value: `${local.slice(0, 19).replace('T', ' ')} ${offset} CET m=+12.5`,
          meant: { untilMs: wholeMs },
        };
      case 6:
        return { value: local.replace('Z', `${zone}[Area/Place]`), meant: { untilMs } };
      case 7:
        return { value: `${m}/${d}/${y} ${clock} ${zone}`, meant: { untilMs: wholeMs } };
      case 8:
        return { value: `${d}.${m}.${y} ${clock}`, meant: { untilMs: wholeMs } };
      case 9:
        return { value: `${y}/${m}/${d} ${clock}`, meant: { untilMs: wholeMs } };
      case 10:
        return { value: `${m}/${d}/${y} ${halves}`, meant: { untilMs: wholeMs } };
      default:
        return {
          value: `${new Date(wholeMs + offsetMinutes * MINUTE_MS).toUTCString().replace('GMT', zone.replace(':', ''))}`,
          meant: { untilMs: wholeMs },
        };
    }
  });
}

/** What sloppy gateways and people put around a value. */
const AROUND: readonly (readonly [string, string])[] = [
  ['', ';'],
  ['', ' ;'],
  ['', ','],
  [';', ''],
  ['', '.'],
  ["'", "'"],
  ['"', '";'],
  ['<', '>'],
  ['(', ')'],
  ['=', ''],
  ['wait=', ';'],
  ['in ', ''],
  ['not before: ', '!'],
  ['', '; comment=busy'],
];

function wrapped(each: fc.Arbitrary<Sent>): fc.Arbitrary<Sent> {
  return fc
    .tuple(each, fc.option(fc.constantFrom(...AROUND), { nil: ['', ''] }))
    .map(([{ value, meant }, [before, behind]]) => ({ value: before + value + behind, meant }));
}

/** Not the one after a weekday. */
const OWN_COMMA = /\d\w?,/;
const VALUES = { short: 1_000, deep: 20_000 };

test('is never early on either clock, whatever is sent in whichever form', () => {
  const skewMs = fc.oneof(
    fc.constant(0),
    fc.integer({ min: -15_000, max: 15_000 }),
    fc.integer({ min: -1e8, max: 1e8 }),
  );
  // By the clock of the API, so that a year of two digits is in the right century.
  const cases = fc
    .tuple(fc.integer({ min: now, max: now + 2 ** 36 }), skewMs, fc.boolean())
    .chain(([nowMs, serverAheadMs, hasDate]) =>
      fc
        .array(wrapped(fc.oneof(lengths, dateSent(nowMs + serverAheadMs))), {
          minLength: 1,
          maxLength: 3,
        })
        // A header that was repeated is joined by commas; one with commas of its own is sent alone.
        .map((each) => (each.some(({ value }) => OWN_COMMA.test(value)) ? each.slice(0, 1) : each))
        .map((sent) => ({ nowMs, serverAheadMs, hasDate, sent })),
    );
  fc.assert(
    fc.property(cases, ({ nowMs, serverAheadMs, hasDate, sent }) => {
      const serverNowMs = nowMs + serverAheadMs;
      const date = hasDate ? new Date(serverNowMs).toUTCString() : null;
      const value = sent.map((each) => each.value).join(', ');
      const waitMs = (parseRetryAfter(value, { date, nowMs }) ?? 0) * 1000;
      for (const { meant } of sent) {
        if ('seconds' in meant) expect(waitMs).toBeGreaterThanOrEqual(meant.seconds * 1000);
        else {
          expect(nowMs + waitMs).toBeGreaterThanOrEqual(meant.untilMs);
          if (hasDate) expect(serverNowMs + waitMs).toBeGreaterThanOrEqual(meant.untilMs);
        }
      }
    }),
    { numRuns: amountOf(VALUES) },
  );
  tried('values of Retry-After', amountOf(VALUES));
});
