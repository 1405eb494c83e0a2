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

type Says = (total: number, page: number, size: number) => Omit<Page['evidence'], 'warnings'>;

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
  /** Records that are removed in front behind each answer, and as many are added at the end. */
  readonly moves?: number;
}

function read(api: Api, given: Partial<WalkOptions> = {}) {
  const { rows, first, before = 'empty', sizes = 'any', moves = 0, says = () => ({}) } = api;
  const failures = [...(api.fails ?? [])];
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3, ...given }));
  const ids = Array.from({ length: rows }, (_, at) => at + 1);
  const stored = new Set<string>();
  const asked: number[] = [];
  for (let answers = 1; answers < 200; answers++) {
    const { page, perPage = PER_PAGE } = walker.ask(0) ?? { page: -1 };
    asked.push(page);
    const size = sizes === 'any' ? perPage : PER_PAGE;
    const shown = page < first && before === 'first' ? first : page;
    const start = (shown - first) * size;
    const records = start < 0 ? [] : ids.slice(start, start + size).map((id) => `{"id":${id}}`);
    const evidence = { ...says(rows, page, size), warnings: [] };
    const isRefused = page < first && before === 404;
    const failure = page === 0 ? failures.shift() : undefined;
    const taken = failure
      ? walker.failed(failure)
      : isRefused
        ? walker.refused({ status: 404 })
        : walker.take({ ...pageOf(records, page), evidence });
    if (taken === undefined || taken.kind === 'refused') return { asked, stored, taken };
    if (taken.kind === 'page') for (const record of records) stored.add(record);
    if (taken.end !== undefined) return { asked, stored, proof: taken.end.proof };
    ids.push(...ids.splice(0, moves).map((id) => id + rows));
  }
  throw new Error('no end');
}

const ROWS = [1, 5, 9, 10, 11, 15, 20, 25, 30, 47, 100];
const UNTOLD: readonly Says[] = [
  () => ({}),
  (total, page, size) => ({ hasMore: (page + 1) * size < total }),
  (_total, page) => ({ currentPage: page }),
];

test.each(['any', 'fixed'] as const)(
  'a list whose pages are counted from 0 is not shown to be whole from page 1 on, with sizes that are %s',
  (sizes) => {
    for (const rows of ROWS) {
      for (const says of UNTOLD) {
        const { asked, stored, proof } = read({ rows, first: 0, says, sizes });
        expect([rows, stored.size < rows, asked[1]]).toEqual([rows, true, 0]);
        if (proof === undefined) continue;
        expect(proof.open).toContainEqual(expect.stringContaining(NOTHING));
        expect(proof.by).toBeUndefined();
      }
    }
  },
);

test.each(['empty', 'first', 404] as const)(
  'a list keeps its verdict, for one request more, where page 0 is answered with %s',
  (before) => {
    for (const rows of [0, ...ROWS]) {
      const told = read({ rows, first: 1, before, says: () => ({ previousPage: 'none' }) });
      const { asked, stored, proof } = read({ rows, first: 1, before });
      expect([rows, stored.size]).toEqual([rows, rows]);
      expect(asked.filter((page) => page === 0)).toHaveLength(1);
      expect(asked).toHaveLength(told.asked.length + 1);
      expect(proof?.open).toEqual([]);
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

test.each<[string, Says]>([
  ['a total', (total) => ({ total })],
  ['a number of pages', (total, _, size) => ({ totalPages: Math.ceil(total / size) })],
])('page 0 is not asked for where %s is told', (_, says) => {
  const { asked, proof } = read({ rows: 47, first: 1, says });
  expect(asked).not.toContain(0);
  expect(proof).toMatchObject({ by: 'chain', open: [] });
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
