import { expect, test } from '@jest/globals';
import { profileRows } from '../../../../infra/command/doctor/profile-words.ts';
import type { StatedQuota } from '../../../../lib/customers-api/stated-quotas.ts';
import type { Profile } from '../../../../lib/doctor/profile.ts';

function rowsOf(change: Partial<Profile>, stated: readonly StatedQuota[] = []) {
  const limits = { headers: [], stated, throttles: [] };
  const about = { ending: 'all-asked', requests: 1, waitedSeconds: 0, limits } as const;
  return Object.fromEntries(
    profileRows({ ...about, ...change }).filter((row) => row !== undefined),
  );
}

test.each<[string, Omit<StatedQuota, 'name'>]>([
  ['1,200 requests in 60 s', { requests: 1_200, windowSeconds: 60, remaining: 5 }],
  ['1,200 requests in a window', { requests: 1_200, remaining: 5 }],
  ['4 requests at the same time', { requests: 4, isAtOnce: true }],
  ['5 requests left', { remaining: 5, resetSeconds: 30 }],
])('says of a stated limit: %s', (words, quota) => {
  const { Limit } = rowsOf({}, [{ name: 'a', ...quota }]);
  expect(Limit).toContain(`Stated, and kept from the first request on: ${words}.`);
});

test.each([
  [5, 'The same as here, within 5 s.'],
  [60, "The API's clock is 60 s ahead of ours. Waits count by the later of both."],
  [-3_600, "The API's clock is 3,600 s behind ours. Waits count by the later of both."],
])('says how far the clock of the API is off: %i s', (clockAheadSeconds, words) => {
  expect(rowsOf({ clockAheadSeconds })['Clock']).toBe(words);
});

test('says nothing of limits where no answer came', () => {
  const message = 'Nothing listens there.';
  const problem = { kind: 'unavailable', reason: 'unreachable', message } as const;

  expect(rowsOf({ ending: 'unavailable', problem })).toEqual({});
  expect(rowsOf({ ending: 'unavailable', problem: { ...problem, status: 503 } })).toEqual({
    Limit: 'No header speaks of a limit.',
  });
});

test('says of each kind of throttle what it looked like and how long a wait it asked for, waited or not', () => {
  const throttles = [
    { status: 429, header: 'Retry-After', form: 'seconds', waitSeconds: 1_200 },
    { status: 503, header: 'RateLimit-Reset', waitSeconds: 30 },
    { status: 429, waitSeconds: 2 },
  ] as const;

  expect(rowsOf({ limits: { headers: [], stated: [], throttles } })['Limit']).toBe(
    [
      'No header speaks of a limit.',
      'Status 429 with Retry-After (seconds): 1,200 s.',
      'Status 503 with RateLimit-Reset: 30 s.',
      'Status 429 without a wait: 2 s are taken.',
    ].join('\n'),
  );
});
