const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

/** RFC 9110 section 5.6.7: IMF-fixdate, and the obsolete RFC 850 and asctime forms. */
const FORMS = [
  new RegExp(`^[a-z]{3}, (?<day>\\d{2}) (?<month>[a-z]{3}) (?<year>\\d{4}) ${TIME} GMT$`, 'i'),
  new RegExp(`^[a-z]{6,9}, (?<day>\\d{2})-(?<month>[a-z]{3})-(?<year>\\d{2}) ${TIME} GMT$`, 'i'),
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
  const month = MONTHS.indexOf((parts['month'] ?? '').toLowerCase());
  const [day, hour, minute, second] = ['day', 'hour', 'minute', 'second'].map((name) =>
    Number(parts[name]),
  );
  if (day === undefined || hour === undefined || minute === undefined || second === undefined) {
    return undefined;
  }
  // 60 is a leap second, which the grammar allows.
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;

  const year = fullYear(parts['year'] ?? '', nowMs);
  const midnight = new Date(Date.UTC(year, month, day));
  if (midnight.getUTCDate() !== day || midnight.getUTCMonth() !== month) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const nowYear = new Date(nowMs).getUTCFullYear();
  const year = nowYear - (nowYear % 100) + Number(digits);
  return year > nowYear + 50 ? year - 100 : year;
}
