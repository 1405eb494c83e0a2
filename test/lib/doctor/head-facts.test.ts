import { expect, test } from '@jest/globals';
import { headFactsOf } from '../../../lib/doctor/head-facts.ts';
import { limitsOf } from '../../../lib/doctor/limits.ts';
import type { SeenRead } from '../../../lib/doctor/seen-read.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

const factsOf = (headers: Record<string, string>) =>
  headFactsOf({ status: 429, headers: new Headers(headers) }, NOW, () => false);

test.each([
  [0, 0],
  // A date has whole seconds, so that it is up to one behind.
  [-900, 0],
  [-2_100, -1],
  [2_100, 2],
])('a date %i ms from our time is of a clock that is %i s ahead', (offMs, aheadSeconds) => {
  const headers = new Headers({ date: new Date(NOW).toUTCString() });
  const facts = headFactsOf({ status: 200, headers }, NOW - offMs, () => false);
  expect((facts.clockAheadSeconds ?? 0) + 0).toBe(aheadSeconds);
});

test.each([
  ['30', 'seconds'],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 'HTTP-date'],
  ['2026-01-01T12:00:30Z', 'ISO 8601 time'],
  ['1m30s', 'another form'],
])('tells the form of Retry-After: %s', (value, form) => {
  expect(factsOf({ 'retry-after': value }).retryAfterForm).toBe(form);
});

test('tells each kind of throttle once, and the headers that came last', () => {
  const read = (headers: Record<string, string>, waitAsSent: string): SeenRead => ({
    asked: { purpose: 'first-answer', page: 1 },
    outcome: {
      ...{ kind: 'throttled', status: 429, retryAfterSeconds: 30 },
      ...{ waitSource: 'retry-after', waitAsSent },
    },
    head: factsOf(headers),
    elapsedMs: 1,
  });
  const both = { 'retry-after': '1', 'retry-after-ms': '30000' };
  const limits = limitsOf([
    read(both, 'Retry-After-Ms: 30000'),
    read({ 'retry-after': '30' }, 'Retry-After: 30'),
  ]);
  expect(limits.throttles).toEqual([
    { status: 429, header: 'Retry-After-Ms', waitSeconds: 30 },
    { status: 429, header: 'Retry-After', form: 'seconds', waitSeconds: 30 },
  ]);
  expect(limits.headers).toEqual([{ name: 'retry-after', value: '30' }]);
});
