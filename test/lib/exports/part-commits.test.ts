import { expect, test } from '@jest/globals';
import { PartWriter } from '../../../lib/exports/part.ts';
import { type CommitPart, PartCommits } from '../../../lib/exports/part-commits.ts';
import { stateOf } from './state-of.ts';

const BASE = stateOf({ writeToken: 'base' });

function partWith(discarded: string[], name: string): PartWriter {
  return Object.assign(new PartWriter(1), { discard: () => discarded.push(name) });
}

function begun(commit: CommitPart) {
  const discarded: string[] = [];
  const commits = new PartCommits(BASE, commit);
  commits.begin(BASE, stateOf({ writeToken: 'filled' }), partWith(discarded, 'part'));
  return { commits, discarded };
}

test('has settled on what the ledger holds before the first commit', async () => {
  const commits = new PartCommits(BASE, () => Promise.reject(new Error('not called')));
  expect(await commits.settled()).toBe(BASE);
  expect(commits.isBroken).toBe(false);
});

test('settles on what was committed, and discards the part then', async () => {
  const stored = stateOf({ writeToken: 'stored' });
  const { promise, resolve } = Promise.withResolvers<typeof stored>();
  const { commits, discarded } = begun(() => promise);
  expect(discarded).toEqual([]);

  resolve(stored);

  expect(await commits.settled()).toBe(stored);
  expect(commits.isBroken).toBe(false);
  expect(discarded).toEqual(['part']);
});

test('is broken once another worker has gone on', async () => {
  const { commits } = begun(() => Promise.resolve(undefined));
  expect(await commits.settled()).toBeUndefined();
  expect(commits.isBroken).toBe(true);
});

test('is broken once a commit fails, tells how to whoever asks, and is over all the same', async () => {
  const { commits, discarded } = begun(() => Promise.reject(new Error('S3 is away')));
  await commits.over();
  expect(commits.isBroken).toBe(true);
  expect(discarded).toEqual(['part']);
  await expect(commits.settled()).rejects.toThrow('S3 is away');
});
