import { expect, test } from '@jest/globals';
import { randomOf } from '../../../../infra/simulator/random.ts';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk } from '../../../../lib/customers-api/walks/taken.ts';
import { isDeep, seedsOf, tried, trySeed } from '../../../deep/depth.ts';
import {
  answerOf,
  type ListRule,
  type Mix,
  MovingList,
  pageOf,
  type ServerRule,
} from './moving-list.ts';
import { readList } from './read-list.ts';

const APPENDED = { first: 'rising', inserts: 'last', edits: 'stay' } as const;
const RULES = ['fixed', 'listed', 'refuse-unlisted'] as const;
const SAID = ['all', 'total', 'pages', 'link'] as const;
const PER_PAGE = 25;
const ROWS = 1_500;

function mixesOf(rate: number): readonly Mix[] {
  return [
    { inserts: rate / 3, deletes: rate / 3, edits: rate / 3 },
    { inserts: 0, deletes: rate, edits: 0 },
    { inserts: (2 * rate) / 3, deletes: rate / 3, edits: 0 },
    { inserts: rate / 2, deletes: rate / 2, edits: 0 },
  ];
}

interface Run {
  readonly mix: Mix;
  readonly rows?: number;
  readonly order?: 'appended' | undefined;
  readonly server?: Partial<ServerRule>;
  readonly rule?: ListRule;
}

function read(seed: number, { mix, rows = ROWS, server, rule = APPENDED, ...run }: Run) {
  const { order } = { order: 'appended' as const, ...run };
  const random = randomOf(seed);
  const list = new MovingList(rule, rows, random);
  const perPage = RULES[seed % RULES.length] ?? 'fixed';
  const says = SAID[seed % SAID.length] ?? 'all';
  const inFlight = 1 + (seed % 8);
  const result = readList({
    list,
    server: { perPage, says, ...server, largest: PER_PAGE },
    mix,
    random,
    options: { firstPage: 1, perPage: PER_PAGE, ...(order === undefined ? {} : { order }) },
    inFlight,
    isReopened: seed % 2 === 1,
  });
  const pages = Math.ceil(Math.max(rows, list.length) / PER_PAGE);
  // Those ahead of the answer that shows that per_page is not taken are lost.
  return { ...result, share: (result.requests - inFlight) / pages };
}

test.each([0.5, 3])(
  'misses nothing from the last page to the first, at %d changes a request, however per_page is not taken',
  async (rate) => {
    const mixes = mixesOf(rate);
    const shares: number[] = [];
    // 48 meet each mix with each way to answer, and each of these with each rule of per_page.
    const seeds = seedsOf({ short: 48, deep: 1_000 });
    for (const seed of seeds) {
      await trySeed(seed, async () => {
        const mix = mixes[(seed >> 2) % mixes.length] ?? { inserts: 0, deletes: 0, edits: 0 };
        const { share, ...result } = read(seed, { mix });
        expect(result).toMatchObject({ missed: 0, isComplete: true, proof: { by: 'backward' } });
        // One of them is the page behind the end, which is asked for in each pass.
        expect(share).toBeLessThanOrEqual(1.32);
        expect(result.stateBytes).toBeLessThanOrEqual(4_096);
        shares.push(share);
      });
    }
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    tried(`lists read from the last page to the first, x${mean.toFixed(2)} requests`, seeds.length);
    expect(mean).toBeLessThanOrEqual(1.2);
  },
  isDeep ? 600_000 : 60_000,
);

test.each([0, 1, PER_PAGE - 1, PER_PAGE, PER_PAGE + 1, 2 * PER_PAGE, 2 * PER_PAGE + 1])(
  'reads a list of %d records that is only appended to',
  (rows) => {
    for (let seed = 0; seed < 24; seed++) {
      const still = { inserts: 0, deletes: 0, edits: 0 };
      expect(read(seed, { mix: still, rows })).toMatchObject({ missed: 0, isComplete: true });
      for (const mix of mixesOf(0.5)) {
        const { isComplete, missed } = read(seed, { mix, rows });
        expect(isComplete && missed > 0).toBe(false);
      }
    }
  },
);

test('ends without more when records are removed or added faster than pages are read', () => {
  for (const seed of seedsOf({ short: 12, deep: 24 })) {
    for (const mix of [
      { inserts: 0, deletes: 40, edits: 0 },
      { inserts: 20, deletes: 0, edits: 0 },
      { inserts: 0.1, deletes: 0.1, edits: 0.1, bursts: 0.1 },
    ]) {
      const { isComplete, missed, requests } = read(seed, { mix });
      expect(isComplete && missed > 0).toBe(false);
      expect(requests).toBeLessThanOrEqual(1_000);
    }
  }
});

