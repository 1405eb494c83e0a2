import { expect, test } from '@jest/globals';
import { limiterOf } from '../../infra/simulator/rate-limit.ts';
import { amountOf, isDeep, seedsOf, trySeed } from '../deep/depth.ts';
import { runShared, type SharedLimit, type SharedRun } from './shared-limit-model.ts';

const bucket = (ratePerSecond: number, burst: number) => () =>
  limiterOf({ kind: 'token-bucket', ratePerSecond, burst });

const SECONDS = 20;
/** With a first trial of a higher rate, and a second one. */
const TRIED_SECONDS = 240;
/** Windows of a minute each. */
const WINDOW_SECONDS = amountOf({ short: 420, deep: 600 });

const LIMITS: readonly (Pick<SharedLimit, 'limiter' | 'requestsPerSecond' | 'perSecond'> & {
  readonly name: string;
})[] = [
  { name: 'a set rate of 20/s', limiter: bucket(20, 4), requestsPerSecond: 20, perSecond: 20 },
  { name: 'a learned bucket of 20/s, burst 10', limiter: bucket(20, 10), perSecond: 20 },
  { name: 'a learned bucket of 50/s, burst 50', limiter: bucket(50, 50), perSecond: 50 },
];
const LOADS = [0.1, 0.5, 1];
const SEEDS = seedsOf({ short: 1, deep: 12 });

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

const shared = (limit: Omit<SharedLimit, 'seconds' | 'warmUpSeconds' | 'unevenness'>) =>
  runShared({ ...limit, seconds: SECONDS, warmUpSeconds: 3, unevenness: 2 });

/** An export without reads, once for each limit and seed. */
const alone = new Map<string, Promise<SharedRun>>();

function aloneUnder({ name, ...limit }: (typeof LIMITS)[number], seed: number): Promise<SharedRun> {
  const key = `${name}, seed ${seed}`;
  const run = alone.get(key) ?? shared({ ...limit, load: 0, seed });
  alone.set(key, run);
  return run;
}

test.each(LIMITS.flatMap((limit) => LOADS.map((load) => ({ ...limit, load }))))(
  'under $name live reads at $load of it go before the pages of an export',
  async ({ load, ...limit }) => {
    for (const seed of SEEDS) {
      await trySeed(seed, async () => {
        const run = await shared({ ...limit, load, seed });
        expectBounds(limit, load, run, await aloneUnder(limit, seed));
      });
    }
  },
);

function expectBounds(
  { perSecond }: Pick<SharedLimit, 'perSecond'>,
  load: number,
  run: SharedRun,
  { pages: pagesAlone }: SharedRun,
): void {
  const { waitsMs, refused, pages, exportThrottles, early } = run;
  expect(early).toBe(0);
  const reads = waitsMs.length;
  expect(pages + reads).toBeGreaterThanOrEqual(0.95 * pagesAlone);
  expect(refused + exportThrottles).toBeLessThanOrEqual(0.02 * (reads + pages));
  // Reads that take all that there is wait for each other, and an export still gets a page every 10 s.
  if (load === 1) {
    expect(pages).toBeGreaterThanOrEqual(SECONDS / 10);
    expect(percentile(waitsMs, 0.95)).toBeLessThanOrEqual(2_000);
    return;
  }
  expect(percentile(waitsMs, 0.95)).toBeLessThanOrEqual(2_000 / perSecond);
  expect(pages).toBeGreaterThanOrEqual(0.95 * (pagesAlone - reads));
}

test.each(isDeep ? [0.1, 0.5, 0.9] : [0.5])(
  'an export that tries a higher rate beside live reads at %d of the limit throttles hardly any',
  async (load) => {
    for (const seed of seedsOf({ short: 1, deep: 6 })) {
      await trySeed(seed, async () => {
        const run = await runShared({
          ...{ limiter: bucket(20, 10), perSecond: 20, load, seed, unevenness: 2 },
          ...{ warmUpSeconds: 3, seconds: TRIED_SECONDS },
        });
        const { waitsMs, refused, pages, exportThrottles, early } = run;
        expect(early).toBe(0);
        expect(refused).toBeLessThanOrEqual(0.02 * waitsMs.length);
        expect(exportThrottles).toBeLessThanOrEqual(3);
        expect(pages + waitsMs.length).toBeGreaterThanOrEqual(0.95 * 20 * TRIED_SECONDS);
      });
    }
  },
);

test.each(['reader', 'export'] as const)(
  'a process of the %s that stands still now and then makes the API throttle nobody',
  async (standsStill) => {
    const limit = { limiter: bucket(20, 4), requestsPerSecond: 20, perSecond: 20, load: 0.5 };
    let refused = 0;
    let reads = 0;
    for (const seed of seedsOf({ short: 2, deep: 20 })) {
      const run = await shared({ ...limit, seed, standsStill });
      refused += run.refused;
      reads += run.waitsMs.length + run.refused;
    }
    expect(refused).toBeLessThanOrEqual(0.03 * reads);
  },
);

test('an export that is alone stores nothing for places', async () => {
  const limit = { limiter: bucket(20, 4), requestsPerSecond: 20, perSecond: 20, seed: 1 };
  const { pages, ledgerWrites } = await shared({ ...limit, load: 0 });
  expect(pages).toBeGreaterThan(0.9 * 20 * SECONDS);
  expect(ledgerWrites).toBe(0);
});

test('under a window live reads find what an export has left of it', async () => {
  const limiter = () => limiterOf({ kind: 'fixed-window', requests: 600, windowSeconds: 60 });
  const limit = { limiter, perSecond: 10, seed: 1, seconds: WINDOW_SECONDS, unevenness: 2 };
  const alone = await runShared({ ...limit, load: 0, warmUpSeconds: 1 });
  const run = await runShared({ ...limit, load: 0.1, warmUpSeconds: 185 });

  expect(run.early).toBe(0);
  expect(run.refused).toBeLessThanOrEqual(0.2 * run.waitsMs.length);
  expect(percentile(run.waitsMs, 0.95)).toBeLessThanOrEqual(200);
  // The period is learned to some percent only, and a sliding one opens a hundredth later: what is lost of it is lost to all.
  expect(run.pages + run.waitsMs.length).toBeGreaterThanOrEqual(0.88 * alone.pages);
});
