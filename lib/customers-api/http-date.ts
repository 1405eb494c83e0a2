import { utcMs, zoneMs } from './calendar.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';
const ZONE = '(?<zone>[a-z]{1,3}|[+-]\\d{4})';

/**
 * RFC 9110 section 5.6.7: IMF-fixdate, and the obsolete RFC 850 and asctime forms. The first one also as mails
 * have it (RFC 5322 section 3.3): without the weekday, with a day of one digit, or with another zone.
 */
const FORMS = [
  new RegExp(
    `^(?:[a-z]{3}, ?)?(?<day>\\d{1,2}) (?<month>[a-z]{3}) (?<year>\\d{4}) ${TIME} ${ZONE}$`,
    'i',
  ),
  new RegExp(
    `^[a-z]{6,9}, (?<day>\\d{2})-(?<month>[a-z]{3})-(?<year>\\d{2}) ${TIME} ${ZONE}$`,
    'i',
  ),
  new RegExp(`^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`, 'i'),
];

/**
 * Reads an HTTP-date in the three forms that RFC 9110 section 5.6.7 tells recipients to accept.
 *
 * @param nowMs Decides the century of a two-digit year: over 50 years ahead means the past one.
 * @returns Milliseconds since the epoch, or `undefined` for anything else, also for a day that does
 *   not exist.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  const parts = FORMS.map((form) => form.exec(text.trim())?.groups).find((groups) => groups);
  if (parts === undefined) return undefined;
  const [day = 0, hour = 0, minute = 0, second = 0] = ['day', 'hour', 'minute', 'second'].map(
    (name) => Number(parts[name]),
  );
  const month = MONTHS.indexOf((parts['month'] ?? '').toLowerCase());
  const atMs = utcMs({
    year: fullYear(parts['year'] ?? '', nowMs),
    month,
    day,
    hour,
    minute,
    second,
  });
  const offsetMs = zoneMs(parts['zone'] ?? 'GMT');
  return atMs === undefined || offsetMs === undefined ? undefined : atMs - offsetMs;
}

function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const nowYear = new Date(nowMs).getUTCFullYear();
  const year = nowYear - (nowYear % 100) + Number(digits);
  return year > nowYear + 50 ? year - 100 : year;
}
