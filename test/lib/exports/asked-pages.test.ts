import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ListOutcome } from '../../../lib/customers-api/outcome.ts';
import type { AskedPage } from '../../../lib/exports/asked-page.ts';
import { AskedPages } from '../../../lib/exports/asked-pages.ts';
import type { CarriedPage } from '../../../lib/exports/carried-pages.ts';
import { MAX_BYTES_IN_FLIGHT } from '../../../lib/exports/pages-in-flight.ts';
import { amountOf } from '../../deep/depth.ts';
import { pageOf, pageWith, throttled } from '../../faults/model-api.ts';
import { NOT_FOUND } from '../../not-found.ts';
import { asCarried } from './as-carried.ts';

const HALF = MAX_BYTES_IN_FLIGHT / 2;

/** Pages that were asked for one after the other, and which of them gave their memory back. */
function asked(bytes: readonly number[]) {
  const pages = new AskedPages([], false);
  const released: number[] = [];
  const entries = bytes.map((_, place) => pages.ask(place));
  const answer = (place: number) => {
    const entry = entries[place];
    if (entry === undefined) throw new Error(`nothing was asked at ${place}`);
    const ndjson = new Uint8Array(bytes[place] ?? 0);
    entry.outcome = { ...pageOf(1, 1, 1), ndjson, release: () => void released.push(place) };
    pages.settle(entry);
  };
  return { pages, released, answer };
}

test.each<[string, readonly number[], readonly number[]]>([
  ['that fit', [HALF, HALF], []],
  ['of which the last one does not fit', [HALF, HALF, 1], [2]],
  ['of which the last two do not fit', [HALF, HALF - 1, 1, 1, HALF], [4, 3]],
  ['of which the first one alone does not fit', [3 * HALF, 1], [1]],
])('of pages %s the last ones are given up, and never the first one', (_, bytes, given) => {
  const { pages, released, answer } = asked(bytes);
  for (const place of [...bytes.keys()].reverse()) answer(place);

  expect(released).toEqual(given);
  const kept = bytes.map((_bytes, place) => !given.includes(place));
  expect(bytes.map((_bytes, place) => pages.all[place]?.isMissing !== true)).toEqual(kept);
  expect(pages.nextPlace).toBe(Math.min(bytes.length, ...given));
});

test('pages that are dropped give their memory back, those under way when they are answered, and are forgotten then', () => {
  const { pages, released, answer } = asked([1, 1, 1]);
  answer(1);
  pages.dropAll();
  expect([released, pages.all.length]).toEqual([[1], 2]);

  answer(2);
  expect([released, pages.all.length]).toEqual([[1, 2], 1]);
});

const REJECTED: ListOutcome = { kind: 'authentication-failure', status: 401 };

test.each<[string, AskedPage, boolean]>([
  ['throttled', { outcome: throttled(1), isRecorded: true }, true],
  ['throttled, which the gate is not told yet', { outcome: throttled(1) }, false],
  ['rejected, which the gate is not told yet', { outcome: REJECTED }, false],
  ['a page', { outcome: pageOf(1, 1, 1), isRecorded: true }, false],
  ['under way', {}, false],
])(
  'behind a page that is missing one is asked for again if it was %s: %j',
  (_, answer, isAgain) => {
    const pages = new AskedPages([undefined], false);
    const entry = Object.assign(pages.ask(1), answer);
    pages.missNoPages();

    expect(pages.all[1]).toEqual(isAgain ? { isMissing: true } : entry);
  },
);

/** Pages 2 to 6 were carried, and 1 was not; 7 was, alone. What is asked for now is answered, in this order. */
function doubted(answers: readonly (readonly [page: number, outcome: ListOutcome])[]) {
  const released: number[] = [];
  const carried = [2, 3, 4, 5, 6, undefined, 8].map((number) =>
    number === undefined
      ? undefined
      : { ...pageOf(100, number, 10), release: () => void released.push(number) },
  );
  const pages = new AskedPages(asCarried([undefined, ...carried]), true);
  for (const [number, outcome] of answers) {
    const entry = pages.ask(number - 1);
    pages.settle(Object.assign(entry, { outcome, isRecorded: true }));
  }
  const handed: number[] = [];
  for (let page = pages.headPage; page !== undefined; page = pages.headPage) {
    handed.push(page.page);
    pages.takeHead();
  }
  return { pages, released, handed };
}

const now = (page: number, rows = 100) => [page, pageOf(rows, page, 10)] as const;
/** A row in front of all was removed. */
const moved = (page: number) => [page, pageWith(['{"id":7}'], page)] as const;

const ALL = [2, 3, 4, 5, 6, 8];

