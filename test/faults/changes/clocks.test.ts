import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import { DEPTH_TIMEOUT_MS, seedsOf, tried, trySeed } from '../../deep/depth.ts';
import { randomClocks } from '../random-clocks.ts';
import { checkChanges } from './change-checks.ts';
import { ChangeWorld, type Records } from './change-world.ts';

const SEEDS = seedsOf({ short: 40, deep: 2_000 });
const HOUR_MS = 3600 * 1000;
const CHANGED = 40;

function recordsOf(version: number): Records {
  return new Map(
    Array.from({ length: CHANGED }, (_, id) => [String(id), `{"id":${id},"v":${version}}`]),
  );
}

test(
  'tells each change once, whatever the clocks of machines show',
  async () => {
    tried('seeds of clocks of changes', SEEDS.length);
    for (const seed of SEEDS) {
      const world = await trySeed(seed, async () => {
        const clocksAheadMs = randomClocks(randomOf(seed));
        // Slow enough for a second delivery of a message to come meanwhile.
        const world = new ChangeWorld({ seed, clocksAheadMs, duplicates: 0.7, putMs: 4_000 });
        world.completed('e0', recordsOf(0));
        const secondAtMs = world.clock.now() + HOUR_MS;
        world.clock.at(secondAtMs, () => world.completed('e1', recordsOf(1)));
        await world.runOut(secondAtMs);
        return world;
      });
      checkChanges(world);
      expect(world.told).toHaveLength(CHANGED);
    }
  },
  DEPTH_TIMEOUT_MS,
);
