import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Page, Refusal, Unavailable } from '../../../../lib/customers-api/outcome.ts';
import { newWalk, type WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import { WalkSchema } from '../../../../lib/customers-api/walks/walk-schema.ts';
import { pageOf } from './moving-list.ts';

const PER_PAGE = 10;
const NOTHING = 'Page 0 has other records';

const FAILED: Unavailable = {
  kind: 'unavailable',
  reason: 'server-error',
  message: '',
  status: 500,
};
const BROKEN: Unavailable = { kind: 'unavailable', reason: 'network', message: '' };
const ENDED: Unavailable = { kind: 'unavailable', reason: 'aborted', message: '' };

/** @param count Records of the page. */
type Says = (
  total: number,
  page: number,
  size: number,
  count: number,
) => Omit<Page['evidence'], 'warnings'>;

interface Api {
  readonly rows: number;
  /** The number of the page with the first rows. */
  readonly first: 0 | 1;
  /** What comes of page 0 where that is not the first one. */
  readonly before?: 'empty' | 'first' | 404;
  /** By what page 0 fails, one request after the other; then it comes. */
  readonly fails?: readonly Unavailable[];
  readonly says?: Says;
  readonly sizes?: 'any' | 'fixed';
  /** Whether a page past the end is the last one again. */
  readonly repeatsLast?: boolean;
  /** @default - `{"id":…}` */
  readonly record?: (id: number) => string;
  /** Records that are removed in front behind each answer, and as many are added at the end. */
  readonly moves?: number;
  /** Records that are added in front behind each answer. */
  readonly added?: number;
}

function read(api: Api, given: Partial<WalkOptions> = {}) {
  const { rows, first, before = 'empty', sizes = 'any', moves = 0, says = () => ({}) } = api;
  const { added = 0, repeatsLast = false, record = (id) => `{"id":${id}}` } = api;
  const failures = [...(api.fails ?? [])];
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3, ...given }));
  const ids = Array.from({ length: rows }, (_, at) => at + 1);
  const stored = new Set<string>();
  const asked: number[] = [];
  for (let answers = 1; answers < 200; answers++) {
    const { page, perPage = PER_PAGE } = walker.ask(0) ?? { page: -1 };
    asked.push(page);
    const size = sizes === 'any' ? perPage : PER_PAGE;
    const last = repeatsLast ? first + Math.ceil(ids.length / size) - 1 : page;
    const shown = page < first && before === 'first' ? first : Math.min(page, last);
    const start = (shown - first) * size;
    const records = start < 0 ? [] : ids.slice(start, start + size).map(record);
    const evidence = { ...says(rows, page, size, records.length), warnings: [] };
    const isRefused = page < first && before === 404;
    const failure = page === 0 ? failures.shift() : undefined;
    const taken = failure
      ? walker.failed(failure)
      : isRefused
        ? walker.refused({ status: 404 })
        : walker.take({ ...pageOf(records, page), evidence });
    if (taken === undefined || taken.kind === 'refused') return { asked, stored, taken };
    if (taken.kind === 'page') for (const text of records) stored.add(text);
    if (taken.end !== undefined) return { asked, stored, proof: taken.end.proof };
    ids.push(...ids.splice(0, moves).map((id) => id + rows));
    ids.unshift(...Array.from({ length: added }, (_, at) => -(added * answers + at)));
  }
  throw new Error('no end');
}

const ROWS = [1, 5, 9, 10, 11, 15, 20, 25, 30, 47, 100];
const UNTOLD: readonly Says[] = [
  () => ({}),
  (total, page, size) => ({ hasMore: (page + 1) * size < total }),
  (_total, page) => ({ currentPage: page }),
  (total, _page, size) => ({ totalPages: Math.ceil(total / size) }),
  // The last page, as such an API counts it.
  (total, _page, size) => ({ totalPages: Math.ceil(total / size) - 1 }),
  (total, page, size) => ({ totalPages: Math.ceil(total / size) - 1, currentPage: page }),
  // A total of the page alone.
  (_total, _page, _size, count) => ({ total: count }),
];

