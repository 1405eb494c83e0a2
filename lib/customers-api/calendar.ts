/** A time of the calendar as its digits say, month from 0. */
interface CalendarTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Milliseconds since the epoch of a time in UTC; `undefined` for a day or an hour that does not exist. */
export function utcMs({
  year,
  month,
  day,
  hour,
  minute,
  second,
}: CalendarTime): number | undefined {
  // 60 is a leap second (RFC 9110 section 5.6.7, RFC 3339 section 5.7).
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
  const midnight = new Date(Date.UTC(year, month, day));
  if (midnight.getUTCDate() !== day || midnight.getUTCMonth() !== month) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Where a day ends last on earth is 12 hours behind UTC: in any zone a time is over by then. */
const LATEST_ZONE_MS = -12 * 3_600_000;

/**
 * What a zone in a date adds to UTC: `Z`, `GMT`, `UTC` or `UT`, or an offset such as `+01:00`, `-0500`, `+09` or
 * `GMT+0100`. Without one, and of one that has another name, a time is the latest that it can mean.
 *
 * @returns Milliseconds.
 */
export function zoneMs(zone: string | undefined): number {
  if (zone === undefined) return LATEST_ZONE_MS;
  if (/^(?:Z|GMT|UTC?)$/i.test(zone)) return 0;
  const [, sign, hours, minutes = '0'] =
    /^(?:GMT|UTC?)?([+-])(\d{2})(?::?(\d{2}))?$/i.exec(zone) ?? [];
  if (sign === undefined) return LATEST_ZONE_MS;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const ISO_8601 =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d{1,9})?)? ?(?<zone>[a-z]{1,3}|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Reads an ISO 8601 time, such as `2026-11-21T12:00:07.5+01:00`. One without a zone, or a day
 * alone, is read as the latest that it can mean.
 *
 * @returns Milliseconds since the epoch, or `undefined` for anything else.
 */
export function parseIsoDate(text: string): number | undefined {
  const parts = ISO_8601.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const numberOf = (name: string) => Number(parts[name] ?? 0);
  const atMs = utcMs({
    year: numberOf('year'),
    month: numberOf('month') - 1,
    day: numberOf('day'),
    hour: numberOf('hour'),
    minute: numberOf('minute'),
    second: numberOf('second'),
  });
  if (atMs === undefined) return undefined;
  return atMs + Math.ceil(numberOf('fraction') * 1000) - zoneMs(parts['zone']);
}
