import { expect, test } from '@jest/globals';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk, type WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { WalkEnd } from '../../../../lib/customers-api/walks/taken.ts';
import { pageOf } from './moving-list.ts';

const PER_PAGE = 10;

interface Api {
  readonly rows: number;
  /** How many records a page has for which so many were asked. */
  readonly sizeOf: (asked: number) => number;
  /** Left out of pages after they were cut. */
  readonly isHidden?: (row: number) => boolean;
  /** By page and size. */
  readonly says: (page: number, size: number) => Omit<Page['evidence'], 'warnings'>;
  /** What comes of a page after the last one. */
  readonly pastEnd: 'empty' | 'refused' | 'last';
}

const asAsked = (asked: number) => asked;
const always = () => PER_PAGE;
const even = (asked: number) => asked - (asked % 2);
const listed = (asked: number) => (asked < PER_PAGE ? PER_PAGE / 2 : PER_PAGE);

function answerOf({ rows, sizeOf, says, pastEnd, ...api }: Api, page: number, asked: number) {
  const size = sizeOf(asked);
  const last = Math.ceil(rows / size);
  if (page > last && pastEnd === 'refused') return 404;
  const shown = pastEnd === 'last' ? Math.min(page, last) : page;
  const start = (shown - 1) * size;
  const count = Math.max(0, Math.min(size, rows - start));
  const shownRows = Array.from({ length: count }, (_, at) => start + at).filter(
    (row) => api.isHidden?.(row) !== true,
  );
  return pageOf(
    shownRows.map((row) => `{"id":${row + 1}}`),
    page,
    says(page, size),
  );
}

/** Reads a list that stands still, one page at a time. */
function read(api: Api, given: Partial<WalkOptions> = {}) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3, ...given }));
  const stored = new Set<string>();
  for (let answers = 0; answers < 100; answers++) {
    const { page, perPage = PER_PAGE } = walker.ask(0) ?? { page: 0 };
    const answer = answerOf(api, page, perPage);
    const taken =
      typeof answer === 'number'
        ? walker.refused({ status: answer, hasErrorBody: true })
        : walker.take(answer);
    if (taken === undefined || taken.kind === 'refused')
      return { stored, answers, proof: undefined };
    if (taken.kind === 'page' && typeof answer !== 'number') {
      for (const record of answer.records) stored.add(record);
    }
    if (taken.end !== undefined) return { stored, answers: answers + 1, proof: taken.end.proof };
  }
  throw new Error('no end');
}

const COUNTED = Array.from({ length: 50 }, (_, at) => PER_PAGE + 1 + at);

const WAYS = [
  ['windows', asAsked, {}, 'chain'],
  ['passes', always, {}, 'equal-passes'],
  ['pages from the last to the first', always, { order: 'appended' }, 'backward'],
] as const;

test.each(WAYS)('a list that is longer than its counts say is read to its end by %s', (...way) => {
  const [, sizeOf, given, by] = way;
  for (const counted of COUNTED) {
    for (const more of [0, 1, 3]) {
      const rows = counted + more;
      const says = (_page: number, size: number) => ({
        total: counted,
        totalPages: Math.ceil(counted / size),
      });
      const { stored, proof } = read({ rows, sizeOf, says, pastEnd: 'empty' }, given);
      // Where the last page by the counts is not full the rows behind them are on it.
      if (proof?.open.length === 0) expect([counted, stored.size]).toEqual([counted, rows]);
      if (more === 0) expect(proof).toMatchObject({ by, open: [] });
    }
  }
});

test.each(['empty', 'refused', 'last'] as const)(
  'a last page that is full is the last one, where what comes after it is %s',
  (pastEnd) => {
    for (const rows of [2 * PER_PAGE, 3 * PER_PAGE]) {
      const last = rows / PER_PAGE;
      for (const says of [
        (page: number) => ({ hasMore: page < last }),
        (page: number) => ({ nextPage: page < last ? page + 1 : ('none' as const) }),
        () => ({ totalPages: last }),
        () => ({ total: rows }),
      ]) {
        const { stored, proof } = read({ rows, sizeOf: always, says, pastEnd });
        expect(stored.size).toBe(rows);
        expect(proof).toMatchObject({ by: 'equal-passes', open: [] });
      }
    }
  },
);

