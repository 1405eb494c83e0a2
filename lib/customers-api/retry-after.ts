import { decimalOf, durationIn, parseDuration } from './duration.ts';
import { isLikeTime, parseTime, withoutTimes } from './parse-time.ts';

/** The least wait: a server that says 0, less or a past date would otherwise be asked in a tight loop. */
const MIN_WAIT_SECONDS = 1;

/** What an answer with a wait that cannot be read is taken for. */
export const UNREAD_SECONDS = 60;

/** What the times in an answer are measured against. */
export interface ReceivedAt {
  readonly date: string | null;
  /** Our own clock, milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The wait that a `Retry-After` header asks for, see `parseRetryAfter`. */
export function retryAfterOf(
  value: string | null,
  at: ReceivedAt,
  unitSeconds: number,
): number | undefined {
  return longestWait(value, (text) => waitIn(text, at, unitSeconds));
}

function waitIn(text: string, at: ReceivedAt, unitSeconds: number): number | undefined {
  return (
    decimalOf(text, unitSeconds) ??
    parseDuration(text) ??
    secondsUntil(text, at) ??
    durationBeside(text, unitSeconds)
  );
}

/** Numbers of an address, such as `203.0.113.7`, and of a version: no date ends in one digit or in three. */
const NO_TIME = /(?<![\d.])\d+(?:\.\d+){3,}|(?<![\d.])\d{1,3}([-/.])\d{1,3}\1(?:\d|\d{3})(?!\d)/g;

/** The numbers of a time that does not exist, or of half of one, are no wait; others must be as long as the time may be. */
function durationBeside(text: string, unitSeconds: number): number | undefined {
  const rest = text.replaceAll(NO_TIME, ' ');
  if (!isLikeTime(rest)) return durationIn(rest, unitSeconds);
  const seconds = durationIn(withoutTimes(rest), unitSeconds) ?? 0;
  return seconds > UNREAD_SECONDS ? seconds : undefined;
}

// A number of seconds this large is no wait but a point in time (1e9 s after the epoch was in 2001) …
const EPOCH_SECONDS_FROM = 1e9;
// … and one this large a point in milliseconds.
const EPOCH_MS_FROM = 1e11;

/** The same for the end of a window, which APIs also write as seconds or milliseconds since the epoch. */
export function parseWindowEnd(value: string | null, at: ReceivedAt): number | undefined {
  return longestWait(value, (text) => {
    const seconds = waitIn(text, at, 1);
    if (seconds === undefined || seconds < EPOCH_SECONDS_FROM) return seconds;
    return secondsAfter(seconds < EPOCH_MS_FROM ? seconds * 1000 : seconds, at);
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
    .map((text) => withoutMarks(text.replaceAll(/\s/g, ' ')))
    .map(read)
    .filter((seconds) => seconds !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits.map(toWholeSeconds));
}

/** Without quotes, brackets and other marks around it. */
function withoutMarks(text: string): string {
  const rest = /[\w.+-].*/.exec(text)?.[0] ?? '';
  return /^.*\w/.exec(rest)?.[0] ?? '';
}

/** As people write them: `1,200`, `1 200`, `1'200`. */
const GROUPED = /(?<![\d.,])\d{1,3}(?:[,' _]\d{3})+(?!,?\d)/g;

/**
 * The values of a header: a comma after a weekday, or between a year and a clock, separates none. Commas may also be those of
 * `1,200`, of `2,5` and of `1 minute, 30 seconds`. A semicolon is taken for one.
 */
function readingsOf(value: string): readonly string[] {
  const list = value.replaceAll(';', ',');
  return [
    ...list.split(
      /(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?),(?!(?<=[/. -]\d{4},) *\d{1,2}:\d\d)/i,
    ),
    list.replaceAll(/, */g, ' '),
    list.replaceAll(',', '.'),
    value.replaceAll(GROUPED, (number) => number.replaceAll(/\D/g, '')),
  ];
}

function secondsUntil(text: string, at: ReceivedAt): number | undefined {
  const untilMs = parseTime(text, at.nowMs);
  return untilMs === undefined ? undefined : secondsAfter(untilMs, at);
}

/** Negative when the time has passed by both clocks. */
function secondsAfter(untilMs: number, { date, nowMs }: ReceivedAt): number {
  const sentAtMs = parseTime(date ?? '', nowMs) ?? nowMs;
  // A clock that was never set tells no time.
  return (untilMs - (sentAtMs < 0 ? nowMs : Math.min(sentAtMs, nowMs))) / 1000;
}
