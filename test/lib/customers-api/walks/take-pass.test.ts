import { expect, test } from '@jest/globals';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { Taken } from '../../../../lib/customers-api/walks/taken.ts';
import { pageOf } from './moving-list.ts';
import { readList } from './read-list.ts';
import { ScriptedList } from './scripted-list.ts';

const PER_PAGE = 10;
const FIRST_ROWS = 60;

/**
 * Reads a list of pages that cannot be cut otherwise, the newest record first.
 *
 * @param addedBefore How many records are added before each answer, from the first one on.
 */
function readNewestFirst(addedBefore: (answer: number) => number) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 1 }));
  const stored = new Set<string>();
  let newest = FIRST_ROWS;
  for (let answer = 0; answer < 100; answer++) {
    newest += addedBefore(answer);
    const { page } = walker.ask(0) ?? { page: 0 };
    const first = newest - (page - 1) * PER_PAGE;
    const count = Math.max(0, Math.min(PER_PAGE, first));
    // Ids that say nothing of the order.
    const rows = Array.from(
      { length: count },
      (_, at) => `{"id":"${((first - at) * 7919) % 9973}"}`,
    );
    const hasMore = first > PER_PAGE;
    const taken: Taken = walker.take(pageOf(rows, page, { perPage: PER_PAGE, hasMore }));
    if (taken.kind === 'page') for (const row of rows) stored.add(row);
    if (taken.kind === 'refused' || taken.end !== undefined) return { taken, stored, newest };
  }
  throw new Error('no end');
}

test.each([9, 10, 11])(
  'a list that grew by %i records between two answers is read to its end, and is not shown to be whole',
  (added) => {
    const { taken, stored } = readNewestFirst((answer) => (answer === 5 ? added : 0));

    expect(taken).toMatchObject({
      end: { proof: { open: [expect.anything(), expect.anything()] } },
    });
    expect(stored.size).toBe(FIRST_ROWS);
  },
);

test('a list that grows by a page before each answer fails, and is not read for ever', () => {
  const { taken } = readNewestFirst((answer) => (answer < 4 ? 0 : PER_PAGE));

  expect(taken).toMatchObject({ kind: 'refused', reason: 'not-advancing' });
});

test('a server that gives one page for two is never shown to be whole', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 5 }));
  for (let answer = 0; answer < 100; answer++) {
    const { page } = walker.ask(0) ?? { page: 0 };
    // The fourth page in place of the fifth, each time.
    const taken = walker.take(
      page < 7 ? risingPage(page, page === 5 ? 4 : page, page < 6) : pageOf([], page),
    );
    if (taken.kind === 'refused' || taken.end === undefined) continue;
    expect(taken.end.proof.by).toBeUndefined();
    return;
  }
  throw new Error('no end');
});

test('a list that only grows at its end moves no record to a later page', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, order: 'appended' }));
  for (const shown of [1, 2, 3]) walker.take(risingPage(shown, shown, true));

  expect(walker.take(risingPage(4, 3, true))).toMatchObject({
    kind: 'refused',
    reason: 'not-advancing',
  });
});

const SMALL = { firstPage: 1, perPage: 2, maxPasses: 3 };
const STANDING = { inserts: 0, deletes: 0, edits: 0 };

test.each([
  // By the total it is known which page may be the last one.
  { says: 'total', answersOfFirstPass: 3, first: 1 },
  { says: 'nothing', answersOfFirstPass: 5, first: 0.5 },
] as const)(
  'two equal passes miss nothing though the third page is answered before the second, whose length is told by $says',
  ({ says, answersOfFirstPass, first }) => {
    const grown = [1, 2, 3, 9, 4, 5];
    let draws = 0;
    const result = readList({
      // 9 comes in front of 4 before the second page is answered; and 1 goes behind that page in the next pass.
      list: new ScriptedList(
        [1, 2, 3, 4, 5],
        [1, 2, 3, 4, 5],
        ...Array.from({ length: answersOfFirstPass }, () => grown),
        [2, 3, 9, 4, 5],
      ),
      server: { perPage: 'fixed', says, largest: 2 },
      mix: STANDING,
      // Of those under way the first is answered, but for the third page in the first pass.
      random: () => (draws++ === 1 ? first * 0.99 : 0),
      options: { ...SMALL, order: 'fixed' },
      inFlight: 3,
    });

    expect(result.isComplete && result.missed > 0).toBe(false);
  },
);