test.each(['any', 'fixed'] as const)(
  'a list whose pages are counted from 0 is not shown to be whole from page 1 on, with sizes that are %s',
  (sizes) => {
    let ended = 0;
    for (const rows of ROWS) {
      for (const says of UNTOLD) {
        for (const repeatsLast of [false, true]) {
          const list = { rows, first: 0, says, sizes, repeatsLast } as const;
          const { asked, stored, proof, taken } = read(list);
          // Of a list of one page, that one comes again, so that nothing is missed.
          const isMissed = !repeatsLast || rows > PER_PAGE;
          if (taken !== undefined) continue;
          ended++;
          expect([rows, stored.size < rows, asked[1]]).toEqual([rows, isMissed, 0]);
          if (!isMissed) continue;
          // No other reason: pages do not fit for this one.
          expect(proof?.open).toEqual([expect.stringContaining(NOTHING)]);
          expect(proof?.by).toBeUndefined();
        }
      }
    }
    expect(ended).toBeGreaterThan(75);
  },
);

test('one full page without ids is not shown to be the whole list where its pages are counted from 0', () => {
  for (const says of UNTOLD) {
    const record = (id: number) => `{"name":"${id}"}`;
    const { proof } = read({ rows: 2 * PER_PAGE, first: 0, says, record });
    expect(proof?.by).toBeUndefined();
  }
});

test('a total shows that page 1 is the first one only if it is reached to the record', () => {
  // It ends at a cap.
  const says: Says = (total) => ({ total: Math.min(total, 30) });
  let asks = 0;
  for (const sizes of ['any', 'fixed'] as const) {
    for (const rows of [47, 60, 100]) {
      const whole = read({ rows, first: 1, says, sizes, before: 'first' });
      const told: Says = (...of) => ({ ...says(...of), previousPage: 'none' });
      const known = read({ rows, first: 1, says: told, sizes });
      expect(whole.proof?.by).toBe(known.proof?.by);
      expect(whole.asked).toEqual([...known.asked, 1, 0]);
      for (const fails of [[], [FAILED], [FAILED, BROKEN]]) {
        const { asked, proof } = read({ rows, first: 0, says, sizes, fails });
        expect(proof?.by).toBeUndefined();
        asks += asked.at(-1) === 0 ? 1 : 0;
      }
    }
  }
  expect(asks).toBeGreaterThan(5);
});

test('page 1 that is refused at the end leaves the list unproven', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 }));
  const texts = Array.from({ length: 22 }, (_, at) => `{"id":${at}}`);
  for (let answers = 0; answers < 50; answers++) {
    const { page, isProbe } = walker.ask(0) ?? { page: -1 };
    expect(isProbe).toBeUndefined();
    if (JSON.stringify(walker.state).includes('"before":"first"')) break;
    const start = (page - 1) * PER_PAGE;
    const records = texts.slice(start, start + PER_PAGE);
    walker.take({ ...pageOf(records, page), evidence: { total: 21, warnings: [] } });
  }
  expect(walker.refused({ status: 404, hasErrorBody: true })).toMatchObject({
    end: { proof: { open: [expect.stringContaining('Page 0 did not come (page 1: 404')] } },
  });
});

test('fewer records than the pages of the last answer have are not the whole list, though page 0 does not come', () => {
  const says: Says = (total, _page, size) => ({ totalPages: Math.ceil(total / size) });
  let short = 0;
  for (let rows = PER_PAGE + 1; rows < 60; rows++) {
    const list = { rows, first: 0, says, repeatsLast: true, fails: [FAILED, FAILED] } as const;
    const { stored, proof } = read(list);
    if (proof?.by === undefined) continue;
    short++;
    expect([rows, proof.leastRecords]).toEqual([rows, expect.any(Number)]);
    expect(stored.size).toBeLessThan(proof.leastRecords ?? 0);
  }
  expect(short).toBeGreaterThan(2);
});

test.each(['empty', 'first', 404] as const)(
  'a list keeps its verdict, for one request more, where page 0 is answered with %s',
  (before) => {
    const pages: Says = (total, _page, size) => ({ totalPages: Math.ceil(total / size) });
    for (const rows of [0, ...ROWS]) {
      for (const says of [() => ({}), pages]) {
        const told: Says = (...of) => ({ ...says(...of), previousPage: 'none' });
        const known = read({ rows, first: 1, before, says: told });
        const { asked, stored, proof } = read({ rows, first: 1, before, says });
        expect([rows, stored.size]).toEqual([rows, rows]);
        expect(asked.filter((page) => page === 0)).toHaveLength(1);
        expect(asked).toHaveLength(known.asked.length + 1);
        expect(proof).toEqual(known.proof);
        expect(proof?.by).toBeDefined();
      }
    }
  },
);

