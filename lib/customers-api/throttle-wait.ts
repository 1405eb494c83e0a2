import { type Backoff, backoffMs } from '../backoff.ts';
import { defined } from '../defined.ts';
import { parseRetryAfter, parseWindowEnd, toWholeSeconds } from './retry-after.ts';
import { shownText } from './shown-text.ts';

/** Where the length of a wait came from. `backoff` is our own guess, which grows while it is repeated. */
export type WaitSource = 'retry-after' | 'rate-limit-reset' | 'backoff';

/** A wait that an answer asks for. */
export interface ThrottleWait {
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds: number;
  readonly waitSource: WaitSource;
  /** The header that asked for it, such as `Retry-After: 3600`, as it may be shown; absent for `backoff`. */
  readonly waitAsSent?: string;
}

/** The state of the API's limit by the RateLimit family of headers. */
export interface RateLimitFacts {
  /** Requests that are admitted still. */
  readonly remaining: number;
  /** Whole seconds until there are more, 1 or more. */
  readonly resetSeconds: number;
}

/** What the headers of an answer say about waiting. */
export interface ThrottleHeaders {
  /** By `Retry-After` and its kind; without a usable one, until the window of the RateLimit family ends. */
  readonly wait?: ThrottleWait;
  /** Where the headers name both the requests that are left and the end of the window. */
  readonly rateLimit?: RateLimitFacts;
}

/** A minute is long enough to be polite, and short enough to notice when the API is back. Full jitter. */
const BACKOFF: Backoff = { firstMs: 2_000, mostMs: 60_000, leastShare: 0 };

const MS_SECONDS = 0.001;

/** `Retry-After` and what some APIs send for finer waits (Azure), with the unit of a plain number in seconds. */
const RETRY_HEADERS = [
  ['Retry-After', 1],
  ['Retry-After-Ms', MS_SECONDS],
  ['X-Ms-Retry-After-Ms', MS_SECONDS],
] as const;

/**
 * Headers in which APIs without `Retry-After` name the end of their window, in the order of trust:
 * explicit waits, then the IETF drafts (draft-ietf-httpapi-ratelimit-headers, up to version 6), then the
 * common X- forms.
 */
const RESET_HEADERS = [
  'X-RateLimit-Retry-After',
  'X-RateLimit-Reset-After',
  'RateLimit-Reset',
  'X-RateLimit-Reset',
  'X-Rate-Limit-Reset',
];
const REMAINING_HEADERS = [
  'RateLimit-Remaining',
  'X-RateLimit-Remaining',
  'X-Rate-Limit-Remaining',
];

/** Reads what an answer says about waiting. */
export function readThrottle(headers: Headers, nowMs: number): ThrottleHeaders {
  const at = { date: headers.get('date'), nowMs };
  const policies = policiesIn(headers.get('ratelimit') ?? '');
  const asked = RETRY_HEADERS.map(([name, unit]) => ({
    name,
    seconds: parseRetryAfter(headers.get(name), at, unit),
  }));
  const reset = RESET_HEADERS.map((name) => ({
    name,
    seconds: parseWindowEnd(headers.get(name), at),
  })).find(({ seconds }) => seconds !== undefined) ?? {
    name: 'RateLimit',
    seconds: longestReset(policies),
  };
  return defined({
    wait:
      waitFor(longestOf(asked), 'retry-after', headers) ??
      waitFor(reset, 'rate-limit-reset', headers),
    rateLimit: scarcest(policies) ?? leftUntil(reset.seconds, headers),
  });
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
  headers: Headers,
): ThrottleWait | undefined {
  if (wait?.seconds === undefined) return undefined;
  const sent = `${wait.name}: ${headers.get(wait.name) ?? ''}`;
  const waitAsSent = shownText(sent, MAX_SENT_CHARACTERS);
  return { retryAfterSeconds: wait.seconds, waitSource, waitAsSent };
}

function leftUntil(resetSeconds: number | undefined, headers: Headers): RateLimitFacts | undefined {
  const remaining = REMAINING_HEADERS.map((name) => headers.get(name)).find(
    (text) => text !== null,
  );
  const isCount = remaining !== undefined && /^\s*\d{1,15}\s*$/.test(remaining ?? '');
  return isCount && resetSeconds !== undefined
    ? { remaining: Number(remaining), resetSeconds }
    : undefined;
}

/** One limit of the `RateLimit` header. */
interface Policy {
  readonly remaining: number | undefined;
  readonly resetSeconds: number;
}

/** `"burst";r=0;t=30, "daily";r=10;t=900` (draft 8 and later) or `limit=100, remaining=0, reset=50`. */
function policiesIn(value: string): readonly Policy[] {
  const older = policyOf(
    /(?:^|[,;\s])remaining=(\d+)/i.exec(value)?.[1],
    /(?:^|[,;\s])reset=(\d+)/i.exec(value)?.[1],
  );
  if (older !== undefined) return [older];
  return value
    .split(',')
    .map((text) => policyOf(/;\s*r=(\d+)/i.exec(text)?.[1], /;\s*t=(\d+)/i.exec(text)?.[1]))
    .filter((policy) => policy !== undefined);
}

function policyOf(remaining: string | undefined, reset: string | undefined): Policy | undefined {
  if (reset === undefined) return undefined;
  return {
    remaining: remaining === undefined ? undefined : Number(remaining),
    resetSeconds: toWholeSeconds(Number(reset)),
  };
}

/** Of the policies that are used up; when none is, of all. */
function longestReset(policies: readonly Policy[]): number | undefined {
  const usedUp = policies.filter(({ remaining }) => remaining === 0);
  const waits = (usedUp.length > 0 ? usedUp : policies).map(({ resetSeconds }) => resetSeconds);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** The policy with the fewest requests left; of several with as few the one that ends last. */
function scarcest(policies: readonly Policy[]): RateLimitFacts | undefined {
  return policies
    .flatMap(({ remaining, resetSeconds }) =>
      remaining === undefined ? [] : [{ remaining, resetSeconds }],
    )
    .sort((a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds)[0];
}