test.each<[string, Parameters<typeof doubted>[0], readonly number[], readonly number[]]>([
  ['both ends came again as they were', [now(1), now(2), now(6)], [1, 2, 3, 4, 5, 6], [2, 6, 8]],
  ['in any order', [now(6), now(1), now(2)], [1, 2, 3, 4, 5, 6], [2, 6, 8]],
  ['one end is to come', [now(1), now(2)], [1, 2], [2, 8]],
  ['the other end is to come', [now(1), now(6)], [1], [6, 8]],
  ['the first end moved', [now(1), moved(2), now(6)], [1, 2], ALL],
  ['the last end moved', [now(1), now(2), moved(6)], [1, 2], ALL],
  ['the last end moved before the first came', [now(1), moved(6), now(2)], [1, 2], ALL],
  ['the last end is behind the list', [now(1), now(2), [6, NOT_FOUND]], [1, 2], ALL],
])(
  'of a list that may have moved pages inside a stretch count if %s',
  (_title, answers, handed, given) => {
    const seen = doubted(answers);
    expect(seen.handed).toEqual(handed);
    expect(seen.released.toSorted((x, y) => x - y)).toEqual(given);
  },
);

test('the wait of an end is what the pages stop with, and its refusal is not', () => {
  expect(doubted([now(1), now(2), [6, throttled(3)]]).pages.stopping).toEqual(throttled(3));
  expect(doubted([now(1), now(2), [6, NOT_FOUND]]).pages.stopping).toBeUndefined();
});

test('an end that came with a wait is compared when it comes again', () => {
  const seen = doubted([now(1), now(2), [6, throttled(3)], now(6)]);
  expect(seen.handed).toEqual([1, 2, 3, 4, 5, 6]);
  expect(doubted([now(1), now(2), [6, throttled(3)], moved(6)]).handed).toEqual([1, 2]);
});

test('a stretch whose end is not to be asked for any more is asked for again', () => {
  const { pages } = doubted([now(1), now(2)]);
  expect(pages.missDoubtful()).toBe(true);
  expect(pages.nextPlace).toBe(0);
  expect(pages.missDoubtful()).toBe(false);
});

test('a stretch is given up as a whole when the pages do not fit into memory', () => {
  const large = { ...pageOf(100, 1, 10), ndjson: new Uint8Array(MAX_BYTES_IN_FLIGHT) };
  const { handed, released } = doubted([now(2), now(6), [1, large]]);
  expect(handed).toEqual([1]);
  expect(released.toSorted((x, y) => x - y)).toEqual(ALL);
});

test('an end that did not come again is carried as it was, and so is what is inside', () => {
  const carriedAfter = (...answers: Parameters<typeof doubted>[0]) =>
    doubted(answers)
      .pages.rest()
      .map((each) => each && [each.page.page, each.isLinked]);
  const inside = [3, 4, 5].map((page) => [page, true]);
  const none = undefined;
  // Page 1 came now, so it belongs together with a first end that did, too.
  const first = [now(1), [2, throttled(1)]] as const;
  expect(carriedAfter(...first)).toEqual([[2, false], ...inside, [6, true]]);
  expect(carriedAfter([1, throttled(1)], now(2))).toEqual([none, [2, false], ...inside, [6, true]]);
  expect(carriedAfter([1, throttled(1)], moved(2))).toEqual([none, [2, false]]);
  expect(carriedAfter([1, throttled(1)], moved(6))).toEqual([]);
  expect(carriedAfter([1, throttled(1)], now(6), now(7), now(8))).toEqual([
    ...[none, [2, false], ...inside, [6, true], [7, true], [8, true]],
  ]);
});

const PER_PAGE = 2;