/** What counts say that end after so many rows. */
const COUNTS: readonly ((counted: number) => Api['says'])[] = [
  (counted) => (_, size) => ({ totalPages: Math.ceil(counted / size) }),
  (counted) => (page, size) => ({ hasMore: page * size < counted }),
  (counted) => (page, size) => ({ nextPage: page * size < counted ? page + 1 : 'none' }),
  (counted) => (page, size) => ({ total: 1, hasMore: page * size < counted }),
];

test.each(WAYS)(
  'a full first page that is said to be the only one ends no longer list, by %s',
  (...way) => {
    const [, sizeOf, given, by] = way;
    for (const says of COUNTS.map((of) => of(PER_PAGE))) {
      for (const rows of [PER_PAGE + 1, PER_PAGE + 4, 3 * PER_PAGE]) {
        const { stored, proof } = read({ rows, sizeOf, says, pastEnd: 'empty' }, given);
        expect([rows, stored.size]).toEqual([rows, rows]);
        if (by === 'chain') expect(proof).toMatchObject({ by, open: [] });
      }
    }
  },
);

test.each(['empty', 'refused', 'last'] as const)(
  'a full first page holds the whole list where what comes after it is %s',
  (pastEnd) => {
    const says = () => ({ totalPages: 1, hasMore: false });
    for (const sizeOf of [asAsked, always]) {
      const api = { rows: PER_PAGE, sizeOf, says, pastEnd };
      const { stored, answers, proof } = read(api);

      // The last page again is the first one as it is then.
      expect([stored.size, answers]).toEqual([PER_PAGE, pastEnd === 'last' ? 2 : 3]);
      expect(proof).toMatchObject({ by: 'one-answer', open: [] });
      // Nothing is asked for behind one that is not full, nor by a fast walk, which does not prove it then.
      expect(read({ ...api, rows: PER_PAGE - 1 }).answers).toBe(1);
      expect(read(api, { walk: 'fast' })).toMatchObject({
        answers: 1,
        proof: { open: [expect.stringContaining('full')] },
      });
      expect(read(api, { walk: 'fast', perPage: 2 * PER_PAGE }).proof).toMatchObject({ open: [] });
    }
  },
);

test.each([
  ['an even number of records', even, undefined],
  ['half or all of a page', listed, undefined],
  ['records but for some that are left out', asAsked, (row: number) => row % 7 === 3],
  [
    'as many records as it likes, but for some that are left out',
    always,
    (row: number) => row % 7 === 3,
  ],
])(
  'a list whose pages have %s is read to its end, whatever its counts say',
  (_, sizeOf, isHidden) => {
    let shown = 0;
    for (const counted of COUNTED) {
      for (const says of COUNTS.map((of) => of(counted))) {
        const rows = counted + 15;
        const api = {
          rows,
          sizeOf,
          says,
          pastEnd: 'empty',
          ...(isHidden && { isHidden }),
        } as const;
        const { stored, proof } = read(api);
        const hidden =
          isHidden === undefined
            ? 0
            : Array.from({ length: rows }, (_row, at) => at).filter(isHidden).length;
        if (proof?.open.length !== 0) continue;
        expect([counted, stored.size]).toEqual([counted, rows - hidden]);
        shown++;
      }
    }
    expect(shown).toBeGreaterThan(0);
  },
);

test.each(['empty', 'refused'] as const)(
  'a record that comes onto a full only page before the one behind it is %s is not missed unseen',
  (pastEnd) => {
    for (const says of COUNTS.map((of) => of(PER_PAGE))) {
      for (const sizeOf of [asAsked, always]) {
        const rows = Array.from({ length: PER_PAGE + 1 }, (_, at) => `{"id":${at + 1}}`);
        const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 }));
        const stored = new Set<string>();
        let end: WalkEnd | undefined;
        for (let answers = 0; answers < 20 && end === undefined; answers++) {
          const { page, perPage = PER_PAGE } = walker.ask(0) ?? { page: 0 };
          const size = sizeOf(perPage);
          const records = rows.slice((page - 1) * size, page * size);
          const isRefused = records.length === 0 && pastEnd === 'refused';
          const answer = pageOf(records, page, says(page, size));
          const taken = isRefused
            ? walker.refused({ status: 404, hasErrorBody: true })
            : walker.take(answer);
          if (taken?.kind === 'page') for (const record of records) stored.add(record);
          if (taken !== undefined && taken.kind !== 'refused') end = taken.end;
          if (answers === 0) rows.splice(3, 1);
        }
        expect(end?.proof.open).toEqual([]);
        expect([...stored]).toEqual(expect.arrayContaining(rows));
      }
    }
  },
);