test('one answer of a fast walk is not shown to be the whole list where nothing tells that it is the first page', () => {
  const says = () => ({ hasMore: false });
  expect(read({ rows: 15, first: 0, says }, { walk: 'fast' }).proof?.by).toBeUndefined();
  const told = () => ({ hasMore: false, previousPage: 'none' as const });
  expect(read({ rows: 5, first: 1, says: told }, { walk: 'fast' }).proof?.by).toBe('one-answer');
});

test('a list that moves is not taken for one whose pages are counted from 0', () => {
  for (const moves of [1, 2, 3]) {
    const { proof } = read({ rows: 47, first: 1, before: 'first', moves });
    expect(proof?.open.join()).not.toContain(NOTHING);
  }
});

test('rows of page 1 that move onto page 0 do not hide that pages are counted from 0', () => {
  let ended = 0;
  for (const says of UNTOLD) {
    for (let rows = PER_PAGE + 1; rows <= 2 * PER_PAGE; rows++) {
      for (let removed = 1; removed < PER_PAGE; removed++) {
        const proof = afterRemoval(rows, removed, says);
        if (proof === undefined) continue;
        ended++;
        expect([rows, removed, proof.by]).toEqual([rows, removed, undefined]);
        expect(proof.open).toEqual([expect.stringContaining(NOTHING)]);
      }
    }
  }
  expect(ended).toBeGreaterThan(300);
});

/**
 * Records are removed in front behind the first answer only, and pages are counted from 0.
 *
 * @returns `undefined` where the answers contradict each other.
 */
function afterRemoval(rows: number, removed: number, says: Says) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 }));
  const ids = Array.from({ length: rows }, (_, at) => at + 1);
  for (let answers = 1; answers < 50; answers++) {
    const { page, perPage = PER_PAGE } = walker.ask(0) ?? { page: -1 };
    const records = ids.slice(page * perPage, (page + 1) * perPage).map((id) => `{"id":${id}}`);
    const evidence = { ...says(ids.length, page, perPage, records.length), warnings: [] };
    const taken = walker.take({ ...pageOf(records, page), evidence });
    if (taken.kind === 'refused') return undefined;
    if (taken.end !== undefined) return taken.end.proof;
    if (answers === 1) ids.splice(0, removed);
  }
  throw new Error('no end');
}

test('page 1 is asked for again where records were added in front of it meanwhile', () => {
  for (const rows of [1, 3, 47]) {
    for (const added of [1, 2, 3, 5]) {
      const { asked, proof } = read({ rows, first: 1, before: 'first', added });
      expect([rows, added, ...asked.slice(0, 4)]).toEqual([rows, added, 1, 0, 1, 2]);
      expect(`${proof?.open}`).not.toContain(NOTHING);
    }
  }
});

