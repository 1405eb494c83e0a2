import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readThrottle } from '../../../lib/customers-api/throttle-wait.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);

function quotasIn(headers: Record<string, string>) {
  return readThrottle(new Headers(headers), NOW_MS, () => false).rateLimit?.quotas;
}

const MINUTE = { requests: 100, windowSeconds: 60 };
const SECOND = { requests: 10, windowSeconds: 1 };

test.each([
  [
    'a policy of draft 8 without a state',
    { 'RateLimit-Policy': '"default";q=100;w=60' },
    [{ name: 'default', ...MINUTE }],
  ],
  [
    'two policies of draft 8 and the state of both',
    {
      'RateLimit-Policy': '"default";q=100;w=60, "burst";q=10;w=1',
      RateLimit: '"burst";r=7;t=1,"default";r=50;t=30',
    },
    [
      { name: 'default', ...MINUTE, remaining: 50, resetSeconds: 30 },
      { name: 'burst', ...SECOND, remaining: 7, resetSeconds: 1 },
    ],
  ],
  [
    'units and partition keys of draft 10',
    {
      'RateLimit-Policy':
        '"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:, "atonce";q=4;qu="concurrent-requests", "many";qu="requests";q=100;w=60;pk=:cHsdsRa894==:',
      RateLimit: '"many";r=99;t=60;pk=:cHsdsRa894==:',
    },
    [
      { name: 'atonce', requests: 4, isAtOnce: true },
      { name: 'many', ...MINUTE, remaining: 99, resetSeconds: 60 },
    ],
  ],
  [
    'names and comments with separators in them',
    { 'RateLimit-Policy': '"a, b; \\"c\\"";q=100;w=60;comment="x;w=1, y", "d";q=10;w=1' },
    [
      { name: 'a, b; \\"c\\"', ...MINUTE },
      { name: 'd', ...SECOND },
    ],
  ],
  [
    'draft 7',
    { 'RateLimit-Policy': '100;w=60, 10;w=1', RateLimit: 'limit=10, remaining=5, reset=1' },
    [
      { name: '100;w=60', ...MINUTE },
      { name: '10;w=1', ...SECOND, remaining: 5, resetSeconds: 1 },
    ],
  ],
  [
    'draft 6, where the first number names the limit that is near',
    {
      'RateLimit-Limit': '10, 10;w=1, 100;w=60',
      'RateLimit-Remaining': '5',
      'RateLimit-Reset': '1',
    },
    [
      { name: '10;w=1', ...SECOND, remaining: 5, resetSeconds: 1 },
      { name: '100;w=60', ...MINUTE },
    ],
  ],
  [
    'Envoy, before anything is known of what is left',
    { 'X-RateLimit-Limit': '10, 10;w=1, 100;w=60' },
    [
      { name: '10;w=1', ...SECOND },
      { name: '100;w=60', ...MINUTE },
    ],
  ],
  [
    'Envoy',
    {
      'X-RateLimit-Limit': '10, 10;w=1;name="per-ip", 100;w=60',
      'X-RateLimit-Remaining': '5',
      'X-RateLimit-Reset': '1',
    },
    [
      { name: '10;w=1', ...SECOND, remaining: 5, resetSeconds: 1 },
      { name: '100;w=60', ...MINUTE },
    ],
  ],
  [
    'Kong',
    {
      'X-RateLimit-Limit-Second': '10',
      'X-RateLimit-Remaining-Second': '7',
      'X-RateLimit-Limit-Minute': '100',
      'X-RateLimit-Remaining-Minute': '50',
      'RateLimit-Limit': '10',
      'RateLimit-Remaining': '7',
      'RateLimit-Reset': '1',
    },
    [
      { name: '10', ...SECOND, remaining: 7, resetSeconds: 1 },
      { name: '100', ...MINUTE, remaining: 50 },
    ],
  ],
  [
    'the usual three with an epoch',
    {
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '50',
      'X-RateLimit-Reset': `${NOW_MS / 1000 + 30}`,
    },
    [{ name: '100', requests: 100, remaining: 50, resetSeconds: 30 }],
  ],
  [
    'the usual three with an epoch in milliseconds',
    {
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '50',
      'X-RateLimit-Reset': `${NOW_MS + 29_001}`,
    },
    [{ name: '100', requests: 100, remaining: 50, resetSeconds: 30 }],
  ],
  [
    'the usual three with a date',
    {
      'X-Rate-Limit-Limit': '100',
      'X-Rate-Limit-Remaining': '50',
      'X-Rate-Limit-Reset': new Date(NOW_MS + 30_000).toUTCString(),
    },
    [{ name: '100', requests: 100, remaining: 50, resetSeconds: 30 }],
  ],
  [
    'a policy of 1,000 characters',
    { 'RateLimit-Policy': `100;w=60;comment="${'c'.repeat(981)}"` },
    [{ name: '100;w=60', ...MINUTE }],
  ],
  [
    'the same policy again, and another one after many',
    { 'RateLimit-Policy': '10;w=1', 'RateLimit-Limit': '100', 'RateLimit-Remaining': '5' },
    [
      { name: '10;w=1', ...SECOND },
      { name: '100', requests: 100, remaining: 5 },
    ],
  ],
  [
    'a limit of none as one without a size',
    { 'X-RateLimit-Limit': '0', 'X-RateLimit-Remaining': '5' },
    [{ name: '', remaining: 5 }],
  ],
  [
    'the first of two policies with one name',
    { 'RateLimit-Policy': '"a";q=100;w=60, "a";q=10;w=1' },
    [{ name: 'a', ...MINUTE }],
  ],
  ['no reset', { 'X-RateLimit-Remaining': '5' }, [{ name: '', remaining: 5 }]],
])('reads %s', (_title, headers, quotas) => {
  expect(quotasIn(headers)).toEqual(quotas);
});

