import { expect, test } from '@jest/globals';
import { checkCopy, checkOver } from './checks.ts';
import { faultAt } from './fault-plan.ts';
import { throttled } from './model-api.ts';
import { EXPORT_ID, isOver, runExport, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

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

/** Not past the deadline of the export, which this clock would end. */
const FAR_AHEAD_MS = 3 * 24 * 3600 * 1000;

test.each([1, 2])(
  'goes on by a sweep after process %i, whose clock was days ahead, and beside no other worker',
  async (ahead) => {
    const behaviour: WorldOptions['behaviour'] = ({ before }) =>
      before % 9 === 4 ? throttled(100) : undefined;
    for (let call = 0; call < 60; call++) {
      // The start, or the first step, is days ahead, and a process dies at one of its calls.
      const clocksAheadMs = Array.from({ length: 40 }, (_, process) =>
        process === ahead ? FAR_AHEAD_MS : 0,
      );
      const faults = faultAt(call, 'crash-before');
      const world = await runExport({ customers: 200, clocksAheadMs, behaviour, faults });

      checkOver(world, EXPORT_ID);
      checkCopy(world, EXPORT_ID);
      expect(world.requests.filter(({ hadCompany }) => hadCompany)).toEqual([]);
      const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
      expect((state?.updatedAtMs ?? 0) - (state?.startedAtMs ?? 0)).toBeLessThan(3 * 3600 * 1000);
    }
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
