import { expect, test } from '@jest/globals';
import type { Page, Refusal } from '../../../../lib/customers-api/outcome.ts';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk } from '../../../../lib/customers-api/walks/taken.ts';
import type { Walker } from '../../../../lib/customers-api/walks/walker.ts';
import { pageOf } from './moving-list.ts';

const PER_PAGE = 10;

/** A page of a list that stands still; it says how many records a page has and whether more follow, or less. */
function answerTo(
  { page, perPage = PER_PAGE }: PageAsk,
  rows: number,
  says = (size: number, hasMore: boolean): Partial<Page['evidence']> => ({
    perPage: size,
    hasMore,
  }),
): Page {
  const start = (page - 1) * perPage;
  const count = Math.max(0, Math.min(perPage, rows - start));
  const records = Array.from({ length: count }, (_, row) => `{"id":${start + row + 1}}`);
  return pageOf(records, page, says(perPage, start + perPage < rows));
}

function askOf(walker: Walker): PageAsk {
  const ask = walker.ask(0);
  if (ask === undefined) throw new Error('nothing to ask for');
  return ask;
}

function stageOf({ state }: Walker): string {
  return state.kind === 'fast' ? '' : state.stage;
}

function begun(rows: number, says?: Parameters<typeof answerTo>[2]): Walker {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 }));
  walker.take(answerTo(askOf(walker), rows, says));
  return walker;
}

test('the end counts as asked for ahead if its window was, and only then', () => {
  const seen = new Set<number>();
  for (let rows = PER_PAGE + 1; rows < 60; rows++) {
    const walker = begun(rows);
    // Two behind the next one, once.
    for (const ahead of [0, 1, 2]) walker.ask(ahead);
    let window = 0;
    for (; stageOf(walker) === 'chain'; window++) walker.take(answerTo(askOf(walker), rows));
    // Counted from 1.
    expect(walker.state).toMatchObject({
      stage: 'confirm',
      endWasAhead: window === 2 || window === 3,
    });
    seen.add(window);
  }
  expect([...seen]).toEqual(expect.arrayContaining([1, 2, 3, 4]));
});

const REFUSED = { hasErrorBody: true } as const;

/** A walk whose next answer is of this kind. */
const WALKS: Readonly<Record<string, () => Walker>> = {
  'the first page': () => openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE })),
  'the page behind the only one': () => begun(PER_PAGE),
  // A count of the page is no count of the list.
  'a window': () => begun(40, () => ({ count: PER_PAGE })),
  'the page behind the last window': () => {
    const walker = begun(12);
    while (stageOf(walker) !== 'confirm') walker.take(answerTo(askOf(walker), 12));
    return walker;
  },
  'the front': () => {
    const walker = begun(12);
    while (stageOf(walker) !== 'front') walker.take(answerTo(askOf(walker), 12));
    return walker;
  },
  'a page of the first pass': () => {
    const walker = begun(40);
    walker.refused({ status: 422, ...REFUSED });
    return walker;
  },
  'a page that is read again': () => {
    const walker = begun(40);
    for (let answer = 0; answer < 6; answer++) {
      const ask = { ...askOf(walker), perPage: PER_PAGE };
      walker.take({ ...answerTo(ask, 40), idKey: 'id' });
    }
    return walker;
  },
};

const ERROR = undefined;
const NO_WINDOWS = { kind: 'dropped', next: 'anew' };
const FIRST_AGAIN = { kind: 'dropped', next: 'anew' };
const NOT_READ_AGAIN = {
  kind: 'dropped',
  end: { proof: { open: expect.arrayContaining([expect.stringContaining('read again')]) } },
};

test.each<[string, Refusal, object | undefined]>([
  ['the first page', { status: 404, ...REFUSED }, ERROR],
  ['the first page', { status: 422, ...REFUSED }, ERROR],
  ['the page behind the only one', { status: 404, ...REFUSED }, FIRST_AGAIN],
  ['the page behind the only one', { status: 404 }, ERROR],
  ['the page behind the only one', { status: 500, ...REFUSED }, ERROR],
  ['a window', { status: 404, ...REFUSED }, NO_WINDOWS],
  ['a window', { status: 400 }, NO_WINDOWS],
  ['a window', { status: 499 }, NO_WINDOWS],
  ['a window', { status: 399 }, ERROR],
  ['a window', { status: 500 }, ERROR],
  ['a window', {}, ERROR],
  ['the page behind the last window', { status: 404, ...REFUSED }, NO_WINDOWS],
  ['the page behind the last window', { status: 500, ...REFUSED }, ERROR],
  ['the front', { status: 404, ...REFUSED }, NOT_READ_AGAIN],
  ['the front', { status: 500 }, NOT_READ_AGAIN],
  ['a page of the first pass', { status: 404, ...REFUSED }, ERROR],
  ['a page of the first pass', { status: 422 }, ERROR],
  ['a page that is read again', { status: 500 }, NOT_READ_AGAIN],
])('in place of %s a refusal %j ends only what it shows the end of', (asked, refusal, expected) => {
  const walker = WALKS[asked]?.();
  const taken = walker?.refused(refusal);

  if (expected === undefined) expect(taken).toBeUndefined();
  else expect(taken).toMatchObject(expected);
  if (expected === NO_WINDOWS) {
    expect(taken).not.toHaveProperty('end');
    expect(walker?.state).toMatchObject({ stage: asked === 'a window' ? 'pages' : 'front' });
  }
});

test.each([10, 20, 40])(
  'records that have another text in each answer are told of, and are no gap, on pages of %i',
  (perPage) => {
    const walker = openWalk(newWalk({ firstPage: 1, perPage, maxPasses: 1.5 }));
    for (let answer = 0; answer < 100; answer++) {
      const ask = askOf(walker);
      const { records, page, evidence } = answerTo(ask, 30 * perPage);
      const signed = records.map((record) => record.replace('}', `,"signed":${answer}}`));
      const taken = walker.take(pageOf(signed, page, evidence));
      if (taken.kind === 'refused') throw new Error(taken.message);
      if (taken.end === undefined) continue;
      const { open, counts } = taken.end.proof;
      expect(open[0]).toMatch(/^Records that came on two pages had another text on each/);
      expect(counts.gaps).toBe(0);
      return;
    }
    throw new Error('no end');
  },
);