test('rows that keep their order come once each, whatever was added and removed among them during the wait', () => {
  const row = fc.record({ isThen: fc.boolean(), isNow: fc.boolean() });
  // Mostly there at both times, so that stretches stay.
  const rows = fc.array(
    fc.oneof({ weight: 6, arbitrary: fc.constant({ isThen: true, isNow: true }) }, row),
    {
      minLength: 30,
      maxLength: 40,
    },
  );
  const came = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()), {
    minLength: 9,
    maxLength: 9,
  });
  let stretches = 0;
  fc.assert(
    fc.property(rows, came, (all, isCarried) => {
      const pageIn = (member: 'isThen' | 'isNow', place: number) => {
        const ids = [...all.keys()].filter((id) => all[id]?.[member]);
        const records = ids.slice(place * PER_PAGE, (place + 1) * PER_PAGE);
        return pageWith(
          records.map((id) => `{"id":${id}}`),
          place + 1,
        );
      };
      const pages = new AskedPages(
        asCarried(isCarried.map((is, place) => (is ? pageIn('isThen', place) : undefined))),
        true,
      );
      const handed: string[] = [];
      let asked = 0;
      for (let place = 0; place < isCarried.length; ) {
        const next = pages.headPage;
        if (next !== undefined) {
          handed.push(...next.ids.map(String));
          pages.takeHead();
          place++;
          continue;
        }
        const ahead = pages.nextPlace ?? 0;
        const entry = pages.ask(ahead);
        asked++;
        pages.settle(
          Object.assign(entry, { outcome: pageIn('isNow', place + ahead), isRecorded: true }),
        );
      }
      stretches += asked < isCarried.length ? 1 : 0;
      expect(new Set(handed).size).toBe(handed.length);
      const inNow = [...all.keys()]
        .filter((id) => all[id]?.isNow)
        .slice(0, isCarried.length * PER_PAGE);
      const kept = inNow.filter((id) => all[id]?.isThen === true).map(String);
      expect(kept.filter((id) => !handed.includes(id))).toEqual([]);
    }),
    { numRuns: amountOf({ short: 700, deep: 20_000 }), seed: 20 },
  );
  expect(stretches).toBeGreaterThan(100);
});

/** What a step asks for in its order, until nothing is to be asked for. @returns The rows that are handed out. */
function askAll(
  pages: AskedPages,
  outcomeOf: (place: number) => ListOutcome,
  places: number,
): readonly string[] {
  const handed: string[] = [];
  let taken = 0;
  for (;;) {
    for (let page = pages.headPage; page !== undefined; page = pages.headPage) {
      handed.push(...page.ids.map(String));
      pages.takeHead();
      taken++;
    }
    const ahead = pages.nextPlace;
    if (ahead === undefined || taken + ahead >= places) return handed;
    const entry = pages.ask(ahead);
    pages.settle(Object.assign(entry, { outcome: outcomeOf(taken + ahead), isRecorded: true }));
  }
}

test('rows that keep their order come once each, whatever was added, removed and throttled in several waits', () => {
  const WAITS = 4;
  const PLACES = 9;
  const always = fc.constant(Array.from({ length: WAITS + 1 }, () => true));
  const changing = fc.array(fc.boolean(), { minLength: WAITS + 1, maxLength: WAITS + 1 });
  const rows = fc.array(
    fc.oneof({ weight: 8, arbitrary: always }, { weight: 1, arbitrary: changing }),
    { minLength: 30, maxLength: 40 },
  );
  const comes = fc.array(
    fc.array(fc.boolean(), {
      ...{ minLength: PLACES, maxLength: PLACES },
    }),
    { minLength: WAITS, maxLength: WAITS },
  );
  let stretches = 0;
  fc.assert(
    fc.property(rows, comes, (all, isAnswered) => {
      const pageAt = (wait: number, place: number) => {
        const ids = [...all.keys()].filter((id) => all[id]?.[wait]);
        const records = ids.slice(place * PER_PAGE, (place + 1) * PER_PAGE);
        return pageWith(
          records.map((id) => `{"id":${id}}`),
          place + 1,
        );
      };
      let carried: readonly CarriedPage[] = [];
      for (const [wait, answered] of isAnswered.entries()) {
        const pages = new AskedPages(carried, true);
        // The first page never comes before the last wait is over, so that nothing is handed out. All that is asked
        // for is under way at the same time.
        const asked: [AskedPage, number][] = [];
        for (let place = pages.nextPlace; place !== undefined && place < PLACES; ) {
          asked.push([pages.ask(place), place]);
          place = pages.nextPlace;
        }
        for (const [entry, place] of asked) {
          const comesNow = place > 0 && answered[place] === true;
          const outcome = comesNow ? pageAt(wait, place) : throttled(1);
          pages.settle(Object.assign(entry, { outcome, isRecorded: true }));
        }
        carried = pages.rest();
      }
      let asked = 0;
      const outcomeOf = (place: number) => {
        asked++;
        return pageAt(WAITS, place);
      };
      const handed = askAll(new AskedPages(carried, true), outcomeOf, PLACES);
      stretches += asked < PLACES ? 1 : 0;
      expect(new Set(handed).size).toBe(handed.length);
      const inNow = [...all.keys()].filter((id) => all[id]?.[WAITS]).slice(0, PLACES * PER_PAGE);
      const kept = inNow.filter((id) => all[id]?.every((is) => is)).map(String);
      expect(kept.filter((id) => !handed.includes(id))).toEqual([]);
    }),
    { numRuns: amountOf({ short: 1_000, deep: 30_000 }), seed: 20 },
  );
  expect(stretches).toBeGreaterThan(100);
});
