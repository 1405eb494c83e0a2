import { type Backoff, backoffMs } from '../backoff.ts';
import { defined } from '../defined.ts';
import { parseRetryAfter, parseWindowEnd, toWholeSeconds } from './retry-after.ts';

/** Where the length of a wait came from. `backoff` is our own guess, which grows while it is repeated. */
export type WaitSource = 'retry-after' | 'rate-limit-reset' | 'backoff';

/** A wait that an answer asks for. */
export interface ThrottleWait {
  /** Whole seconds, 1 or more. */
  readonly retryAfterSeconds: number;
  readonly waitSource: WaitSource;
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
  const retryAfterSeconds = longestOf(
    RETRY_HEADERS.map(([name, unit]) => parseRetryAfter(headers.get(name), at, unit)),
  );
  const resetSeconds =
    RESET_HEADERS.map((name) => parseWindowEnd(headers.get(name), at)).find(
      (seconds) => seconds !== undefined,
    ) ?? longestReset(policies);
  return defined({
    wait: waitFor(retryAfterSeconds, 'retry-after') ?? waitFor(resetSeconds, 'rate-limit-reset'),
    rateLimit: scarcest(policies) ?? leftUntil(resetSeconds, headers),
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

function longestOf(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((seconds) => seconds !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function waitFor(
  retryAfterSeconds: number | undefined,
  waitSource: WaitSource,
): ThrottleWait | undefined {
  return retryAfterSeconds === undefined ? undefined : { retryAfterSeconds, waitSource };
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
  return longestOf((usedUp.length > 0 ? usedUp : policies).map(({ resetSeconds }) => resetSeconds));
}

/** The policy with the fewest requests left; of several with as few the one that ends last. */
function scarcest(policies: readonly Policy[]): RateLimitFacts | undefined {
  return policies
    .flatMap(({ remaining, resetSeconds }) =>
      remaining === undefined ? [] : [{ remaining, resetSeconds }],
    )
    .sort((a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds)[0];
}
