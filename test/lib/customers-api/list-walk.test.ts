import { expect, test } from '@jest/globals';
import { randomOf } from '../../../infra/simulator/random.ts';
import { advanceWalk, endOnRefusal, startWalk } from '../../../lib/customers-api/list-walk.ts';
import type { Page } from '../../../lib/customers-api/outcome.ts';
import { hashRecords } from '../../../lib/customers-api/record-hashes.ts';
import type { EndRule, ListWalk } from '../../../lib/customers-api/walks/list-walk-schema.ts';

interface Sketch {
  readonly ids: readonly number[];
  /** What else is in the records. */
  readonly note?: string;
  readonly evidence?: Omit<Page['evidence'], 'warnings'>;
}

function pageOf(page: number, { ids, note = '', evidence = {} }: Sketch): Page {
  const records = ids.map((id) => `{"id":${id},"note":"${note}"}`);
  const ndjson = Buffer.from(records.map((record) => `${record}\n`).join(''));
  const { hashes: recordHashes, fingerprint } = hashRecords(ndjson, ids.length, 'id');
  return {
    kind: 'page',
    page,
    records,
    ids: ids.map(String),
    recordCount: ids.length,
    ndjson,
    idKey: 'id',
    recordHashes,
    fingerprint,
    meta: undefined,
    metaText: undefined,
    evidence: { ...evidence, warnings: [] },
  };
}

/** Walks pages 1, 2, … and gives the last decision with the walk after it. */
function walkOver(sketches: readonly Sketch[], mayMove = false) {
  let walk: ListWalk = startWalk(1);
  let decision: ReturnType<typeof advanceWalk>['decision'] | undefined;
  for (const sketch of sketches) {
    ({ walk, decision } = advanceWalk(walk, pageOf(walk.nextPage, sketch), mayMove));
  }
  return { walk, decision };
}

const full = (from: number, evidence: Sketch['evidence'] = {}): Sketch => ({
  ids: Array.from({ length: 10 }, (_, index) => from + index),
  evidence,
});
const short = (from: number, evidence: Sketch['evidence'] = {}): Sketch => ({
  ids: [from, from + 1],
  evidence,
});
const empty = (evidence: Sketch['evidence'] = {}): Sketch => ({ ids: [], evidence });

test.each<[string, readonly Sketch[], object]>([
  ['an empty page', [full(1), empty()], { kind: 'end', rules: ['empty-page'], missing: 0 }],
  ['all pages', [full(1, { totalPages: 1 })], { kind: 'end', rules: ['total-pages'] }],
  [
    'the total',
    [full(1, { total: 12 }), short(11, { total: 12 })],
    { kind: 'end', rules: ['total'] },
  ],
  ['no next page', [full(1, { nextPage: 'none' })], { kind: 'end', rules: ['no-next-page'] }],
  ['no more', [full(1, { hasMore: false })], { kind: 'end', rules: ['no-more'] }],
  [
    'an empty page, of one page that is counted and none before it',
    [empty({ totalPages: 1, previousPage: 'none' })],
    { kind: 'end', rules: ['empty-page'], contradictions: [] },
  ],
  [
    'an empty page after counts of each page, or of what came so far',
    [full(1, { count: 10 }), short(11, { count: 12 }), empty({ count: 12 })],
    { kind: 'end', rules: ['empty-page'], contradictions: [] },
  ],
  [
    'an empty page after a count that is the size of a page',
    [short(1, { count: 20, perPage: 20 }), empty({ count: 20, perPage: 20 })],
    { kind: 'end', rules: ['empty-page'], contradictions: [] },
  ],
])('ends a list by %s', (_, sketches, expected) => {
  expect(walkOver(sketches).decision).toMatchObject(expected);
});

test.each<[string, readonly Sketch[]]>([
  ['nothing is told', [full(1)]],
  ['the page is short', [full(1), short(11)]],
  ['a total equals the first page', [full(1, { total: 10 })]],
  ['a count equals what was received', [full(1, { count: 10 })]],
  ['a total is below what was received', [full(1, { total: 3 })]],
  ['one sign says last and another says more', [full(1, { hasMore: false, total: 30 })]],
  ['the next page is this one', [full(1, { nextPage: 1 })]],
  ['the server names a size that it was asked for', [short(1, { perPage: 100 })]],
  ['an empty page says that more follow', [full(1), empty({ hasMore: true })]],
])('goes on while %s', (_, sketches) => {
  expect(walkOver(sketches).decision).toMatchObject({ kind: 'more' });
});

