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

/**
 * What a zone in a date adds to UTC: `Z`, `GMT`, `UTC` or `UT`, or an offset such as `+01:00`, `-0500` or `+09`.
 *
 * @returns Milliseconds; `undefined` for anything else.
 */
export function zoneMs(zone: string): number | undefined {
  if (/^(?:Z|GMT|UTC?)$/i.test(zone)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(zone) ?? [];
  if (sign === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
