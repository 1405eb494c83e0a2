import { type Backoff, backoffMs } from '../backoff.ts';
import { defined } from '../defined.ts';
import { parseWindowEnd, retryAfterOf, toWholeSeconds, UNREAD_SECONDS } from './retry-after.ts';
import { shownText } from './shown-text.ts';
import { type StatedQuota, statedQuotas } from './stated-quotas.ts';

/**
 * Where the length of a wait came from. `backoff` is our own guess, which grows while it is repeated. A `Retry-After`
 * that cannot be read counts as a minute.
 */
export type WaitSource = 'retry-after' | 'rate-limit-reset' | 'backoff';

/** A wait that an answer asks for. */
export interface ThrottleWait {
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds: number;
  readonly waitSource: WaitSource;
  /** The header that asked for it, such as `Retry-After: 3600`, as it may be shown; absent where there is none. */
  readonly waitAsSent?: string;
}

/** The limits of the API by the RateLimit family of headers. */
export interface RateLimitFacts {
  /** Requests that are admitted still, of the limit with the fewest; absent where it has no end of its window. */
  readonly remaining?: number;
  /** Whole seconds until there are more of them, 1 or more. */
  readonly resetSeconds?: number;
  /** Each limit that is stated, 1 to 6. */
  readonly quotas: readonly StatedQuota[];
}

/** What the headers of an answer say about waiting. */
interface ThrottleHeaders {
  /** By `Retry-After` and its kind; without one, until the window of the RateLimit family ends. */
  readonly wait?: ThrottleWait;
  /** Where the headers state a limit. */
  readonly rateLimit?: RateLimitFacts;
}

/** A minute is long enough to be polite, and short enough to notice when the API is back. Full jitter. */
const BACKOFF: Backoff = { firstMs: 2_000, mostMs: 60_000, leastShare: 0 };

const MS_SECONDS = 0.001;

// The name of each header below has `rate` or `retry` in it: others are not looked at, see `limitFields`.

/** `Retry-After` and what some APIs send for finer waits (Azure), with the unit of a plain number in seconds. */
export const RETRY_HEADERS = [
  ['Retry-After', 1],
  ['Retry-After-Ms', MS_SECONDS],
  ['X-Ms-Retry-After-Ms', MS_SECONDS],
] as const;

/**
 * Headers in which APIs without `Retry-After` name the end of their window, in the order of trust:
 * explicit waits, then the IETF drafts (draft-ietf-httpapi-ratelimit-headers, up to version 6), then the
 * common X- forms.
 */
export const RESET_HEADERS = [
  'X-RateLimit-Retry-After',
  'X-RateLimit-Reset-After',
  'RateLimit-Reset',
  'X-RateLimit-Reset',
  'X-Rate-Limit-Reset',
];
/** Whose limits are stated by three headers. */
const PREFIXES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'];

const NOTHING: ThrottleHeaders = {};

/**
 * Reads what an answer says about waiting.
 *
 * @param holdsKey Whether a text holds the key. Of headers with the key only the wait is kept: names and texts are cut,
 * stored and shown, and a part of the key would not be found in them.
 */
export function readThrottle(
  headers: Headers,
  nowMs: number,
  holdsKey: (text: string) => boolean,
): ThrottleHeaders {
  const fields = limitFields(headers);
  if (fields.size === 0) return NOTHING;
  const sent = (name: string) => fields.get(name.toLowerCase()) ?? null;
  const at = { date: headers.get('date'), nowMs };
  const asked = RETRY_HEADERS.map(([name, unit]) => ({
    name,
    seconds: retryAfterOf(sent(name), at, unit),
  }));
  const reset = RESET_HEADERS.map((name) => ({
    name,
    seconds: parseWindowEnd(sent(name), at),
  })).find(({ seconds }) => seconds !== undefined);
  const prefixes = PREFIXES.filter((each) => fields.has(`${each}-limit`));
  const prefix = PREFIXES.find((each) => fields.has(`${each}-remaining`)) ?? prefixes[0];
  const quotas = statedQuotas(fields, {
    limit: fields.get(`${prefix}-limit`),
    remaining: fields.get(`${prefix}-remaining`),
    resetSeconds: reset?.seconds,
  });
  const wait =
    waitFor(longestOf(asked), 'retry-after', fields) ??
    unreadWait(fields, reset?.seconds) ??
    waitFor(
      reset ?? { name: 'RateLimit', seconds: longestReset(quotas) },
      'rate-limit-reset',
      fields,
    );
  if (holdsKey([...fields.values()].join('\0'))) return defined({ wait: wait && unnamed(wait) });
  return defined({
    wait,
    rateLimit: quotas.length === 0 ? undefined : { ...scarcest(quotas), quotas },
  });
}

