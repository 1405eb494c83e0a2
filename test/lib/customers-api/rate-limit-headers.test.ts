import { expect, test } from '@jest/globals';
import { rateLimitFactsOf } from '../../../lib/customers-api/rate-limit-headers.ts';

const NOW = Date.UTC(2026, 0, 1);

test.each([
  [
    'the three headers of the early drafts',
    { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '7', 'RateLimit-Reset': '50' },
    7,
    50,
  ],
  [
    'the X- forms with an epoch',
    { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW / 1000 + 12) },
    0,
    12,
  ],
  ['one header of draft 7', { RateLimit: 'limit=100, remaining=50, reset=5' }, 50, 5],
  [
    'one policy of draft 8',
    { RateLimit: '"default";r=50;t=30', 'RateLimit-Policy': '"default";q=100;w=60' },
    50,
    30,
  ],
  ['the scarcest of two policies', { RateLimit: '"day";r=900;t=9000, "burst";r=2;t=1' }, 2, 1],
  ['a reset of 0 as a second', { RateLimit: '"default";r=0;t=0' }, 0, 1],
])('reads %s', (_title, headers, remaining, resetSeconds) => {
  expect(rateLimitFactsOf(new Headers(headers), NOW)).toEqual({ remaining, resetSeconds });
});

test.each([
  ['no header', {}],
  ['a limit alone', { 'X-RateLimit-Limit': '100' }],
  ['no reset', { 'X-RateLimit-Remaining': '5' }],
  ['no number', { 'X-RateLimit-Remaining': 'many', 'X-RateLimit-Reset': '5' }],
  ['a policy without numbers', { RateLimit: '"default"' }],
])('concludes nothing from %s', (_title, headers) => {
  expect(rateLimitFactsOf(new Headers(headers), NOW)).toBeUndefined();
});