test('two equal passes in which a record came twice show nothing', () => {
  const result = readList({
    // In each pass 3 goes to the front when the first page was answered.
    list: new ScriptedList([1, 2, 3], [3, 1, 2], [3, 1, 2], [1, 2, 3], [3, 1, 2]),
    server: { perPage: 'fixed', says: 'pages', largest: 2 },
    mix: STANDING,
    random: () => 0,
    options: SMALL,
    inFlight: 1,
  });

  expect(result).toMatchObject({ missed: 1, isComplete: false, proof: { leastRecords: 3 } });
});

test('two equal passes show nothing where a total at the end of the first one tells of more records', () => {
  const walker = openWalk(newWalk({ ...SMALL, order: 'fixed' }));
  // Of a list of 2, 3, 4 and 5 and one more that is left out, which comes in front of them and is removed: so 5 goes from
  // the third page to the second one in each pass. Then 3 is removed, and the total is as low as the records that came.
  const pass = [[2], [3, 4], []] as const;
  const totals = [4, 4, 4, 4, 4, 3];
  const ends = [...pass, ...pass].map((ids, answer) => {
    const { page } = walker.ask(0) ?? { page: 0 };
    const rows = ids.map((id) => `{"id":${id}}`);
    const taken = walker.take(pageOf(rows, page, { total: totals[answer] ?? 0 }));
    return taken.kind === 'refused' ? taken : taken.end?.proof;
  });

  expect(ends.at(-1)).toMatchObject({ by: 'equal-passes', leastRecords: 4 });
});

test('windows and an equal pass show nothing where the windows ended behind more rows than they read', () => {
  const rows = Array.from({ length: 39 }, (_, at) => ((at + 1) * 7) % 41);
  const withOne = (at: number) => [...rows.slice(0, at), 99, ...rows.slice(at)];
  const again = (count: number, ids: readonly number[]) => Array.from({ length: count }, () => ids);
  const result = readList({
    // Twice the last record goes to rows that were read, the second time when one of them is removed.
    list: new ScriptedList(
      withOne(39),
      ...again(3, withOne(39)),
      ...again(3, withOne(15)),
      ...again(3, withOne(39)),
      withOne(15).slice(1),
    ),
    server: { perPage: 'any', says: 'total', largest: 10 },
    mix: STANDING,
    random: () => 0,
    options: { firstPage: 1, perPage: 10, maxPasses: 3 },
    inFlight: 1,
  });

  expect(result.isComplete && result.missed > 0).toBe(false);
});

/** @param shown The page whose records it has. */
function risingPage(page: number, shown: number, hasMore: boolean) {
  const rows = Array.from({ length: PER_PAGE }, (_, at) => `{"id":${shown * PER_PAGE + at}}`);
  return pageOf(rows, page, { perPage: PER_PAGE, hasMore });
}

test.each([
  { leaves: 'out none', inFlight: 8, most: 30 },
  { leaves: 'out every 7th record', inFlight: 8, most: 45 },
  { leaves: 'out every 7th record', inFlight: 1, most: 3 },
])(
  'two passes over a list that tells no total, of pages that leave $leaves, take $most requests at most beyond its pages, $inFlight at a time',
  ({ leaves, inFlight, most }) => {
    const ids = Array.from({ length: 400 }, (_, at) => at + 1);
    const isThere = (id: number) => leaves === 'out none' || id % 7 !== 5;
    const result = readList({
      list: {
        length: ids.length,
        throughout: new Set(ids.filter(isThere)),
        change: () => undefined,
        slice: (start, end) =>
          ids
            .slice(start, end)
            .filter(isThere)
            .map((id) => `{"id":${id}}`),
      },
      server: { perPage: 'fixed', says: 'nothing', largest: 10 },
      mix: STANDING,
      random: () => 0,
      options: { firstPage: 1, perPage: 10, maxPasses: 3 },
      inFlight,
    });

    expect(result).toMatchObject({ missed: 0, isComplete: true });
    expect(result.requests - 2 * 40).toBeLessThanOrEqual(most);
  },
);

