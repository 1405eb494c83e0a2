import { expect, test } from '@jest/globals';
import { askFor, countOf, type RateLimit } from '../../../infra/simulator/rate-limit.ts';
import {
  RATE_LIMIT_HEADERS,
  rateLimitHeaders,
} from '../../../infra/simulator/rate-limit-headers.ts';
import { readThrottle } from '../../../lib/customers-api/throttle-wait.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const SECOND: RateLimit = { kind: 'fixed-window', requests: 10, windowSeconds: 1 };
const MINUTE: RateLimit = { kind: 'fixed-window', requests: 300, windowSeconds: 60 };

/** After some requests at once, 400 ms later. */
function headersAfter(
  requests: number,
  limit: RateLimit,
  form: (typeof RATE_LIMIT_HEADERS)[number],
) {
  const count = countOf(limit);
  for (let n = 0; n < requests; n += 1) askFor(count, NOW_MS);
  const nowMs = NOW_MS + 400;
  return rateLimitHeaders(form, count.quotas(nowMs), nowMs);
}

test.each([
  ['none', []],
  [
    'draft-6',
    [
      ['RateLimit-Policy', '10;w=1, 300;w=60'],
      ['RateLimit-Limit', '10'],
      ['RateLimit-Remaining', '6'],
      ['RateLimit-Reset', '1'],
    ],
  ],
  [
    'draft-7',
    [
      ['RateLimit-Policy', '10;w=1, 300;w=60'],
      ['RateLimit', 'limit=10, remaining=6, reset=1'],
    ],
  ],
  [
    'draft-8',
    [
      ['RateLimit-Policy', '"10-in-1s";q=10;w=1, "300-in-60s";q=300;w=60'],
      ['RateLimit', '"10-in-1s";r=6;t=1, "300-in-60s";r=296;t=60'],
    ],
  ],
  [
    'x-ratelimit',
    [
      ['X-RateLimit-Limit', '10'],
      ['X-RateLimit-Remaining', '6'],
      ['X-RateLimit-Reset', `${NOW_MS / 1000 + 1}`],
    ],
  ],
] as const)('two limits in the form %s', (form, expected) => {
  expect(headersAfter(4, { kind: 'all', limits: [SECOND, MINUTE] }, form)).toEqual(expected);
});

test.each(RATE_LIMIT_HEADERS.filter((form) => form !== 'none'))(
  'the client reads the form %s',
  (form) => {
    const lines = headersAfter(100, MINUTE, form);
    const headers = new Headers(lines.map(([name, value]): [string, string] => [name, value]));

    const stated = form === 'x-ratelimit' ? {} : { windowSeconds: 60 };
    expect(readThrottle(headers, NOW_MS + 400, () => false).rateLimit?.quotas).toEqual([
      {
        name: expect.any(String),
        requests: 300,
        remaining: 200,
        resetSeconds: 60,
        ...stated,
      },
    ]);
  },
);

test.each([
  [{ kind: 'token-bucket', ratePerSecond: 50, burst: 10 }, '"50-in-1s";r=9;t=1'],
  [{ kind: 'token-bucket', ratePerSecond: 0.4, burst: 2 }, '"1-in-3s";r=0;t=5'],
] as const)('of the bucket %j it tells what comes again, and what is there', (limit, expected) => {
  const count = countOf(limit);
  while (askFor(count, NOW_MS).kind === 'admitted');
  const nowMs = limit.burst === 10 ? NOW_MS + 180 : NOW_MS;

  expect(rateLimitHeaders('draft-8', count.quotas(nowMs), nowMs)[1]).toEqual([
    'RateLimit',
    expected,
  ]);
});

test('a limit of requests at the same time has no headers', () => {
  expect(headersAfter(1, { kind: 'at-once', requests: 5 }, 'draft-8')).toEqual([]);
});

test('of two limits that are used up the one that is back last is told', () => {
  const quota = { requests: 10, windowSeconds: 60, remaining: 0 };
  const quotas = [1_000, 30_000].map((resetMs) => ({ ...quota, resetMs }));
  expect(rateLimitHeaders('draft-6', quotas, NOW_MS)).toContainEqual(['RateLimit-Reset', '30']);
});
