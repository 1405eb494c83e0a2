import { expect, test } from '@jest/globals';
import { swapLine } from '../../../lib/steps/swap-line.ts';

interface Line {
  readonly writeToken: string;
  readonly ids: readonly string[];
}

/** A line that others change before the first so many swaps. */
function worldOf(conflicts: number) {
  let line: Line | undefined;
  let tokens = 0;
  const pausesMs: number[] = [];
  const tried: (string | undefined)[] = [];
  const ports = {
    clock: { sleep: async (ms: number) => void pausesMs.push(ms) },
    random: { fraction: () => 0.5, token: () => `t${++tokens}` },
  };
  const shared = {
    name: 'The line of all',
    read: async () => line,
    swap: async (ids: readonly string[], writeToken: string, expected: string | undefined) => {
      tried.push(expected);
      if (tried.length <= conflicts) {
        line = { writeToken: `other-${tried.length}`, ids: [...(line?.ids ?? []), 'other'] };
      }
      if (line?.writeToken !== expected) return { kind: 'conflict' as const, current: line };
      line = { writeToken, ids };
      return { kind: 'written' as const };
    },
  };
  const join = (id: string | undefined) =>
    swapLine(
      ports,
      shared,
      (before: Line | undefined) => (id === undefined ? undefined : [...(before?.ids ?? []), id]),
      (ids) => ids,
    );
  return { join, pausesMs, tried, current: () => line };
}

test('decides again by what others stored meanwhile, after a pause at random', async () => {
  const { join, pausesMs, tried, current } = worldOf(2);

  expect(await join('own')).toEqual(['other', 'other', 'own']);
  expect(current()).toEqual({ writeToken: 't3', ids: ['other', 'other', 'own'] });
  expect(tried).toEqual([undefined, 'other-1', 'other-2']);
  expect(pausesMs).toEqual([50, 50]);
});

test('stores nothing for a decision that changes nothing', async () => {
  const { join, tried } = worldOf(0);

  expect(await join(undefined)).toBeUndefined();
  expect(tried).toEqual([]);
});

test('gives up a line that changes each time, and names it', async () => {
  const { join, tried } = worldOf(Number.POSITIVE_INFINITY);

  await expect(join('own')).rejects.toThrow(
    'The line of all was changed 30 times meanwhile. Try again.',
  );
  expect(tried).toHaveLength(30);
});