const SOME: Mix = { inserts: 0.3, deletes: 0.3, edits: 0.3 };

test.each<[string, ListRule]>([
  ['added in the middle', { ...APPENDED, inserts: 'anywhere' }],
  ['added in front', { ...APPENDED, inserts: 'first' }],
  ['moved by edits', { ...APPENDED, edits: 'anywhere' }],
  ['in no order', { ...APPENDED, first: 'scattered' }],
])('does not believe order: appended where the ids of records show that they are %s', (_, rule) => {
  for (let seed = 0; seed < 12; seed++) {
    expect(read(seed, { mix: SOME, rule })).toMatchObject({ isComplete: false });
  }
});

test('changes nothing where per_page is taken: shared records prove it', () => {
  for (let seed = 0; seed < 12; seed++) {
    const run = { mix: SOME, rows: 400, server: { perPage: 'any' } } as const;
    const unset = read(seed, { ...run, order: undefined });
    expect({ ...read(seed, run), stateBytes: 0 }).toEqual({ ...unset, stateBytes: 0 });
  }
});

test('names order: appended where all ids rose and two passes were not equal', () => {
  const named = expect.stringContaining('set order to appended');
  const rising = read(4, { mix: SOME, order: undefined });
  expect(rising.proof?.open).toContainEqual(named);
  const scattered = read(4, {
    mix: SOME,
    order: undefined,
    rule: { ...APPENDED, first: 'scattered' },
  });
  expect(scattered.proof?.open).not.toContainEqual(named);
});

/** Asks one by one, and gives the answers that `answer` makes. */
function walkBy(answer: (ask: PageAsk) => ReturnType<typeof answerOf>) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, order: 'appended' }));
  const asked: number[] = [];
  for (let requests = 0; requests < 500; requests++) {
    const ask = walker.ask(0) ?? { page: 0 };
    asked.push(ask.page);
    if (walker.state.kind === 'verified' && walker.state.stage === 'backward') {
      expect(walker.ask(1)).toBeUndefined();
    }
    const answered = answer(ask);
    const taken =
      typeof answered === 'number'
        ? walker.refused({ status: answered, hasErrorBody: true })
        : walker.take(answered);
    if (taken === undefined || taken.kind === 'refused') return { asked };
    if (taken.end !== undefined) return { asked, proof: taken.end.proof };
  }
  throw new Error('no end');
}

const server = (says: ServerRule['says']) =>
  ({ perPage: 'fixed', largest: PER_PAGE, says }) as const;
const listOf = (rows: number) => new MovingList(APPENDED, rows, randomOf(1));

test('asks for the last page, for each before it when that is answered, and for the end again', () => {
  const list = listOf(4 * PER_PAGE + 1);
  const { asked, proof } = walkBy((ask) => answerOf(list, server('all'), ask));
  expect(asked).toEqual([1, 2, 5, 4, 3, 2, 1, 5]);
  expect(proof).toMatchObject({ by: 'backward', order: 'rising', repeats: { kind: 'harmless' } });
});

test('finds the end where it has moved since the last page was named', () => {
  for (const says of SAID) {
    for (const isRefusing of [false, true]) {
      for (const deletes of [3 * PER_PAGE, PER_PAGE, 1]) {
        const list = listOf(6 * PER_PAGE);
        const { proof } = walkBy((ask) => {
          if (ask.page === 6) list.change({ inserts: 0, deletes, edits: 0 });
          const page = answerOf(list, server(says), ask);
          return isRefusing && typeof page !== 'number' && page.recordCount === 0 ? 404 : page;
        });
        if (deletes <= PER_PAGE) expect(proof).toMatchObject({ by: 'backward', open: [] });
      }
      const list = listOf(5 * PER_PAGE);
      const { proof } = walkBy((ask) => {
        if (ask.page === 5) list.change({ inserts: PER_PAGE + 1, deletes: 0, edits: 0 });
        return answerOf(list, server(says), ask);
      });
      expect(proof).toMatchObject({ by: 'backward', open: [] });
    }
  }
});

test.each<[string, (page: number) => number]>([
  ['always gives the first page', () => 1],
  ['gives page 7 for each page after it', (page) => Math.min(page, 7)],
  ['gives each page twice', (page) => Math.ceil(page / 2)],
])('shows nothing of an API that %s', (_, pageFor) => {
  for (const says of ['total', 'pages'] as const) {
    const list = listOf(12 * PER_PAGE);
    const { proof } = walkBy((ask) => {
      const answer = answerOf(list, server(says), { ...ask, page: pageFor(ask.page) });
      return typeof answer === 'number'
        ? answer
        : pageOf(answer.records, ask.page, answer.evidence);
    });
    expect(proof?.by).toBeUndefined();
  }
});
