import { expect, test } from '@jest/globals';
import { DEPTH_TIMEOUT_MS, expectMet, seedsOf, trySeed } from '../deep/depth.ts';
import { LiveCallers } from './live-callers.ts';

const SEEDS = seedsOf({ short: 40, deep: 6_000 });

test.each([
  ['agree', [0, 0, 0, 0]],
  ['are minutes apart', [0, 120_000, -120_000, 3_000]],
])(
  'live reads and writes of several processes are never early, send no rejected key and write to no other organization while their clocks %s',
  async (_how, clocksAheadMs) => {
    const met = new Map<string, number>();
    for (const seed of SEEDS) {
      await trySeed(seed, async () => {
        const callers = new LiveCallers(seed, seed % 3 === 0 ? 0.03 : 0);
        await callers.run(clocksAheadMs);
        expect(callers.problems).toEqual([]);
        for (const [kind, times] of callers.met) met.set(kind, (met.get(kind) ?? 0) + times);
      });
    }
    const kinds = ['page', 'done', 'throttled', 'blocked', 'halted', 'organization-changed'];
    const often = Object.fromEntries(kinds.map((kind) => [kind, met.get(kind) ?? 0]));
    expectMet(often, { short: 8, deep: 500 });
  },
  DEPTH_TIMEOUT_MS,
);
