import { parseHttpDate } from './http-date.ts';
import {
  parseRetryAfter,
  secondsOf,
  secondsUntil,
  splitValues,
  toWholeSeconds,
} from './retry-after.ts';

/** Where the length of a wait came from. `backoff` is our own guess, to be grown by who repeats. */
export type WaitSource = 'retry-after' | 'rate-limit-reset' | 'backoff';

/** Cap of a guessed wait: long enough to be polite, short enough to notice when the API is back. */
const MAX_BACKOFF_SECONDS = 60;

/**
 * Headers in which APIs without `Retry-After` tell the end of their window, in the order of trust:
 * explicit waits, then the IETF drafts (draft-ietf-httpapi-ratelimit-headers), then the common X- forms.
 */
const RESET_HEADERS = [
  'X-RateLimit-Retry-After',
  'X-RateLimit-Reset-After',
  'RateLimit-Reset',
  'X-RateLimit-Reset',
  'X-Rate-Limit-Reset',
];

// A number of seconds this large is no wait but a point in time (1e9 s after the epoch was in 2001) …
const EPOCH_SECONDS_FROM = 1e9;
// … and one this large a point in milliseconds.
const EPOCH_MS_FROM = 1e11;

/** Reads the wait from an answer's `Retry-After`; `undefined` when it has no usable one. */
export function retryAfterSecondsOf(headers: Headers, nowMs: number): number | undefined {
  return parseRetryAfter(headers.get('retry-after'), headers.get('date'), nowMs);
}

/**
 * Reads the wait from the RateLimit family of headers: seconds, epoch seconds, epoch milliseconds or an
 * HTTP-date. Of several policies in `RateLimit` the longest wait among the exhausted ones counts.
 */
export function rateLimitResetSecondsOf(headers: Headers, nowMs: number): number | undefined {
  const date = headers.get('date');
  for (const name of RESET_HEADERS) {
    const waits = splitValues(headers.get(name) ?? '')
      .map((value) => resetSeconds(value, date, nowMs))
      .filter((seconds) => seconds !== undefined);
    if (waits.length > 0) return toWholeSeconds(Math.max(...waits));
  }
  return structuredReset(headers.get('ratelimit') ?? '');
}

/**
 * Exponential backoff with full jitter: a random wait up to 2, 4, 8 … 60 s, at least 1 s.
 *
 * @param attempt 0 for the first throttle in a row.
 * @param random 0 (inclusive) to 1 (exclusive).
 */
export function backoffSeconds(attempt: number, random: number): number {
  return toWholeSeconds(random * Math.min(MAX_BACKOFF_SECONDS, 2 ** (attempt + 1)));
}

function resetSeconds(text: string, date: string | null, nowMs: number): number | undefined {
  const number = secondsOf(text);
  if (number === undefined) return secondsUntil(text, date, nowMs);
  if (number < EPOCH_SECONDS_FROM) return number;
  const epochMs = number < EPOCH_MS_FROM ? number * 1000 : number;
  return (epochMs - (parseHttpDate(date ?? '', nowMs) ?? nowMs)) / 1000;
}

/** `"burst";r=0;t=30, "daily";r=10;t=900` (draft 8 and later) or `limit=100, remaining=0, reset=50`. */
function structuredReset(value: string): number | undefined {
  const older = /(?:^|[,;\s])reset=(\d+)/i.exec(value)?.[1];
  if (older !== undefined) return toWholeSeconds(Number(older));
  const policies = value.split(',').flatMap((policy) => {
    const reset = /;\s*t=(\d+)/i.exec(policy)?.[1];
    const remaining = /;\s*r=(\d+)/i.exec(policy)?.[1];
    return reset === undefined ? [] : [{ reset: Number(reset), exhausted: remaining === '0' }];
  });
  const exhausted = policies.filter((policy) => policy.exhausted);
  const waits = (exhausted.length > 0 ? exhausted : policies).map((policy) => policy.reset);
  return waits.length === 0 ? undefined : toWholeSeconds(Math.max(...waits));
}
