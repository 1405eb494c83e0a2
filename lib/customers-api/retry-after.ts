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
  const waits = splitValues(value ?? '')
    .map((part) => secondsOf(part) ?? secondsUntil(part, date, nowMs))
    .filter((seconds) => seconds !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits.map(toWholeSeconds));
}

/** Seconds from the answer's own time to an HTTP-date; negative when it has passed. */
export function secondsUntil(
  httpDate: string,
  date: string | null | undefined,
  nowMs: number,
): number | undefined {
  const untilMs = parseHttpDate(httpDate, nowMs);
  if (untilMs === undefined) return undefined;
  return (untilMs - (parseHttpDate(date ?? '', nowMs) ?? nowMs)) / 1000;
}

/** At least 1 and at most `Number.MAX_SAFE_INTEGER`, rounded up. */
export function toWholeSeconds(seconds: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(MIN_WAIT_SECONDS, Math.ceil(seconds)));
}

/** A plain decimal number, with sign, fraction or exponent; `undefined` for anything else. */
export function secondsOf(text: string): number | undefined {
  if (/^\+?inf(?:inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

/** Several values of a header: splits at commas, except at the one after the weekday of an HTTP-date. */
export function splitValues(value: string): readonly string[] {
  return value
    .split(/(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?),/i)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