/** Most answers have none of them. One look at all headers costs less than one for each name. */
function limitFields(headers: Headers): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of headers) {
    const isLimit = name.includes('rate') || name.includes('retry');
    if (isLimit) fields.set(name, value);
  }
  return fields;
}

/**
 * Exponential backoff with full jitter: a random wait up to 2, 4, 8 … 60 s, at least 1 s.
 *
 * @param attempt 0 for the first throttle in a row.
 * @param random 0 (inclusive) to 1 (exclusive).
 */
export function backoffSeconds(attempt: number, random: number): number {
  return toWholeSeconds(backoffMs(BACKOFF, attempt, random) / 1000);
}

interface NamedWait {
  readonly name: string;
  readonly seconds: number | undefined;
}

function longestOf(waits: readonly NamedWait[]): NamedWait | undefined {
  return waits
    .filter(({ seconds }) => seconds !== undefined)
    .sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0))[0];
}

/** A date with its name has 45 characters. */
const MAX_SENT_CHARACTERS = 100;

function waitFor(
  wait: NamedWait | undefined,
  waitSource: WaitSource,
  fields: ReadonlyMap<string, string>,
): ThrottleWait | undefined {
  if (wait?.seconds === undefined) return undefined;
  const sent = `${wait.name}: ${fields.get(wait.name.toLowerCase()) ?? ''}`;
  const waitAsSent = shownText(sent, MAX_SENT_CHARACTERS);
  return { retryAfterSeconds: wait.seconds, waitSource, waitAsSent };
}

/**
 * A header that is there and cannot be read asks to wait all the same, and for how long can only be guessed. Without a
 * digit it names no time, as `undefined` does, so it counts where the status is that of a failure alone.
 */
function unreadWait(
  fields: ReadonlyMap<string, string>,
  resetSeconds = 0,
): ThrottleWait | undefined {
  const sent = RETRY_HEADERS.map(([name]) => [name, fields.get(name.toLowerCase()) ?? ''] as const);
  const found = sent.find(([, text]) => text !== '');
  if (found === undefined) return undefined;
  const [name, value] = found;
  const seconds = Math.max(UNREAD_SECONDS, resetSeconds);
  return waitFor({ name, seconds }, /\d/.test(value) ? 'retry-after' : 'backoff', fields);
}

function unnamed({ waitAsSent: _, ...wait }: ThrottleWait): ThrottleWait {
  return wait;
}

/** Of the limits that are used up; when none is, of all. */
function longestReset(quotas: readonly StatedQuota[]): number | undefined {
  const usedUp = quotas.filter(({ remaining }) => remaining === 0);
  const waits = (usedUp.length > 0 ? usedUp : quotas).flatMap(
    ({ resetSeconds }) => resetSeconds ?? [],
  );
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** The limit with the fewest requests left; of several with as few the one that ends last. */
function scarcest(
  quotas: readonly StatedQuota[],
): Pick<RateLimitFacts, 'remaining' | 'resetSeconds'> {
  return (
    quotas
      .flatMap(({ remaining, resetSeconds }) =>
        remaining === undefined || resetSeconds === undefined ? [] : [{ remaining, resetSeconds }],
      )
      .sort((a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds)[0] ?? {}
  );
}
