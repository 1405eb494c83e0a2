const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Not the Tuesday of Romance languages, and not the November of Finnish. */
const MONTH = `(?<![a-z])(?!mar(?:di|ras|te[ds]|ti))(${MONTHS.join('|')})[a-z]{0,6}`;

/** Of a time with the names of its day and its zone; a text that is longer is none, and is not searched. */
const MAX_CHARACTERS = 150;

const CLOCK =
  /(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?(?![\d:])(?:\W{0,4}([ap])\.?m\b\.?)?/i;

/** Right behind the clock. What follows in brackets is a name of the same zone. */
const ZONE =
  /^[ [(]*(?:(?:GMT|UTC?)? ?([+-])(0\d|1[0-4])(?::?([0-5]\d))?(?![\d:])|(?:Z|GMT|UTC?)(?![a-z\d]| ?[+-]))/i;

/** Where a day ends last on earth is 12 hours behind UTC: in any zone a time is over by then. */
const LATEST_ZONE_MS = -12 * 3_600_000;

/** Where nobody knows when in a day: at its end. */
const DAY_MS = 24 * 3_600_000;

/** Between a day and its year. No other word, since it may be the month, in another language. */
const ZONE_NAME = '(?:[a-z]{1,2}[ds]t|[cemw]et|gmt|utc?|msk|hkt|sgt)';

/** Day, month and year in any order, with a year that may stand behind the zone. */
const NAMED_DAY = `(?:(?<!\\d)(\\d{1,4})[ /-])?${MONTH}\\.?[ /-]+(\\d{1,4})(?!\\d)(?:,? +(?:${ZONE_NAME} +)?(\\d{4})(?!\\d))?`;
/** Wherever one begins, also inside another: in `mar 3 nov 2026` only the second one has a year. */
const NAMED_DAYS = new RegExp(`(?=${NAMED_DAY})`, 'gi');
const NUMBERED_DAY = /(?<![\d.])(\d{1,4})([-/.]) ?(\d{1,2})\2 ?(\d{1,4})(?!\d)/;

/**
 * Reads a time wherever it stands in a text: the HTTP-dates of RFC 9110 section 5.6.7, ISO 8601, and as mails, cookies
 * and languages write one. What can mean several times is read as the latest of them: `11/12/2026` as the 11th of
 * December, a time without a zone, or with one that has a name, as one 12 hours behind UTC, a day alone as its end there.
 *
 * @param nowMs Decides the century of a two-digit year: over 50 years ahead means the past one.
 * @returns Milliseconds since the epoch, negative before it, or `undefined` for anything else, also for a day that does not exist.
 */
export function parseTime(text: string, nowMs: number): number | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const clock = CLOCK.exec(text);
  if (clock === null) return endOfDay(text, nowMs);
  const behind = text.slice(clock.index + clock[0].length);
  const zone = ZONE.exec(behind);
  const rest = behind.slice(zone?.[0].length ?? 0);
  const day = `${text.slice(0, clock.index)} ${rest}`;
  const times = midnightsMs(namedDays(day) ?? numberedDays(day), nowMs);
  const offsetMs = clockMs(clock);
  if (times.length === 0 || offsetMs === undefined) return undefined;
  // Of the three HTTP-dates this one has no zone: asctime's, of which the year comes last.
  const isAsctime = /^ +\d{4}$/.test(behind);
  return Math.max(...times) + offsetMs - (isAsctime ? 0 : zoneMs(zone));
}

/** Other digits may be the time of the day, or those of a day that is none: then one that is over is not believed. */
function endOfDay(text: string, nowMs: number): number | undefined {
  const rest = text.replace(new RegExp(NAMED_DAY, 'i'), '').replace(NUMBERED_DAY, '');
  // Dots alone may also be commas between values.
  const numbered = NUMBERED_DAY.exec(text)?.[2] === '.' ? [] : numberedDays(text);
  const endsMs = midnightsMs(namedDays(text) ?? numbered, nowMs).map(
    (midnight) => midnight + DAY_MS - LATEST_ZONE_MS,
  );
  const believed = /\d/.test(rest) ? endsMs.filter((endMs) => endMs > nowMs) : endsMs;
  return believed.length === 0 ? undefined : Math.max(...believed);
}

const SOME_TIME = new RegExp(
  `\\d:\\d|\\d{4}-\\d\\d|\\d[-/.]\\d{1,2}[-/.]\\d|${MONTH}[ /-]\\d|\\d[ /-]${MONTH}`,
  'i',
);

/** Whether a text has something of a date or a time in it, even if it is none. */
export function isLikeTime(text: string): boolean {
  return SOME_TIME.test(text);
}

const NUMBERS_OF_TIMES = new RegExp(
  [
    '\\d{4}-\\d\\d(?:-\\d\\d)?(?:T\\S*)?',
    '\\d+([-/.])\\d{1,2}\\1\\d+',
    '\\d+(?::\\d+)+(?:\\.\\d+)?(?:[ a-z]{0,5}[+-]\\d\\d:?\\d\\d)?',
    NAMED_DAY,
    '(?<!\\d)\\d{1,2}[ .-]+[a-z]+[ .-]+\\d{4}(?!\\d)',
    '(?<!\\d)(?:19|20)\\d\\d(?!\\d)',
  ].join('|'),
  'gi',
);

/** A text without the numbers of dates and times, also of those that do not exist. */
export function withoutTimes(text: string): string {
  return text.replaceAll(NUMBERS_OF_TIMES, ' ');
}

/** As its digits say, month from 0. */
interface Day {
  readonly year: string;
  readonly month: number;
  readonly day: string;
}

function namedDays(text: string): readonly Day[] | undefined {
  const days = [...text.matchAll(NAMED_DAYS)].map(dayOf);
  return days.length === 0 ? undefined : days;
}

function dayOf([, first, name = '', second = '', last = '']: RegExpExecArray): Day {
  const month = MONTHS.indexOf(name.toLowerCase());
  if (first === undefined) return { year: last, month, day: second };
  return first.length > 2
    ? { year: first, month, day: second }
    : { year: second, month, day: first };
}

/** Of numbers the first one is the year if it has four digits, else the last one. */
function numberedDays(text: string): readonly Day[] {
  const [, first = '', , second = '', third = ''] = NUMBERED_DAY.exec(text) ?? [];
  if (first.length > 2) return [{ year: first, month: Number(second) - 1, day: third }];
  return [
    { year: third, month: Number(first) - 1, day: second },
    { year: third, month: Number(second) - 1, day: first },
  ];
}

function midnightsMs(days: readonly Day[], nowMs: number): readonly number[] {
  return days.flatMap((day) => midnightMs(day, nowMs) ?? []);
}

function midnightMs({ year, month, day }: Day, nowMs: number): number | undefined {
  if ((year.length !== 2 && year.length !== 4) || month < 0 || day.length > 2) return undefined;
  const midnight = new Date(Date.UTC(fullYear(year, nowMs), month, Number(day)));
  const isThere = midnight.getUTCMonth() === month && midnight.getUTCDate() === Number(day);
  return isThere ? midnight.getTime() : undefined;
}

function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const nowYear = new Date(nowMs).getUTCFullYear();
  const year = nowYear - (nowYear % 100) + Number(digits);
  return year > nowYear + 50 ? year - 100 : year;
}

/** Milliseconds since midnight: 24:00 ends a day, and 60 is a leap second (RFC 3339 section 5.7). */
function clockMs([, hours, minutes, seconds = '0', half]: RegExpExecArray): number | undefined {
  const [minute, second] = [Number(minutes), Number(seconds)];
  const halfHours = /p/i.test(half ?? '') ? 12 : 0;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + halfHours;
  const ms = (hour * 60 + minute) * 60_000 + Math.ceil(second * 1000);
  const isThere = minute < 60 && second < 61 && (hour < 24 || ms === 24 * 3_600_000);
  return isThere ? ms : undefined;
}

function zoneMs(zone: RegExpExecArray | null): number {
  if (zone === null) return LATEST_ZONE_MS;
  const [, sign, hours = '0', minutes = '0'] = zone;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
