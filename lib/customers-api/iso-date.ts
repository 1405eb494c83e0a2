import { utcMs, zoneMs } from './calendar.ts';

const FORM =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d{1,9})?)? ?(?<zone>[a-z]{1,3}|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Reads an ISO 8601 time, such as `2026-11-21T12:00:07.5+01:00`. One without a zone, or a day
 * alone, is read as the latest that it can mean.
 *
 * @returns Milliseconds since the epoch, or `undefined` for anything else.
 */
export function parseIsoDate(text: string): number | undefined {
  const parts = FORM.exec(text)?.groups;
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
