import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoffSeconds, readThrottle } from '../../../lib/customers-api/throttle-wait.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const nowSeconds = now / 1000;

/** Without what it says of the header. */
function waitIn(headers: ConstructorParameters<typeof Headers>[0]) {
  const { waitAsSent: _, ...wait } =
    readThrottle(new Headers(headers), now, () => false).wait ?? {};
  return Object.keys(wait).length === 0 ? undefined : wait;
}

test.each([
  [{ 'RateLimit-Reset': '42' }, 42],
  [{ 'X-RateLimit-Reset': '42' }, 42],
  [{ 'X-Rate-Limit-Reset': String(nowSeconds + 42) }, 42],
  [{ 'X-RateLimit-Reset': String(now + 42_000) }, 42],
  [{ 'X-RateLimit-Reset': String(nowSeconds + 42), Date: 'Sat, 21 Nov 2026 12:00:40 GMT' }, 42],
  [{ 'X-RateLimit-Reset': String(nowSeconds + 42), Date: 'Sat, 21 Nov 2026 11:59:00 GMT' }, 102],
  [{ 'X-RateLimit-Reset': '1m30s' }, 90],
  [{ 'X-RateLimit-Reset': 'Sat, 21 Nov 2026 12:00:42 GMT' }, 42],
  [{ 'X-RateLimit-Reset-After': '0.25' }, 1],
  [{ 'X-RateLimit-Retry-After': '5', 'X-RateLimit-Reset': '42' }, 5],
  [{ RateLimit: '"default";r=0;t=30' }, 30],
  [{ RateLimit: '"burst";r=0;t=3, "daily";r=0;t=900, "monthly";r=10;t=90000' }, 900],
  [{ RateLimit: '"burst";r=5;t=3, "daily";r=50;t=900' }, 900],
  [{ RateLimit: 'limit=100, remaining=0, reset=50' }, 50],
  [{ 'X-RateLimit-Reset': '42, 5' }, 42],
  [{ 'X-RateLimit-Reset': 'soon' }, undefined],
  [{}, undefined],
])('%j asks to wait %s s', (headers, seconds) => {
  const wait =
    seconds === undefined
      ? undefined
      : { retryAfterSeconds: seconds, waitSource: 'rate-limit-reset' };
  expect(waitIn(headers)).toEqual(wait);
});

test.each([
  [{ 'Retry-After': '3600' }, 'Retry-After: 3600'],
  [{ 'retry-after-ms': '2500', 'Retry-After': '1' }, 'Retry-After-Ms: 2500'],
  [{ RateLimit: '"default";r=0;t=30' }, 'RateLimit: "default";r=0;t=30'],
  [{ 'Retry-After': `9\t${'9'.repeat(400)}, 7` }, `Retry-After: 9\ufffd${'9'.repeat(84)}…`],
])('says of %j which header asked, as it may be shown', (headers, waitAsSent) => {
  expect(readThrottle(new Headers(headers), now, () => false).wait?.waitAsSent).toBe(waitAsSent);
});

test('believes a usable Retry-After before all other headers', () => {
  const waitOf = (retryAfter: string) =>
    waitIn({ 'Retry-After': retryAfter, 'RateLimit-Reset': '42' });
  expect(waitOf('7')).toEqual({ retryAfterSeconds: 7, waitSource: 'retry-after' });
  expect(waitOf(' ')).toEqual({ retryAfterSeconds: 42, waitSource: 'rate-limit-reset' });
});

test.each([
  [{ 'Retry-After': 'Sat, 31 Feb 2026 12:00:07 GMT' }, 60, 'retry-after'],
  [{ 'Retry-After': '28 Dez 2026 00:12:39', 'RateLimit-Reset': '42' }, 60, 'retry-after'],
  [{ 'x-ms-retry-after-ms': '2026-13-01', 'RateLimit-Reset': '420' }, 420, 'retry-after'],
  [{ 'Retry-After': 'soon', 'RateLimit-Reset': '420' }, 420, 'backoff'],
  [{ 'Retry-After': 'undefined' }, 60, 'backoff'],
  [{ 'Retry-After': '1:'.repeat(80) }, 60, 'retry-after'],
  [{ 'Retry-After': 'soon', 'retry-after-ms': '7000' }, 7, 'retry-after'],
])('a Retry-After that cannot be read asks for a minute or more: %j', (headers, seconds, from) => {
  expect(waitIn(headers)).toEqual({ retryAfterSeconds: seconds, waitSource: from });
});

test('believes of the headers that end a window the one that says most plainly when', () => {
  const inOrder = [
    'X-RateLimit-Retry-After',
    'X-RateLimit-Reset-After',
    'RateLimit-Reset',
    'X-RateLimit-Reset',
    'X-Rate-Limit-Reset',
  ];
  for (const [index, name] of inOrder.entries()) {
    const behind = Object.fromEntries(inOrder.slice(index + 1).map((each) => [each, '99']));
    const wait = { retryAfterSeconds: 42, waitSource: 'rate-limit-reset' };
    expect(waitIn({ ...behind, [name]: '42' })).toEqual(wait);
  }
});

test.each([
  [{ 'retry-after-ms': '1500' }, 2],
  [{ 'x-ms-retry-after-ms': '20' }, 1],
  [{ 'Retry-After': '1', 'retry-after-ms': '1999.5' }, 2],
  [{ 'Retry-After': '30', 'retry-after-ms': '1500' }, 30],
])(
  'takes the longest of all headers that are named for the wait: %j asks for %i s',
  (headers, seconds) => {
    const wait = { retryAfterSeconds: seconds, waitSource: 'retry-after' };
    expect(waitIn(headers)).toEqual(wait);
  },
);

test.each([
  [
    'the three headers of the early drafts',
    { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '7', 'RateLimit-Reset': '50' },
    7,
    50,
  ],
  [
    'the X- forms with an epoch',
    { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(nowSeconds + 12) },
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
  [
    'of two that are used up the one that is back last',
    { RateLimit: '"burst";r=0;t=1, "day";r=0;t=9000' },
    0,
    9000,
  ],
  ['a reset of 0 as a second', { RateLimit: '"default";r=0;t=0' }, 0, 1],
])('reads how many requests are left from %s', (_title, headers, remaining, resetSeconds) => {
  expect(readThrottle(new Headers(headers), now, () => false).rateLimit).toMatchObject({
    remaining,
    resetSeconds,
  });
});

test.each([
  ['no header', {}],
  ['a limit alone', { 'X-RateLimit-Limit': '100' }],
  ['no number', { 'X-RateLimit-Remaining': 'many', 'X-RateLimit-Reset': '5' }],
  ['a policy without numbers', { RateLimit: '"default"' }],
])('concludes nothing about what is left from %s', (_title, headers) => {
  expect(readThrottle(new Headers(headers), now, () => false).rateLimit).toBeUndefined();
});

test('guesses from 1 s to 60 s, at most 2, 4, 8, … s for the first throttles in a row', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.nat(2000), random, (attempt, fraction) => {
      const seconds = backoffSeconds(attempt, fraction);
      expect(Number.isInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(Math.min(60, 2 ** (attempt + 1)));
    }),
  );
});

test.each([
  [0, 2],
  [1, 4],
  [4, 32],
  [5, 60],
  [2000, 60],
])('the longest guess for throttle %i in a row, from 0, is %i s', (attempt, seconds) => {
  expect(backoffSeconds(attempt, 1 - Number.EPSILON)).toBe(seconds);
});