test.each([
  ['no request', '"a";q=0;w=60'],
  ['no window', '"a";q=10'],
  ['a window of nothing', '"a";q=10;w=0'],
  ['a number that is none', '"a";q=NaN;w=60'],
  ['a number with an exponent', '"a";q=1e30;w=60'],
  ['a negative number', '"a";q=-1;w=60'],
  ['more digits than a number has', `"a";q=${'9'.repeat(16)};w=60`],
  ['1,001 characters', `"a";q=10;w=60;comment="${'c'.repeat(977)}"`],
  ['a unit of its own', '"a";q=10;w=60;qu="cookies"'],
  ['a text without an end', `"a";q=10;w=60, "${'b'.repeat(2_000)}`],
])('takes a policy with %s for none', (_title, policy) => {
  expect(quotasIn({ 'RateLimit-Policy': policy })).toBeUndefined();
});

test.each(['-1', '1e308', 'NaN', 'Infinity', '1.5', '9'.repeat(16), ''])(
  'takes %j left for no number',
  (remaining) => {
    expect(
      quotasIn({ 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': remaining }),
    ).toBeUndefined();
    expect(quotasIn({ RateLimit: `"a";r=${remaining};t=1` })).toBeUndefined();
  },
);

test('keeps what tells policies apart of long names', () => {
  const name = 'a'.repeat(300);
  const headers = { 'RateLimit-Policy': `"${name}";q=100;w=60`, RateLimit: `"${name}";r=5;t=1` };
  expect(quotasIn(headers)).toEqual([
    { name: 'a'.repeat(40), ...MINUTE, remaining: 5, resetSeconds: 1 },
  ]);
});

test('keeps the first six of many policies, and each name once', () => {
  const many = Array.from({ length: 50 }, (_, index) => `"${index % 40}";q=10;w=${index + 1}`);
  const quotas = quotasIn({ 'RateLimit-Policy': many.join(', ') });
  expect(quotas?.map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5']);
  // Nor more of which only what is left is stated.
  const left = Array.from({ length: 50 }, (_, index) => `"${index}";r=${index};t=1`);
  const lefts = quotasIn({ RateLimit: left.join(', ') });
  expect(lefts?.map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5']);
});

test('reads any text, to whole numbers of requests and seconds only', () => {
  const words = fc.constantFrom(
    '"a"',
    ';',
    ',',
    '=',
    'q=10',
    'w=60',
    'r=1',
    't=5',
    '"',
    '\\',
    '1e9',
  );
  const text = fc.array(words, { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, text, (policy, state, limit) => {
      const headers = {
        'RateLimit-Policy': policy,
        RateLimit: state,
        'X-RateLimit-Limit': limit,
        'X-RateLimit-Remaining': '3',
      };
      for (const { name: _, isAtOnce: __, ...numbers } of quotasIn(headers) ?? []) {
        for (const [member, value] of Object.entries(numbers)) {
          expect(Number.isSafeInteger(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(member === 'remaining' ? 0 : 1);
        }
      }
    }),
  );
});