test('records that are edited onto the front of page 0 do not show that it is page 1', () => {
  const { walker, takes } = scripted();
  takes(1, [11, 12]);
  takes(0, [12, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  takes(1, [10, 11]);
  expect(walker.state).toMatchObject({ before: 'others' });
});

test('page 0 is compared once more where its first record left page 1 meanwhile, and then no more', () => {
  for (const [last, before] of [
    [[3, 4, 5], undefined],
    [[6, 3, 4, 5], 'others'],
  ] as const) {
    const { walker, takes } = scripted();
    takes(1, [2, 3, 4]);
    takes(0, [1, 2, 3, 4]);
    takes(1, [2, 3, 4, 5]);
    const stored = v.parse(WalkSchema, JSON.parse(JSON.stringify(walker.state)));
    expect(stored).toEqual(walker.state);
    takes(0, [...last]);
    const { before: found, beforePages } = {
      before: undefined,
      beforePages: undefined,
      ...walker.state,
    };
    expect([found, beforePages]).toEqual([before, undefined]);
  }
});

test('page 1 that is refused behind page 0, or page 0 that is missed then, leaves the list unproven', () => {
  for (const miss of ['page 1', 'page 0', 'page 0 fails'] as const) {
    const { walker, takes } = scripted();
    takes(1, [11, 12]);
    takes(0, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    if (miss !== 'page 1') takes(1, [12]);
    if (miss === 'page 0 fails') walker.failed(FAILED);
    else expect(walker.refused({ status: 404 })).toMatchObject({ kind: 'dropped' });
    expect([miss, walker.state]).toMatchObject([miss, { before: 'others' }]);
  }
  const { walker, takes } = scripted();
  takes(1, [11, 12]);
  takes(0, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  // As of any page.
  expect(walker.failed(FAILED)).toBeUndefined();
});

function scripted() {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  const takes = (page: number, ids: readonly number[]) => {
    expect(walker.ask(0)).toMatchObject({ page });
    const records = ids.map((id) => `{"id":${id}}`);
    walker.take({ ...pageOf(records, page), evidence: { warnings: [] } });
  };
  return { walker, takes };
}

test.each<[string, number, Says]>([
  ['a total of several pages', 47, (total) => ({ total })],
  ['a total of one page, and one page', 7, (total) => ({ total, totalPages: 1 })],
  ['that none is before page 1', 47, () => ({ previousPage: 'none' })],
])('page 0 is not asked for where %s is told', (_, rows, says) => {
  const { asked, proof } = read({ rows, first: 1, says });
  expect(asked).not.toContain(0);
  expect(proof).toMatchObject({ by: rows === 7 ? 'one-answer' : 'chain', open: [] });
});

test.each([
  ['status 500', FAILED],
  ['status 502', { ...FAILED, status: 502 }],
  ['status 408', { ...FAILED, status: 408 }],
  ['a broken connection', BROKEN],
])(
  'a list keeps its verdict where page 0 fails twice by %s, and page 1 comes in between',
  (_, failure) => {
    for (const rows of ROWS) {
      const told = read({ rows, first: 1, says: () => ({ previousPage: 'none' }) });
      const { asked, stored, proof } = read({ rows, first: 1, fails: [failure, failure] });
      expect([rows, stored.size]).toEqual([rows, rows]);
      expect(asked).toEqual([1, 0, 1, 0, ...told.asked.slice(1)]);
      expect(proof).toEqual(told.proof);
    }
  },
);

test('a failure of page 0 that passes hides no first page', () => {
  for (const rows of ROWS.filter((each) => each > PER_PAGE)) {
    for (const failure of [FAILED, BROKEN]) {
      const { asked, proof } = read({ rows, first: 0, fails: [failure] });
      expect([rows, ...asked.slice(0, 4)]).toEqual([rows, 1, 0, 1, 0]);
      expect(proof?.open).toContainEqual(expect.stringContaining(NOTHING));
      expect(proof?.by).toBeUndefined();
    }
  }
});

test('two failures of page 0 of two kinds show nothing, and end nothing', () => {
  for (const first of [0, 1] as const) {
    const { stored, proof } = read({ rows: 47, first, fails: [FAILED, BROKEN] });
    expect(stored.size).toBe(first === 0 ? 37 : 47);
    expect(proof?.by).toBeUndefined();
    expect(proof?.open[0]).toBe(
      'Page 0 did not come (500, then network), so that the API may count from 0. Export the list again.',
    );
  }
});

test.each<[string, Refusal]>([
  ['a redirect', { status: 302 }],
  ['an answer that is too large', { reason: 'too-large' }],
])('page 0 that is refused by %s is asked for again', (_, refusal) => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  const first = { ...pageOf(['{"id":1}'], 1), evidence: { warnings: [] } };
  walker.take(first);
  walker.refused(refusal);
  expect(walker.ask(0)).toMatchObject({ page: 1 });
  // Of the first page it is an error.
  expect([walker.refused({ status: 404 }), walker.failed(FAILED)]).toEqual([undefined, undefined]);
  walker.take(first);
  expect(walker.ask(0)).toMatchObject({ page: 0 });
  walker.refused(refusal);
  expect(walker.ask(0)).toMatchObject({ page: 2 });
});

test('a walk goes on in another process where page 0 has failed', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  walker.take({ ...pageOf(['{"id":1}'], 1), evidence: { warnings: [] } });
  walker.failed(FAILED);
  const stored = v.parse(WalkSchema, JSON.parse(JSON.stringify(walker.state)));
  expect(stored).toEqual(walker.state);
});

test('only page 0 is a probe, and none is asked for before it', () => {
  expect(read({ rows: 47, first: 0 }, { firstPage: 0 }).asked).not.toContain(-1);
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  expect([walker.failed(FAILED), walker.ask(0)?.isProbe]).toEqual([undefined, undefined]);
  walker.take({ ...pageOf(['{"id":1}'], 1), evidence: { warnings: [] } });
  expect([walker.ask(0), walker.ask(1)]).toMatchObject([{ page: 0, isProbe: true }, undefined]);
  // That the caller ends a request says nothing of the API.
  expect(walker.failed(ENDED)).toBeUndefined();
  walker.failed(FAILED);
  expect(walker.ask(0)).not.toHaveProperty('isProbe');
});
