import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import { DEPTH_TIMEOUT_MS, seedsOf, tried, trySeed } from '../../deep/depth.ts';
import { randomClocks } from '../random-clocks.ts';
import { OPERATIONS } from './operations.ts';
import { oneOfEach, runWrites } from './run-writes.ts';
import { checkOrder, checkWrites } from './write-checks.ts';

const SEEDS = seedsOf({ short: 40, deep: 2_000 });

test(
  'sends each write once and checks none, whatever the clocks of machines show',
  async () => {
    tried('seeds of clocks of writes', SEEDS.length);
    for (const seed of SEEDS) {
      const random = randomOf(seed);
      const clocksAheadMs = randomClocks(random);
      const world = await trySeed(seed, () =>
        runWrites(
          // Slow enough for a second delivery of a message to come meanwhile.
          {
            seed,
            clocksAheadMs,
            duplicates: 0.5,
            latencyMs: 8_000,
            settings: { operations: OPERATIONS },
          },
          oneOfEach(),
        ),
      );
      checkWrites(world, oneOfEach());
      checkOrder(world, oneOfEach());
      // Each function has the time that it has, also in its first invocation.
      expect(world.reports.filter(({ result }) => result === 'error')).toEqual([]);
      const asked = world.api.requests.map(({ kind, writeId }) => `${kind} ${writeId}`);
      expect(asked.sort()).toEqual(
        oneOfEach()
          .map(({ writeId }) => `write ${writeId}`)
          .sort(),
      );
    }
  },
  DEPTH_TIMEOUT_MS,
);
