import { expect, test } from '@jest/globals';
import { checkCopy, checkOver } from './checks.ts';
import { throttled } from './model-api.ts';
import { EXPORT_ID, isOver, startIn } from './run-export.ts';
import { World } from './world.ts';

/** What a look at the gate may miss: what was recorded less than this ago. */
const RECORDED_WITHIN_MS = 100;
const LIVE_READ_EVERY_MS = 970;

test.each([
  [[0]],
  [[15_000, -15_000]],
  [[-15_000, 15_000, 0]],
  [[0, 15_000, -15_000, 7_300, -800]],
])(
  'asks none too early while the clocks of its functions are %j ms ahead',
  async (clocksAheadMs) => {
    const world = new World({
      customers: 400,
      clocksAheadMs,
      // Live reads ask for the first page.
      behaviour: ({ before, page }) =>
        page > 1 && before % 5 === 4 ? throttled(1 + (before % 40)) : undefined,
      settings: { pagesInFlight: 1 },
    });
    await startIn(world, EXPORT_ID);
    const readLater = () =>
      world.clock.at(world.clock.now() + LIVE_READ_EVERY_MS, () => {
        void world.liveRead();
        readLater();
      });
    readLater();
    await world.runUntil(() => isOver(world, EXPORT_ID), false);

    checkOver(world, EXPORT_ID);
    checkCopy(world, EXPORT_ID);
    const { lateMs, earlyMs } = distances(world);
    expect(earlyMs).toEqual([]);
    expect(lateMs.length).toBeGreaterThan(5);
    // What two functions do not know of the ledger's clock, and the time until the next live read.
    expect(Math.max(...lateMs)).toBeLessThan(2_000 + LIVE_READ_EVERY_MS + RECORDED_WITHIN_MS);
  },
);

/** How far the first request after each throttle is from the end of its wait, whichever function sent it. */
function distances({ requests }: World) {
  const all = requests.flatMap(({ outcome, answeredAtMs = 0 }) => {
    if (outcome?.kind !== 'throttled') return [];
    const next = requests.find(({ atMs }) => atMs > answeredAtMs + RECORDED_WITHIN_MS);
    if (next === undefined) return [];
    return [next.atMs - answeredAtMs - outcome.retryAfterSeconds * 1000];
  });
  return { earlyMs: all.filter((ms) => ms < 0), lateMs: all.filter((ms) => ms >= 0) };
}
