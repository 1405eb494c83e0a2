import type { HttpHead } from '../customers-api/http.ts';
import { parseTime } from '../customers-api/parse-time.ts';
import { shownText } from '../customers-api/shown-text.ts';
import { RESET_HEADERS, RETRY_HEADERS } from '../customers-api/throttle-wait.ts';
import { defined } from '../defined.ts';

/** How a wait is written. */
export type RetryAfterForm = 'seconds' | 'HTTP-date' | 'ISO 8601 time' | 'another form';

/** What the status and headers of an answer show, as it may be shown. */
export interface HeadFacts {
  readonly status: number;
  /** Headers that speak of a limit or a wait. */
  readonly limitHeaders: readonly { readonly name: string; readonly value: string }[];
  readonly retryAfterForm?: RetryAfterForm;
  /** How far the clock of the API is ahead of ours by its `Date`, in whole seconds; absent without a usable one. */
  readonly clockAheadSeconds?: number;
}

/** A limit, what is left of it, and what an answer cost. */
const LIMIT_HEADER = /^(?:(?:x-)?rate-?limit(?:$|-)|x-(?:request|query|operation)-cost)/;
const WAIT_HEADERS: ReadonlySet<string> = new Set(
  [...RETRY_HEADERS.map(([name]) => name), ...RESET_HEADERS].map((name) => name.toLowerCase()),
);
/** Real answers have three to six. */
const MAX_HEADERS = 12;
const MAX_VALUE_CHARACTERS = 100;

/**
 * @param receivedAtMs By our own clock.
 * @param holdsKey Whether a text holds the key; such a header is left out.
 */
export function headFactsOf(
  { status, headers }: HttpHead,
  receivedAtMs: number,
  holdsKey: (text: string) => boolean,
): HeadFacts {
  const limitHeaders = [...headers]
    .filter(([name, value]) => isOfLimit(name) && !holdsKey(`${name}: ${value}`))
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => ({ name, value: shownText(value, MAX_VALUE_CHARACTERS) }));
  const retryAfter = headers.get('retry-after');
  const dateMs = parseTime(headers.get('date') ?? '', receivedAtMs);
  return {
    status,
    limitHeaders,
    ...defined({
      retryAfterForm: retryAfter === null ? undefined : formOf(retryAfter, receivedAtMs),
      clockAheadSeconds: dateMs === undefined ? undefined : aheadSeconds(dateMs, receivedAtMs),
    }),
  };
}

function isOfLimit(name: string): boolean {
  return WAIT_HEADERS.has(name) || LIMIT_HEADER.test(name);
}

function formOf(value: string, nowMs: number): RetryAfterForm {
  const text = value.trim();
  if (/^\d+$/.test(text)) return 'seconds';
  if (parseTime(text, nowMs) === undefined) return 'another form';
  if (/^\d{4}-\d\d-\d\d/.test(text)) return 'ISO 8601 time';
  return /^[a-z]{3}/i.test(text) ? 'HTTP-date' : 'another form';
}

/** A `Date` has whole seconds, so it is up to one behind. */
function aheadSeconds(dateMs: number, receivedAtMs: number): number {
  const aheadMs = dateMs - receivedAtMs;
  return aheadMs > 0 ? Math.floor(aheadMs / 1000) : Math.min(0, Math.ceil((aheadMs + 1000) / 1000));
}
