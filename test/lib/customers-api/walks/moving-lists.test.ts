import { expect, test } from '@jest/globals';
import { randomOf } from '../../../../infra/simulator/random.ts';
import { isDeep, seedsOf, tried, trySeed } from '../../../deep/depth.ts';
import { MovingList } from './moving-list.ts';
import { ORDERS, type Order, readMoving } from './moving-orders.ts';
import { type Result, readList } from './read-list.ts';

/** `most`: requests of a calm list beside those of a plain pass; `npm run bench -- walks` measures them. */
const SIZES = isDeep
  ? [
      { rows: 10_000, perPage: 100, most: 1.25 },
      { rows: 2_000, perPage: 50, most: 1.4 },
    ]
  : [{ rows: 400, perPage: 25, most: 1.9 }];

test.each(Object.entries<Order>(ORDERS))(
  'a list that is ordered %s misses nothing where it is complete',
  async (_name, order) => {
    const seeds = seedsOf({ short: 5, deep: 10 });
    for (const { rows, perPage, most } of SIZES) {
      for (const rate of [0.5, 3]) {
        const results: Result[] = [];
        for (const seed of seeds) {
          await trySeed(seed, async () => {
            const crashes = rate === 3 && seed % 2 === 1 ? 0.1 : 0;
            const result = readMoving(seed, order, { rows, perPage, rate, crashes });
            // What is complete misses nothing.
            expect(result.isComplete && result.missed > 0).toBe(false);
            expect(result.stateBytes).toBeLessThanOrEqual(4_096);
            results.push(result);
          });
        }
        tried('lists that change while they are read', results.length);
        const complete = results.filter(({ isComplete }) => isComplete).length;
        const { busy = 0 } = order;
        const share = rate === 0.5 ? order.complete : busy;
        expect(complete).toBeGreaterThanOrEqual(Math.floor(share * seeds.length));
        if (rate !== 0.5 || order.complete === 0) continue;
        const requests = results.reduce((sum, each) => sum + each.requests, 0) / seeds.length;
        expect(requests).toBeLessThanOrEqual((most * rows) / perPage);
      }
    }
  },
  isDeep ? 600_000 : 60_000,
);

test.each([
  ['by the day of the last edit, newest first', { rows: 400, perPage: 25, rate: 3 }],
  ['by the day of the last edit, oldest first', { rows: 250, perPage: 25, rate: 1 }],
  [
    'by the month of the last edit, newest first, as it is set',
    { rows: 250, perPage: 25, rate: 3 },
  ],
  [
    'by the month of the last edit, oldest first, as it is set',
    { rows: 250, perPage: 25, rate: 1 },
  ],
  ['by such a value, new records first', { rows: 250, perPage: 25, rate: 1 }],
] as const)(
  'a list that is ordered %s misses nothing where it is complete, however rarely it could',
  async (name, run) => {
    const seeds = seedsOf({ short: 150, deep: 3_000 });
    for (const seed of seeds) {
      await trySeed(seed, async () => {
        const result = readMoving(seed, ORDERS[name], run);
        expect(result.isComplete && result.missed > 0).toBe(false);
      });
    }
    tried('lists whose order hides what moves', seeds.length);
  },
  isDeep ? 600_000 : 60_000,
);

/** Of others a few records are in the order of their ids by chance, and nothing tells. */
const SHOWN = [
  'rising',
  'falling',
  'by last edit, newest first',
  'by last edit, oldest first',
  'by creation',
  'fixed, as it is set',
  'fixed, records added anywhere',
] as const;
const SAYS = ['all', 'total', 'pages', 'more', 'link', 'nothing'] as const;

test.each(SHOWN)(
  'a list of a few records that is ordered %s misses none where it is complete',
  async (name) => {
    const seeds = seedsOf({ short: 40, deep: 5_000 });
    for (const seed of seeds) {
      await trySeed(seed, async () => {
        const draw = randomOf(seed);
        const drawn = <T>(of: readonly [T, ...T[]]): T =>
          of[Math.floor(draw() * of.length)] ?? of[0];
        const result = readMoving(seed, ORDERS[name], {
          rows: Math.floor(draw() * 14),
          perPage: 2 + Math.floor(draw() * 7),
          rate: drawn([0.1, 0.3, 0.6]),
          maxPasses: drawn([2, 3]),
          server: { perPage: drawn(['any', 'fixed']), says: drawn(SAYS) },
          crashes: drawn([0, 0, 0.15]),
        });
        expect(result.isComplete && result.missed > 0).toBe(false);
      });
    }
    tried('lists of a few records', seeds.length);
  },
  isDeep ? 600_000 : 60_000,
);

test.each([['pages'], ['more'], ['nothing']] as const)(
  'a list whose end is asked for ahead, as its answers say %s of it, misses nothing where it is complete',
  async (says) => {
    const order = ORDERS['by last edit, oldest first'];
    for (const seed of seedsOf({ short: 60, deep: 1_000 })) {
      await trySeed(seed, async () => {
        const run = { rows: 250, perPage: 50, rate: 3, server: { says } };
        const result = readMoving(seed, order, { ...run, crashes: seed % 4 === 1 ? 0.1 : 0 });
        expect(result.isComplete && result.missed > 0).toBe(false);
      });
    }
  },
  isDeep ? 600_000 : 60_000,
);

test.each([['fixed'], ['listed'], ['refuse-unlisted']] as const)(
  'a server whose per_page is %s is read by passes, and misses nothing where it is complete',
  async (perPage) => {
    const server = { perPage };
    for (const seed of seedsOf({ short: 2, deep: 20 })) {
      await trySeed(seed, async () => {
        for (const order of Object.values<Order>(ORDERS)) {
          const result = readMoving(seed, order, { rows: 600, perPage: 50, rate: 0.3, server });
          expect(result.isComplete && result.missed > 0).toBe(false);
          expect(result.requests).toBeLessThanOrEqual(2 * 13 + 16 + 16);
        }
      });
    }
  },
  isDeep ? 600_000 : 60_000,
);

test('a list that stands still is complete by two equal passes where per_page is not taken', () => {
  const server = { perPage: 'fixed' } as const;
  const still = ORDERS['by a value that edits change'];
  const result = readList({
    list: new MovingList(still.rule, 600, randomOf(1)),
    server: { ...server, says: 'all', largest: 50 },
    mix: { inserts: 0, deletes: 0, edits: 0 },
    random: randomOf(1),
    options: { firstPage: 1, perPage: 50 },
    inFlight: 4,
  });
  expect(result).toMatchObject({ isComplete: true, missed: 0, proof: { by: 'equal-passes' } });
  // The last page is full, so that the one after it is asked for too.
  expect(result.requests).toBe(1 + 4 + 12 + 13);
});

test('a list that stands still and does not show its order is complete by one pass more', () => {
  const still = ORDERS['by a value that edits change'];
  const result = readList({
    list: new MovingList(still.rule, 610, randomOf(1)),
    server: { perPage: 'any', says: 'all', largest: 50 },
    mix: { inserts: 0, deletes: 0, edits: 0 },
    random: randomOf(1),
    options: { firstPage: 1, perPage: 50, maxPasses: 3 },
    inFlight: 1,
  });
  expect(result).toMatchObject({ isComplete: true, missed: 0, proof: { by: 'equal-passes' } });
  // The windows are as good as a pass.
  expect(result.proof?.counts).toMatchObject({ frontChecks: 1, passes: 1 });
});
