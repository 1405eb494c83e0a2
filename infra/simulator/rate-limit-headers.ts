import type { HeaderLine } from './answer.ts';
import type { Quota } from './rate-limit.ts';

/**
 * In which headers each answer tells the state of the limits.
 *
 * - `draft-6`, `draft-7`, `draft-8`: as in that version of draft-ietf-httpapi-ratelimit-headers.
 * - `x-ratelimit`: `X-RateLimit-Limit`, `-Remaining` and `-Reset`, the last as a Unix time in seconds.
 */
export type RateLimitHeaders = (typeof RATE_LIMIT_HEADERS)[number];

export const RATE_LIMIT_HEADERS = ['none', 'draft-6', 'draft-7', 'draft-8', 'x-ratelimit'] as const;

/** @param nowMs What the `Date` header says. */
export function rateLimitHeaders(
  form: RateLimitHeaders,
  quotas: readonly Quota[],
  nowMs: number,
): readonly HeaderLine[] {
  // Forms with room for one limit tell of that with the fewest requests left.
  const [scarcest] = quotas.toSorted((a, b) => a.remaining - b.remaining || b.resetMs - a.resetMs);
  if (form === 'none' || scarcest === undefined) return [];
  const { requests, remaining, resetMs } = scarcest;
  const policy = quotas.map((each) => `${each.requests};w=${secondsOf(each)}`).join(', ');
  const reset = wholeSeconds(resetMs);
  switch (form) {
    case 'draft-6':
      return [
        ['RateLimit-Policy', policy],
        ['RateLimit-Limit', `${requests}`],
        ['RateLimit-Remaining', `${remaining}`],
        ['RateLimit-Reset', `${reset}`],
      ];
    case 'draft-7':
      return [
        ['RateLimit-Policy', policy],
        ['RateLimit', `limit=${requests}, remaining=${remaining}, reset=${reset}`],
      ];
    case 'draft-8':
      return [
        ['RateLimit-Policy', quotas.map(policyOf).join(', ')],
        ['RateLimit', quotas.map(stateOf).join(', ')],
      ];
    case 'x-ratelimit':
      return [
        ['X-RateLimit-Limit', `${requests}`],
        ['X-RateLimit-Remaining', `${remaining}`],
        ['X-RateLimit-Reset', `${wholeSeconds(nowMs + resetMs)}`],
      ];
  }
}

function policyOf(quota: Quota): string {
  return `${nameOf(quota)};q=${quota.requests};w=${secondsOf(quota)}`;
}

function stateOf(quota: Quota): string {
  return `${nameOf(quota)};r=${quota.remaining};t=${wholeSeconds(quota.resetMs)}`;
}

function nameOf(quota: Quota): string {
  return `"${quota.requests}-in-${secondsOf(quota)}s"`;
}

function secondsOf({ windowSeconds }: Quota): number {
  return Math.ceil(windowSeconds);
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000 - 1e-9);
}
