import { rateLimitResetSecondsOf } from './throttle-wait.ts';

/** What an answer tells of the API's limit in the RateLimit family of headers. */
export interface RateLimitFacts {
  /** Requests that are admitted still. */
  readonly remaining: number;
  /** Whole seconds until there are more, 1 or more. */
  readonly resetSeconds: number;
}

/** The forms in use beside the IETF draft (draft-ietf-httpapi-ratelimit-headers, up to version 6). */
const REMAINING_HEADERS = [
  'RateLimit-Remaining',
  'X-RateLimit-Remaining',
  'X-Rate-Limit-Remaining',
];

/**
 * Reads how many requests are left and for how long; `undefined` when the headers do not tell both.
 * Of several policies the scarcest one counts.
 */
export function rateLimitFactsOf(headers: Headers, nowMs: number): RateLimitFacts | undefined {
  const structured = structuredFacts(headers.get('ratelimit') ?? '');
  if (structured !== undefined) return structured;
  const remaining = REMAINING_HEADERS.map((name) => headers.get(name)).find(
    (text) => text !== null,
  );
  if (remaining === undefined || remaining === null || !/^\s*\d{1,15}\s*$/.test(remaining)) {
    return undefined;
  }
  const resetSeconds = rateLimitResetSecondsOf(headers, nowMs);
  return resetSeconds === undefined ? undefined : { remaining: Number(remaining), resetSeconds };
}

/** `"burst";r=0;t=30, "daily";r=10;t=900` (draft 8 and later) or `limit=100, remaining=0, reset=50`. */
function structuredFacts(value: string): RateLimitFacts | undefined {
  const older = /(?:^|[,;\s])remaining=(\d{1,15})\b.*(?:^|[,;\s])reset=(\d{1,15})\b/i.exec(value);
  const found = older === null ? value.split(',').map(policyFacts) : [factsOf(older[1], older[2])];
  return found
    .filter((facts) => facts !== undefined)
    .sort((a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds)[0];
}

function policyFacts(policy: string): RateLimitFacts | undefined {
  const remaining = /;\s*r=(\d{1,15})\b/i.exec(policy)?.[1];
  return factsOf(remaining, /;\s*t=(\d{1,15})\b/i.exec(policy)?.[1]);
}

function factsOf(remaining?: string, reset?: string): RateLimitFacts | undefined {
  if (remaining === undefined || reset === undefined) return undefined;
  return { remaining: Number(remaining), resetSeconds: Math.max(1, Number(reset)) };
}