test.each<[string, readonly Sketch[], string, RegExp]>([
  ['a page repeats', [full(1), full(1)], 'not-advancing', /Page 2 .*firstPage/],
  ['a list runs in circles', [full(1), full(11), full(21), full(11)], 'not-advancing', /Page 4/],
  [
    'a page repeats although more is announced',
    [full(1), full(11), short(21, { hasMore: true }), short(21, { hasMore: true })],
    'not-advancing',
    /Page 4/,
  ],
  [
    'a page has the records of the one before in another order',
    [full(1), { ids: full(1).ids.toReversed() }],
    'not-advancing',
    /Page 2/,
  ],
  [
    'records change but their ids do not',
    [{ ids: [1, 5, 9] }, { ids: [1, 5, 9], note: 'changed' }],
    'not-advancing',
    /Page 2/,
  ],
  [
    'the answer names the same page again',
    [full(1, { currentPage: 1 }), full(11, { currentPage: 1 })],
    'not-advancing',
    /metaKeys.currentPage/,
  ],
  [
    'a page comes before the first one',
    [full(1, { previousPage: 0 })],
    'contradiction',
    /firstPage to 0/,
  ],
  [
    'the last page is empty',
    [full(1, { totalPages: 2 }), empty({ totalPages: 2 })],
    'contradiction',
    /last of 2/,
  ],
  [
    'a page or more is missing',
    [full(1, { total: 25 }), empty({ total: 25 })],
    'contradiction',
    /reported total is 25/,
  ],
  [
    'a page or more is missing of what only a count tells',
    [full(1, { count: 25 }), empty({ count: 25 })],
    'contradiction',
    /reported count is 25/,
  ],
  [
    'the only page that is counted is empty, and may be the second one',
    [empty({ totalPages: 1, count: 0 })],
    'contradiction',
    /last of 1/,
  ],
  [
    'empty pages go on',
    [full(1), ...Array.from({ length: 3 }, () => empty({ hasMore: true }))],
    'contradiction',
    /3 empty pages/,
  ],
])('fails when %s', (_, sketches, reason, message) => {
  expect(walkOver(sketches).decision).toMatchObject({ kind: 'refused', reason });
  expect(walkOver(sketches).decision).toMatchObject({ message: expect.stringMatching(message) });
});

test.each([
  [{ totalPages: 1 }, 'refused'],
  [{ totalPages: 1, currentPage: 1 }, 'refused'],
  [{ totalPages: 1, currentPage: 0 }, 'end'],
  [{ totalPages: 1, previousPage: 'none' }, 'end'],
] as const)('where pages begin at 0, an empty first one that says %j is %s', (evidence, kind) => {
  expect(advanceWalk(startWalk(0), pageOf(0, empty(evidence))).decision).toMatchObject({ kind });
});

test.each<[string, readonly Sketch[], object]>([
  ['goes on where a page repeats', [full(1), full(11), full(11)], { kind: 'more' }],
  [
    'goes on where another one repeats later',
    [full(1), full(11), full(11), full(21), full(21)],
    { kind: 'more' },
  ],
  [
    'fails where two in a row repeat',
    [full(1), full(11), full(11), full(11)],
    { kind: 'refused', reason: 'not-advancing' },
  ],
  [
    'fails where the list runs in circles',
    [full(1), full(11), full(21), full(1), full(11)],
    { kind: 'refused', reason: 'not-advancing' },
  ],
  [
    'fails where the second page repeats the first one',
    [full(1), full(1)],
    { kind: 'refused', reason: 'not-advancing' },
  ],
  [
    'fails where the answer names the same page again',
    [1, 2, 2].map((currentPage) => full(currentPage * 10, { currentPage })),
    { kind: 'refused', reason: 'not-advancing' },
  ],
  [
    'ends where the list looks complete',
    [full(1), short(11), short(11)],
    { kind: 'end', rules: ['last-page-repeated'] },
  ],
])('a list that may have moved by a page between two answers %s', (_, sketches, decision) => {
  expect(walkOver(sketches, true).decision).toMatchObject(decision);
});

