import { decimalOf, parseDuration } from './duration.ts';
import { parseHttpDate } from './http-date.ts';
import { parseIsoDate } from './iso-date.ts';

/** The least wait: a server that says 0, less or a past date would otherwise be asked in a tight loop. */
const MIN_WAIT_SECONDS = 1;

/** What the times in an answer are measured against. */
export interface ReceivedAt {
  readonly date: string | null;
  /** Our own clock, milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * The wait that a `Retry-After` header asks for (RFC 9110 section 10.2.3: seconds or an HTTP-date).
 *
 * Fractions round up. Zero, negative and past values become 1 s. Of several values the largest counts. Waiting
 * too long is safe and calling too early is not, so what APIs send beside the RFC is read too: any decimal number
 * and `Infinity`, `3s`, `1m30s`, `500ms`, ISO 8601 durations and times. What can be read in several ways counts as
 * the longest of them. Absurd values end at `Number.MAX_SAFE_INTEGER`.
 *
 * @param value The header as received; repeated headers joined by commas, as fetch does.
 * @param at A time counts from the answer's own `Date` and from our clock, whichever gives the longer wait: one of
 *   the two may be wrong.
 * @param unitSeconds Of a number without a unit. @default 1
 * @returns Whole seconds, at least 1, or `undefined` when no value is usable.
 */
export function parseRetryAfter(
  value: string | null,
  at: ReceivedAt,
  unitSeconds = 1,
): number | undefined {
  return longestWait(value, (text) => parseDuration(text, unitSeconds) ?? secondsUntil(text, at));
}

// A number of seconds this large is no wait but a point in time (1e9 s after the epoch was in 2001) …
const EPOCH_SECONDS_FROM = 1e9;
// … and one this large a point in milliseconds.
const EPOCH_MS_FROM = 1e11;

/** The same for the end of a window, which APIs also write as seconds or milliseconds since the epoch. */
export function parseWindowEnd(value: string | null, at: ReceivedAt): number | undefined {
  return longestWait(value, (text) => {
    const number = decimalOf(text);
    if (number === undefined) return parseDuration(text, 1) ?? secondsUntil(text, at);
    if (number < EPOCH_SECONDS_FROM) return number;
    return secondsAfter(number < EPOCH_MS_FROM ? number * 1000 : number, at);
  });
}

/** At least 1 and at most `Number.MAX_SAFE_INTEGER`, rounded up. */
export function toWholeSeconds(seconds: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(MIN_WAIT_SECONDS, Math.ceil(seconds)));
}

function longestWait(
  value: string | null,
  read: (text: string) => number | undefined,
): number | undefined {
  // Most answers have no such header.
  if (value === null) return undefined;
  const waits = readingsOf(value)
    .map((text) =>
      read(
        text
          .trim()
          .replace(/^"(.*)"$/, '$1')
          .replaceAll(/\s/g, ' '),
      ),
    )
    .filter((seconds) => seconds !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits.map(toWholeSeconds));
}

/**
 * The values of a header: a comma after the weekday of an HTTP-date separates none. Commas may also be those of
 * `1,200`, of `2,5` and of `1 minute, 30 seconds`.
 */
function readingsOf(value: string): readonly string[] {
  const values = value.split(/(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?),/i);
  if (values.length === 1) return values;
  const isGrouped = /^\s*\d{1,3}(?:,\d{3})+\s*$/.test(value);
  return [...values, value.replaceAll(/, */g, ' '), value.replaceAll(',', isGrouped ? '' : '.')];
}

function secondsUntil(text: string, at: ReceivedAt): number | undefined {
  const untilMs = parseHttpDate(text, at.nowMs) ?? parseIsoDate(text);
  return untilMs === undefined ? undefined : secondsAfter(untilMs, at);
}

/** Negative when the time has passed by both clocks. */
function secondsAfter(untilMs: number, { date, nowMs }: ReceivedAt): number {
  const sentAtMs = parseHttpDate(date ?? '', nowMs) ?? nowMs;
  return (untilMs - Math.min(sentAtMs, nowMs)) / 1000;
}
