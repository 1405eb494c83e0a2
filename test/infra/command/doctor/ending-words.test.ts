import { expect, test } from '@jest/globals';
import { endingWords } from '../../../../infra/command/doctor/ending-words.ts';
import type { Profile } from '../../../../lib/doctor/profile.ts';

const problem = { kind: 'refused', reason: 'client-error', status: 404, message: 'None.' } as const;

test.each<[Partial<Profile>, RegExp]>([
  [{ ending: 'wait-too-long', waitSeconds: 7_200 }, /no request for 7,200 s, .*--max-wait\.$/],
  [{ ending: 'reads-used-up' }, /^Ten requests are the most that are made\./],
  [
    { ending: 'unavailable', problem },
    /^None\. Asked for was https:\/\/a\.example\/2\.0\/people\.$/,
  ],
  [{ ending: 'refused' }, /^The answer was no page\.$/],
  [
    { ending: 'refused', problem },
    /^None\.\nNothing is at https.* It has no path: some APIs need one/,
  ],
])('says why it ended early: %j', (change, words) => {
  const limits = { headers: [], stated: [], throttles: [] };
  const profile = { ending: 'refused', requests: 1, waitedSeconds: 3, limits, ...change } as const;
  const examined = { baseUrl: 'https://a.example/', resource: 'people', query: {} };
  const [asked, ...why] = endingWords(profile, examined).split('\n');

  expect(asked).toBe('1 request, waited 3 s as the API asked.');
  expect(why.join('\n')).toMatch(words);
});