test('a list that ends is not judged by its ids, though most of them are the same', () => {
  const same = {
    ids: Array.from({ length: 100 }, (_, at) => at % 20),
    evidence: { hasMore: false },
  };

  expect(walkOver([same]).decision).toMatchObject({ kind: 'end' });
});

test('a list that grows, and begins again behind its end, does not go on for ever', () => {
  // Six pages, and then the first one as it is then, which says that it is the last.
  const pages = [1, 11, 21, 31, 41, 51].map((from) => full(from, { hasMore: true }));
  const behind = Array.from({ length: 30 }, (_, grown) => full(-grown, { hasMore: false }));
  const ends = behind.map((_, at) => walkOver([...pages, ...behind.slice(0, at)], true).decision);

  expect(ends).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('the list repeats itself') }),
  );
  // Not before it was read two and a half times.
  expect(ends.slice(0, 10)).not.toContainEqual(expect.objectContaining({ kind: 'refused' }));
});

/** Both counts are reached with the second page; the answer always links to a next page. */
const linked = (sketch: Sketch, evidence: Sketch['evidence'] = {}): Sketch => ({
  ...sketch,
  evidence: { total: 12, totalPages: 2, nextPage: 'some', ...evidence },
});

test.each<[string, readonly Sketch[], EndRule]>([
  ['an empty page', [linked(full(1)), linked(short(11)), linked(empty())], 'empty-page'],
  [
    'a page that repeats the last one',
    [linked(full(1)), linked(short(11)), linked(short(11))],
    'last-page-repeated',
  ],
  ['an empty list', [linked(empty(), { total: 0, totalPages: 0 })], 'empty-page'],
])(
  'outweighs a link to a next page that never changes by two counts and %s',
  (_, sketches, rule) => {
    expect(walkOver(sketches).decision).toMatchObject({
      kind: 'end',
      rules: [rule, 'total-pages', 'total'],
      outweighed: 'no-next-page',
      contradictions: [],
    });
  },
);

test('outweighs a link to a next page that never changes by two counts and a refusal', () => {
  const { walk } = walkOver([linked(full(1)), linked(short(11))]);
  expect(endOnRefusal(walk, { status: 404, hasErrorBody: true })).toMatchObject({
    kind: 'end',
    outweighed: 'no-next-page',
  });
});

test.each<[string, readonly Sketch[]]>([
  [
    'the link was not always there',
    [linked(full(1), { nextPage: 'none' }), linked(short(11)), linked(empty())],
  ],
  [
    'another sign says so too',
    [full(1), short(11), empty()].map((each) => linked(each, { hasMore: true })),
  ],
  [
    'one count alone is reached',
    [full(1), short(11), empty()].map((each) => linked(each, { total: 13 })),
  ],
  [
    'there is one count alone',
    [full(1), short(11), empty()].map(({ ids }) => ({
      ids,
      evidence: { total: 12, hasMore: true },
    })),
  ],
  [
    'a count was reached before the other',
    [full(1), short(11), empty()].map((each) => linked(each, { totalPages: 1 })),
  ],
  [
    'a count grew with the empty page',
    [linked(full(1)), linked(short(11)), linked(empty(), { totalPages: 4 })],
  ],
])('believes that more follow after an empty page when %s', (_, sketches) => {
  expect(walkOver(sketches).decision).toMatchObject({ kind: 'more' });
});

/** How many pages of a list without an end are taken before it is refused. */
function pagesUntilRefused(perPage: number, recordsOf: (page: number) => readonly number[]) {
  let walk: ListWalk = startWalk(1);
  for (let page = 1; page <= 20_000 / perPage; page++) {
    const { walk: next, decision } = advanceWalk(walk, pageOf(page, { ids: recordsOf(page) }));
    if (decision.kind === 'refused') return { pages: page - 1, reason: decision.reason };
    walk = next;
  }
  return { pages: 'all' as const };
}