test.each([
  ['windows and passes', {}],
  ['pages from the last to the first', { order: 'appended' }],
  ['a fast walk', { walk: 'fast' }],
] as const)(
  'an API that refuses every page but the first, and counts its records alone, shows no end by %s',
  (_, given) => {
    for (const says of [() => ({ count: PER_PAGE }), () => ({ total: PER_PAGE })]) {
      const api = { rows: PER_PAGE, sizeOf: always, says, pastEnd: 'refused' } as const;
      expect(read(api, given).proof).toBeUndefined();
    }
  },
);

test('a first page that is not full is the only one where it reaches the total and the next one is refused', () => {
  const rows = PER_PAGE - 7;
  const api = { rows, sizeOf: always, says: () => ({ total: rows }), pastEnd: 'refused' } as const;

  expect(read(api).proof).toMatchObject({ by: 'equal-passes', open: [] });
});

test('other records behind a full only page are read though they come with its number', () => {
  const rows = 3 * PER_PAGE;
  const says = () => ({ totalPages: 1, currentPage: 1 });
  const { stored, proof } = read({ rows, sizeOf: asAsked, says, pastEnd: 'empty' });

  expect([stored.size, proof]).toEqual([rows, expect.objectContaining({ by: 'chain', open: [] })]);
});

test('records behind those that are counted are read though they come with the number of the last page', () => {
  const rows = 3 * PER_PAGE + 5;
  const says = (page: number) => ({ totalPages: 3, currentPage: Math.min(page, 3) });
  const { stored, proof } = read({ rows, sizeOf: always, says, pastEnd: 'empty' });

  expect([stored.size, proof?.by]).toEqual([rows, 'equal-passes']);
});

test('a full only page that is refused when it is asked for again is read on from', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  const records = Array.from({ length: PER_PAGE }, (_, at) => `{"id":${at}}`);
  walker.take(pageOf(records, 1, { hasMore: false }));
  walker.take(pageOf([], 2, { hasMore: false }));
  expect([walker.ask(0), walker.ask(1)]).toEqual([
    { page: 1, perPage: PER_PAGE, idKey: 'id' },
    undefined,
  ]);

  const taken = walker.refused({ status: 404, hasErrorBody: true });
  expect(taken).toEqual({ kind: 'dropped', next: 'anew' });
  expect(walker.state).toMatchObject({ stage: 'chain' });
});

test('nothing is asked for ahead behind a full first page that is said to be the only one', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  const records = Array.from({ length: PER_PAGE }, (_, at) => `{"id":${at}}`);
  walker.take(pageOf(records, 1, { hasMore: false }));

  expect([walker.ask(0), walker.ask(1)]).toEqual([
    { page: 2, perPage: PER_PAGE, idKey: 'id' },
    undefined,
  ]);
});

test('a last page that is not full needs no other one where the total says so', () => {
  const rows = 2 * PER_PAGE + 5;
  const total = { rows, sizeOf: asAsked, says: () => ({ total: rows }), pastEnd: 'empty' } as const;
  const more = {
    ...total,
    says: (page: number, size: number) => ({ hasMore: page * size < rows }),
  };

  // Else the end is asked for by the size of the first page, and the page behind it, and then the end again.
  expect(read(more)).toMatchObject({ answers: read(total).answers + 3, proof: { by: 'chain' } });
  const sized = {
    ...total,
    says: (page: number, size: number) => ({ hasMore: page * size < rows, perPage: size }),
  };
  // The size that is told shows that the window is the last one.
  expect(read(sized).answers).toBe(read(total).answers + 1);
});