test.each([
  { says: 'total', most: 8 },
  { says: 'pages', most: 10 },
] as const)(
  'the last page of a pass is asked for once, when all before it are there, where its $says tells which one it is',
  ({ says, most }) => {
    const result = readList({
      list: new ScriptedList(Array.from({ length: 395 }, (_, at) => at + 1)),
      server: { perPage: 'fixed', says, largest: 10 },
      mix: STANDING,
      random: () => 0,
      options: { firstPage: 1, perPage: 10, maxPasses: 3 },
      inFlight: 8,
    });

    expect(result).toMatchObject({ missed: 0, isComplete: true });
    expect(result.requests - 2 * 40).toBeLessThanOrEqual(most);
  },
);

test('two passes fit into maxPasses 2 where the last page is full and the API refuses the one behind it', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 2 }));
  for (let answer = 0; answer < 100; answer++) {
    const { page } = walker.ask(0) ?? { page: 0 };
    // Whatever size is asked for.
    const rows = Array.from({ length: PER_PAGE }, (_, row) => `{"id":${page * PER_PAGE + row}}`);
    const taken =
      page > 4
        ? walker.refused({ status: 404, hasErrorBody: true })
        : walker.take(pageOf(rows, page, { perPage: PER_PAGE, total: 4 * PER_PAGE }));
    if (taken?.kind === 'refused') throw new Error(taken.message);
    if (taken?.end === undefined) continue;
    expect(taken.end.proof).toMatchObject({ by: 'equal-passes', open: [] });
    return;
  }
  throw new Error('no end');
});

test.each([
  { perPage: 'any', maxPasses: 2, most: 5 },
  { perPage: 'any', maxPasses: 3, most: 60 },
  { perPage: 'fixed', maxPasses: 2, most: 60 },
] as const)(
  'a list that stands still in an order that nothing shows is complete within maxPasses $maxPasses, up to $most pages of $perPage size',
  ({ perPage, maxPasses, most }) => {
    for (const says of ['nothing', 'total', 'pages'] as const) {
      for (let pages = 1; pages <= most; pages += pages < 8 ? 1 : 12) {
        for (const rows of [20 * pages - 13, 20 * pages]) {
          const ids = Array.from({ length: rows }, (_, at) => (at * 7_919) % 10_007);
          const { isComplete, missed } = readList({
            list: new ScriptedList(ids),
            server: { perPage, says, largest: 20 },
            mix: STANDING,
            random: () => 0,
            options: { firstPage: 1, perPage: 20, maxPasses },
            inFlight: 4,
          });
          expect([says, rows, isComplete, missed]).toEqual([says, rows, true, 0]);
        }
      }
    }
  },
);

test('from where the list ended before nothing is asked for ahead, until an answer of the pass tells where it ends now', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 }));
  const passes = () => (walker.state.kind === 'verified' ? walker.state.counts.passes : 0);
  while (passes() === 0) {
    const { page } = walker.ask(0) ?? { page: 0 };
    // Whatever size is asked for.
    walker.take(page > 4 ? pageOf([], page) : risingPage(page, page, page < 4));
  }
  const asked = () => [0, 1, 2, 3, 4, 5, 6].map((ahead) => walker.ask(ahead)?.page);

  expect(asked()).toEqual([1, 2, 3, undefined, undefined, undefined, undefined]);
  const { evidence, ...first } = risingPage(1, 1, true);
  walker.take({ ...first, evidence: { ...evidence, totalPages: 7 } });
  expect(asked()).toEqual([2, 3, 4, 5, 6, undefined, undefined]);
});