test.each([1, 7, 100])(
  'refuses every cycle of 1 to 50 pages with %i records each, in whatever order they come again',
  (perPage) => {
    const random = randomOf(perPage);
    for (let length = 1; length <= 50; length++) {
      const order = Array.from({ length: length * perPage }, (_, index) => index);
      const { pages, reason } = pagesUntilRefused(perPage, (page) => {
        const from = ((page - 1) % length) * perPage;
        // Each time round all records come in another order, so that no page is equal to an earlier one.
        if (from === 0 && page > 1) order.sort(() => random() - 0.5);
        return order.slice(from, from + perPage);
      });
      expect([length, reason]).toEqual([length, 'not-advancing']);
      expect(pages).toBeLessThan(4 * length + 64);
    }
  },
);

test.each([
  ['records that are all different', (page: number, index: number) => page * 10 + index],
  ['a record in ten that came before', (page: number, index: number) => page * 9 + index],
  ['each record on two pages', (page: number, index: number) => page * 5 + index],
])('goes on with %s', (_, idOf) => {
  const idsOf = (page: number) => Array.from({ length: 10 }, (_, index) => idOf(page, index));
  expect(pagesUntilRefused(10, idsOf)).toEqual({ pages: 'all' });
});

test('tells how many records a total promises beyond those received', () => {
  const { decision } = walkOver([full(1, { total: 19 }), empty({ total: 19 })]);

  expect(decision).toMatchObject({
    kind: 'end',
    missing: 9,
    contradictions: [expect.stringMatching(/19/)],
  });
});

test.each([400, 404, 410, 416, 422])(
  'takes %i for the end after a page shorter than the others',
  (status) => {
    expect(
      endOnRefusal(walkOver([full(1), short(11)]).walk, { status, hasErrorBody: true }),
    ).toMatchObject({
      kind: 'end',
      rules: ['refused-past-end'],
    });
  },
);

test.each<[string, readonly Sketch[], number]>([
  ['the first page', [], 404],
  ['full pages', [full(1), full(11)], 404],
  ['a short page that announces more', [full(1), short(11, { hasMore: true })], 404],
  ['a short page of many', [full(1), short(11, { totalPages: 9 })], 404],
  ['a page below the size that the server repeats', [short(1, { perPage: 100 })], 404],
  ['an only page that has its own count', [short(1, { count: 2 })], 404],
  ['an only page that may be full', [full(1, { total: 10, perPage: 10 })], 404],
  ['a short page, for another status', [full(1), short(11)], 403],
])('takes a refusal for no end after %s', (_, sketches, status) => {
  expect(endOnRefusal(walkOver(sketches).walk, { status, hasErrorBody: true })).toBeUndefined();
});

test.each([
  ['404', true],
  ['400', false],
  ['429', false],
  [undefined, false],
])('behind a short page, the code %s in the body of a 2xx is the end: %s', (apiCode, isEnd) => {
  const refusal = { status: 200, reason: 'error-body', ...(apiCode && { apiCode }) } as const;
  const end = endOnRefusal(walkOver([full(1), short(11)]).walk, refusal);
  expect(end?.kind).toBe(isEnd ? 'end' : undefined);
});

test('takes a refusal for the end after an only page that is not full and has as many records as the total', () => {
  const { walk } = walkOver([short(1, { total: 2, perPage: 10 })]);
  expect(endOnRefusal(walk, { status: 404, hasErrorBody: true })).toMatchObject({ kind: 'end' });
});

test('two empty pages in a row may be in the middle of a list, and three are not', () => {
  const more = { hasMore: true };
  const empty: Sketch = { ids: [], evidence: more };
  expect(walkOver([full(0, more), empty, empty]).decision).toMatchObject({ kind: 'more' });
  const twice = [full(0, more), empty, empty, full(10, more), empty, empty];
  expect(walkOver(twice).decision).toMatchObject({ kind: 'more' });
  expect(walkOver([full(0, more), empty, empty, empty]).decision).toMatchObject({
    ...{ kind: 'refused', reason: 'contradiction' },
  });
});

test('a second page that is the first one shows no end, though the total is reached', () => {
  const counted = full(0, { total: 10 });
  expect(walkOver([counted, counted]).decision).toMatchObject({
    ...{ kind: 'refused', reason: 'not-advancing' },
  });
});
