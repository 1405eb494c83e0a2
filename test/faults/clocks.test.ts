import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import { DEPTH_TIMEOUT_MS, expectMet, seedsOf, tried, trySeed } from '../deep/depth.ts';
import { checkCopy, checkOver, checkRequests } from './checks.ts';
import { faultAt } from './fault-plan.ts';
import { throttled } from './model-api.ts';
import { randomClocks } from './random-clocks.ts';
import { EXPORT_ID, isOver, runExport, startIn } from './run-export.ts';
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

const SEEDS = seedsOf({ short: 16, deep: 2_000 });
/** Clocks that are not set right show in most of them. */
const SEEDS_AT_ONCE = seedsOf({ short: 8, deep: 2_000 });

test(
  'has one worker at a time, whatever the clocks of their machines show',
  async () => {
    tried('seeds of clocks', SEEDS_AT_ONCE.length);
    let held = 0;
    for (const seed of SEEDS_AT_ONCE) {
      const random = randomOf(seed);
      const every = 5 + Math.floor(random() * 30);
      const world = await trySeed(seed, () =>
        runExport({
          seed,
          customers: 600,
          clocksAheadMs: randomClocks(random),
          duplicates: 0.4,
          latencyMs: 1_500,
          behaviour: ({ before }) =>
            before % every === 4 ? throttled(1 + (before % 40)) : undefined,
          settings: { pagesInFlight: 2 },
        }),
      );
      checkOver(world, EXPORT_ID);
      checkCopy(world, EXPORT_ID);
      checkRequests(world);
      expect(besideOthers(world)).toEqual([]);
      held += world.reports.filter(({ result }) => result === 'held').length;
    }
    // A second delivery of a wake-up met the worker at it.
    expectMet({ held }, { short: 5, deep: 200 });
  },
  DEPTH_TIMEOUT_MS,
);

test(
  'goes on soon after a worker died, whatever the clocks of their machines show',
  async () => {
    for (const seed of SEEDS) {
      const random = randomOf(seed);
      const deathAt = 10 + Math.floor(random() * 40);
      const world = await trySeed(seed, () =>
        runExport(
          {
            seed,
            customers: 400,
            clocksAheadMs: randomClocks(random),
            faults: faultAt(deathAt, 'crash-after'),
          },
          false,
        ),
      );
      checkOver(world, EXPORT_ID);
      checkCopy(world, EXPORT_ID);
      // Its message comes back after twice the time that a worker has: its lease is over by then.
      expect(longestPauseMs(world)).toBeLessThan(2 * world.timeoutMs + 5_000);
    }
  },
  DEPTH_TIMEOUT_MS,
);

/** The workers that sent requests while another one did. */
function besideOthers({ requests }: World): readonly string[] {
  const spans = new Map<string, { readonly fromMs: number; readonly toMs: number }>();
  for (const { worker, atMs, answeredAtMs = atMs } of requests) {
    const { fromMs, toMs } = spans.get(worker.name) ?? { fromMs: atMs, toMs: answeredAtMs };
    spans.set(worker.name, { fromMs, toMs: Math.max(toMs, answeredAtMs) });
  }
  return [...spans].flatMap(([name, { fromMs, toMs }]) =>
    [...spans].some(([other, span]) => other !== name && span.fromMs < toMs && fromMs < span.toMs)
      ? [name]
      : [],
  );
}

function longestPauseMs({ requests }: World): number {
  const pauses = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
  return Math.max(...pauses);
}

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
