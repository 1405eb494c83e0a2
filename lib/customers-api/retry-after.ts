import { parseHttpDate } from './http-date.ts';

/** The least wait: a server that says 0, less or a past date would otherwise be asked in a tight loop. */
const MIN_WAIT_SECONDS = 1;

/**
 * The wait that a `Retry-After` header asks for (RFC 9110 section 10.2.3: seconds or an HTTP-date).
 *
 * Fractions round up. Zero, negative and past values become 1 s. Of several values the largest counts.
 * Beyond the RFC, any decimal number and `Infinity` are understood, since waiting too long is safe and
 * calling too early is not; absurd values end at `Number.MAX_SAFE_INTEGER`.
 *
 * @param value The header as received; repeated headers joined by commas, as fetch does.
 * @param date The `Date` header of the same answer: a date is measured against it, so that a server
 *   whose clock is wrong still gets the wait that it meant. Without a usable one, `nowMs` counts.
 * @param nowMs Milliseconds since the epoch.
 * @returns Whole seconds, at least 1, or `undefined` when no value is usable.
 */
export function parseRetryAfter(
  value: string | null | undefined,
  date: string | null | undefined,
  nowMs: number,
): number | undefined {
  return longestWait(
    value,
    (text) => secondsOf(text) ?? secondsUntil(parseHttpDate(text, nowMs), date, nowMs),
  );
}

// A number of seconds this large is no wait but a point in time (1e9 s after the epoch was in 2001) …
const EPOCH_SECONDS_FROM = 1e9;
// … and one this large a point in milliseconds.
const EPOCH_MS_FROM = 1e11;

/** The same for the end of a window, which APIs also write as seconds or milliseconds since the epoch. */
export function parseWindowEnd(
  value: string | null,
  date: string | null,
  nowMs: number,
): number | undefined {
  return longestWait(value, (text) => {
    const number = secondsOf(text);
    if (number === undefined) return secondsUntil(parseHttpDate(text, nowMs), date, nowMs);
    if (number < EPOCH_SECONDS_FROM) return number;
    return secondsUntil(number < EPOCH_MS_FROM ? number * 1000 : number, date, nowMs);
  });
}

/** At least 1 and at most `Number.MAX_SAFE_INTEGER`, rounded up. */
export function toWholeSeconds(seconds: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(MIN_WAIT_SECONDS, Math.ceil(seconds)));
}

/** Of several values of a header; a comma after the weekday of an HTTP-date separates none. */
function longestWait(
  value: string | null | undefined,
  read: (text: string) => number | undefined,
): number | undefined {
  // Most answers have no such header.
  if (value === null || value === undefined) return undefined;
  const waits = value
    .split(/(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?),/i)
    .map((part) => read(part.trim()))
    .filter((seconds) => seconds !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits.map(toWholeSeconds));
}

/** From the answer's own time; negative when it has passed. */
function secondsUntil(
  untilMs: number | undefined,
  date: string | null | undefined,
  nowMs: number,
): number | undefined {
  if (untilMs === undefined) return undefined;
  return (untilMs - (parseHttpDate(date ?? '', nowMs) ?? nowMs)) / 1000;
}

/** A plain decimal number, with sign, fraction or exponent; `undefined` for anything else. */
function secondsOf(text: string): number | undefined {
  if (/^\+?inf(?:inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}
