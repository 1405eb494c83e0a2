import * as v from 'valibot';
import { parseSetting } from './parse-options.ts';
import { type ReceivedAt, retryAfterOf } from './retry-after.ts';

const HEADER_EXPECTED = 'expected the text of a header, or null without one';
const UNIT_EXPECTED = 'expected a number of seconds above 0';
const DATE_EXPECTED = "expected the text of the answer's Date, or null without one";
const NOW_EXPECTED = 'expected milliseconds since the epoch';

// A number that is none would end as a wait that is none, and the next request as one that is too early.
const ValueSchema = v.nullable(v.string(HEADER_EXPECTED));
const AtSchema = v.strictObject({
  date: v.nullable(v.string(DATE_EXPECTED)),
  nowMs: v.pipe(
    v.number(NOW_EXPECTED),
    v.minValue(0, NOW_EXPECTED),
    v.maxValue(8.64e15, NOW_EXPECTED),
  ),
} satisfies { readonly [K in keyof ReceivedAt]-?: v.GenericSchema });
const UnitSchema = v.pipe(
  v.number(UNIT_EXPECTED),
  v.gtValue(0, UNIT_EXPECTED),
  v.maxValue(Number.MAX_SAFE_INTEGER, UNIT_EXPECTED),
);

/**
 * The wait that a `Retry-After` header asks for (RFC 9110 section 10.2.3: seconds or an HTTP-date).
 *
 * Fractions round up. Zero, negative and past values become 1 s. Of several values the largest counts. Waiting
 * too long is safe and calling too early is not, so what APIs send beside the RFC is read too: any decimal number
 * and `Infinity`, `3s`, `1m30s`, `500ms`, ISO 8601 durations and times, and numbers with anything around them, as in
 * `1200;` and `in 20 minutes`. What can be read in several ways counts as the longest of them. Absurd values end at
 * `Number.MAX_SAFE_INTEGER`.
 *
 * @param value The header as received; repeated headers joined by commas, as fetch does.
 * @param at A time counts from the answer's own `Date` and from our clock, whichever gives the longer wait: one of
 *   the two may be wrong.
 * @param unitSeconds Of a number without a unit. @default 1
 * @throws SettingError naming the argument that is wrong.
 * @returns Whole seconds, at least 1, or `undefined` when no value is usable.
 */
export function parseRetryAfter(
  value: string | null,
  at: ReceivedAt,
  unitSeconds = 1,
): number | undefined {
  parseSetting(ValueSchema, value, 'value');
  parseSetting(AtSchema, at, 'at');
  parseSetting(UnitSchema, unitSeconds, 'unitSeconds');
  return retryAfterOf(value, at, unitSeconds);
}
