import { utcMs, zoneMs } from './calendar.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const WEEKDAY = '(?:[a-z]{3,9},? ?)?';
const MONTH = '(?<month>[a-z]{3,9})';
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2}(?:\\.\\d{1,9})?))?';
/** The name that follows in brackets is what JavaScript writes of a Date. */
const ZONE = '(?<zone>[a-z]{1,5}|(?:GMT|UTC?)?[+-]\\d{2}:?\\d{2})(?: \\([^()]{1,60}\\))?';

/**
 * RFC 9110 section 5.6.7: IMF-fixdate, and the obsolete RFC 850 and asctime forms. Each also as it is written by mails
 * (RFC 5322 section 3.3), cookies and languages: without the weekday, with a longer year or month, with another zone,
 * without a time.
 */
const FORMS = [
  new RegExp(
    `^${WEEKDAY}(?<day>\\d{1,2})[ -]${MONTH}[ -](?<year>\\d{4}|\\d{2})(?: ${TIME}(?: ${ZONE})?)?$`,
    'i',
  ),
  new RegExp(
    `^${WEEKDAY}${MONTH} (?<day>[ \\d]?\\d),? (?:(?<year>\\d{4}) )?${TIME}(?: ${ZONE})?(?: (?<lastYear>\\d{4}))?$`,
    'i',
  ),
];

/**
 * Reads an HTTP-date in the three forms that RFC 9110 section 5.6.7 tells recipients to accept, and in what is sent in
 * their place.
 *
 * @param nowMs Decides the century of a two-digit year: over 50 years ahead means the past one.
 * @returns Milliseconds since the epoch, or `undefined` for anything else, also for a day that does
 *   not exist.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  const parts = FORMS.map((form) => form.exec(text.trim())?.groups).find((groups) => groups);
  const year = parts?.['year'] ?? parts?.['lastYear'];
  if (parts === undefined || year === undefined) return undefined;
  const [day = 0, hour = 0, minute = 0, second = 0] = ['day', 'hour', 'minute', 'second'].map(
    (name) => Number(parts[name] ?? 0),
  );
  const month = MONTHS.indexOf((parts['month'] ?? '').slice(0, 3).toLowerCase());
  const atMs = utcMs({
    year: fullYear(year, nowMs),
    month,
    day,
    hour,
    minute,
    second,
  });
  // An asctime date, of which the year comes last, is in GMT.
  const zone = parts['zone'] ?? (parts['lastYear'] && 'GMT');
  return atMs === undefined ? undefined : atMs - zoneMs(zone);
}

const NAMED = MONTHS.join('|');
const SOME_DATE = new RegExp(
  `\\d:\\d|\\d{4}-\\d\\d|(?:${NAMED})[a-z]{0,6}[ -]\\d|\\d[ -](?:${NAMED})`,
  'i',
);

/** Whether a text has something of a date or a time in it, even if it is none. */
export function isLikeDate(text: string): boolean {
  return SOME_DATE.test(text);
}

function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const nowYear = new Date(nowMs).getUTCFullYear();
  const year = nowYear - (nowYear % 100) + Number(digits);
  return year > nowYear + 50 ? year - 100 : year;
}
