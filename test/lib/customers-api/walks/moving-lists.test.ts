import { expect, test } from '@jest/globals';
import { randomOf } from '../../../../infra/simulator/random.ts';
import type { WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { isDeep, seedsOf, tried, trySeed } from '../../../deep/depth.ts';
import { type ListRule, type Mix, MovingList, type ServerRule } from './moving-list.ts';
import { type Result, readList } from './read-list.ts';

interface Order {
  readonly rule: ListRule;
  /** As an operator sets it. */
  readonly order?: WalkOptions['order'];
  /** Share of runs at 0.5 changes a request that have to end complete. */
  readonly complete: number;
}

const ORDERS: Readonly<Record<string, Order>> = {
  rising: { rule: { first: 'rising', inserts: 'last', edits: 'stay' }, complete: 0.95 },
  falling: { rule: { first: 'falling', inserts: 'first', edits: 'stay' }, complete: 0.95 },
  'by last edit, newest first': {
    rule: { first: 'scattered', inserts: 'first', edits: 'first', shows: 'edited' },
    complete: 0.95,
  },
  'by last edit, newest first, and by id so far': {
    rule: { first: 'falling', inserts: 'first', edits: 'first', shows: 'edited' },
    complete: 0.95,
  },
  'by a last edit that is not shown': {
    rule: { first: 'scattered', inserts: 'first', edits: 'first' },
    complete: 0,
  },
  'by last edit, oldest first': {
    rule: { first: 'scattered', inserts: 'last', edits: 'last', shows: 'edited' },
    complete: 0.95,
  },
  'by last edit, oldest first, and by id so far': {
    rule: { first: 'rising', inserts: 'last', edits: 'last', shows: 'edited' },
    complete: 0.95,
  },
  'by creation': {
    rule: { first: 'scattered', inserts: 'last', edits: 'stay', shows: 'created' },
    complete: 0.95,
  },
  'fixed, as it is set': {
    rule: { first: 'scattered', inserts: 'last', edits: 'stay' },
    order: 'fixed',
    complete: 0.95,
  },
  'fixed, records added anywhere': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'stay' },
    order: 'fixed',
    complete: 0,
  },
  'fixed, but nothing shows it': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'stay' },
    complete: 0,
  },
  'by a value that edits change': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'anywhere' },
    complete: 0,
  },
  'by such a value, and by id so far': {
    rule: { first: 'rising', inserts: 'anywhere', edits: 'anywhere' },
    complete: 0,
  },
  'another one in each answer': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'stay', isShuffled: true },
    complete: 0,
  },
};

const SIZES = isDeep
  ? [
      { rows: 10_000, perPage: 100, most: 1.2 },
      { rows: 2_000, perPage: 50, most: 1.3 },
    ]
  : [{ rows: 400, perPage: 25, most: 1.5 }];

const FAST_SEEDS = 50;

/** Of each request: balanced, mostly deletes, mostly inserts, edits alone, and many at once. */
function mixOf(seed: number, rate: number): Mix {
  const third = rate / 3;
  const mixes: readonly Mix[] = [
    { inserts: third, deletes: third, edits: third },
    { inserts: rate / 6, deletes: (2 * rate) / 3, edits: rate / 6 },
    { inserts: (2 * rate) / 3, deletes: rate / 6, edits: rate / 6 },
    { inserts: 0, deletes: 0, edits: rate },
    { inserts: third, deletes: third, edits: third, bursts: 0.01 },
  ];
  return mixes[seed % mixes.length] ?? { inserts: 0, deletes: 0, edits: 0 };
}

function read(seed: number, order: Order, run: Partial<WalkOptions> & Run): Result {
  const random = randomOf(seed);
  const { rows, perPage, rate, server, ...options } = run;
  return readList({
    list: new MovingList(order.rule, rows, random),
    server: { perPage: 'any', says: 'all', ...server, largest: perPage },
    mix: mixOf(seed, rate),
    random,
    options: { firstPage: 1, perPage, ...(order.order ? { order: order.order } : {}), ...options },
    inFlight: 1 + (seed % 16),
    isReopened: seed % 7 === 3,
  });
}

interface Run {
  readonly rows: number;
  readonly perPage: number;
  readonly rate: number;
  readonly server?: Partial<ServerRule>;
}

test.each(Object.entries(ORDERS))(
  'a list that is ordered %s misses nothing where it is complete',
  async (name, order) => {
    const seeds = seedsOf({ short: 5, deep: 500 });
    for (const { rows, perPage, most } of SIZES) {
      for (const rate of [0.5, 3]) {
        const verified: Result[] = [];
        const fast: Result[] = [];
        for (const seed of seeds) {
          await trySeed(seed, async () => {
            const result = read(seed, order, { rows, perPage, rate });
            // What is complete misses nothing.
            expect(result.isComplete && result.missed > 0).toBe(false);
            expect(result.stateBytes).toBeLessThanOrEqual(4_096);
            verified.push(result);
          });
          // What a fast walk misses is known after some.
          if (isDeep && seed < FAST_SEEDS)
            fast.push(read(seed, order, { rows, perPage, rate, walk: 'fast' }));
        }
        const complete = verified.filter(({ isComplete }) => isComplete).length;
        if (rate === 0.5) {
          expect(complete).toBeGreaterThanOrEqual(Math.floor(order.complete * seeds.length));
        }
        if (!isDeep) continue;
        const line = [
          `${name}; ${rows} rows, ${rate} changes a request:`,
          `complete ${complete} of ${seeds.length},`,
          `x${ratio(verified.slice(0, fast.length), fast).toFixed(2)} requests,`,
          `fast missed ${mean(fast.map(({ missed }) => missed)).toFixed(1)}`,
          `in ${fast.filter(({ missed }) => missed > 0).length} of ${fast.length} runs;`,
          'records missed in complete ones',
        ];
        tried(line.join(' '), missedIn(verified));
        const isCalm = rate === 0.5 && order.complete > 0;
        if (isCalm)
          expect(ratio(verified.slice(0, fast.length), fast)).toBeLessThanOrEqual(most + 0.05);
      }
    }
  },
  isDeep ? 3_000_000 : 60_000,
);

function missedIn(results: readonly Result[]): number {
  return results.reduce((sum, { isComplete, missed }) => sum + (isComplete ? missed : 0), 0);
}

function ratio(verified: readonly Result[], fast: readonly Result[]): number {
  return (
    mean(verified.map(({ requests }) => requests)) / mean(fast.map(({ requests }) => requests))
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

test.each([['fixed'], ['listed'], ['refuse-unlisted']] as const)(
  'a server whose per_page is %s is read by passes, and misses nothing where it is complete',
  async (perPage) => {
    const server = { perPage };
    for (const seed of seedsOf({ short: 2, deep: 500 })) {
      await trySeed(seed, async () => {
        for (const order of Object.values(ORDERS)) {
          const result = read(seed, order, { rows: 600, perPage: 50, rate: 0.3, server });
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
  if (still === undefined) throw new Error('no such order');
  const result = readList({
    list: new MovingList(still.rule, 600, randomOf(1)),
    server: { ...server, says: 'all', largest: 50 },
    mix: { inserts: 0, deletes: 0, edits: 0 },
    random: randomOf(1),
    options: { firstPage: 1, perPage: 50 },
    inFlight: 4,
  });
  expect(result).toMatchObject({ isComplete: true, missed: 0, proof: { by: 'equal-passes' } });
  expect(result.requests).toBe(1 + 4 + 11 + 12);
});
