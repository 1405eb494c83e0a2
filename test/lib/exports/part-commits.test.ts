import { expect, test } from '@jest/globals';
import { PartWriter } from '../../../lib/exports/part.ts';
import { type CommitPart, PartCommits } from '../../../lib/exports/part-commits.ts';
import { stateOf } from './state-of.ts';

const BASE = stateOf({ writeToken: 'base' });

function partWith(discarded: string[], name: string): PartWriter {
  return Object.assign(new PartWriter(1, 'gzip'), { discard: () => discarded.push(name) });
}

function begun(commit: CommitPart) {
  const discarded: string[] = [];
  const broken: true[] = [];
  const commits = new PartCommits(BASE, commit, () => broken.push(true));
  commits.begin(BASE, stateOf({ writeToken: 'filled' }), partWith(discarded, 'part'));
  return { commits, discarded, broken };
}

test('has settled on what the ledger holds before the first commit', async () => {
  const commits = new PartCommits(
    BASE,
    () => Promise.reject(new Error('not called')),
    () => {},
  );
  expect(await commits.settled()).toBe(BASE);
});

test('settles on what was committed, and discards the part then', async () => {
  const stored = stateOf({ writeToken: 'stored' });
  const { promise, resolve } = Promise.withResolvers<typeof stored>();
  const { commits, discarded, broken } = begun(() => promise);
  expect(discarded).toEqual([]);

  resolve(stored);

  expect(await commits.settled()).toBe(stored);
  expect(broken).toEqual([]);
  expect(discarded).toEqual(['part']);
});

test('tells that it is broken when another worker has gone on', async () => {
  const { commits, broken } = begun(() => Promise.resolve(undefined));
  expect(await commits.settled()).toBeUndefined();
  expect(broken).toEqual([true]);
});

test('tells that it is broken when a commit fails, and how to whoever asks', async () => {
  const { commits, discarded, broken } = begun(() => Promise.reject(new Error('S3 is away')));
  await commits.over();
  expect(broken).toEqual([true]);
  expect(discarded).toEqual(['part']);
  await expect(commits.settled()).rejects.toThrow('S3 is away');
});
