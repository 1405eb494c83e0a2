import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import * as v from 'valibot';
import type { Page } from '../../../lib/customers-api/outcome.ts';
import { type ExportState, ExportStateSchema } from '../../../lib/exports/export-state.ts';
import { sampleToKeep, takeSample } from '../../../lib/exports/take-sample.ts';
import {
  MADE_AT_MOST,
  type OrganizationSample,
  showsSame,
} from '../../../lib/gate/organization-sample.ts';
import { pageOf, pageWith, recordOf } from '../../faults/model-api.ts';
import { END, stateOf } from './state-of.ts';

const NOW_MS = 1_000;
const MINUTE_MS = 60_000;

interface Row {
  readonly page: Page;
  /** Rows of the list in front of it. */
  readonly before: number | undefined;
  readonly again?: number;
  readonly atMs?: number;
}

/** The state after these pages. */
function after(rows: readonly Row[], state = stateOf()): ExportState {
  return rows.reduce(
    (read, { page, before, again = 0, atMs = NOW_MS }) =>
      takeSample(read, page, { ask: undefined, before, again }, atMs),
    state,
  );
}

/** Pages of ten of a list, in this order, as rows from one end on. */
function inOrder(pages: readonly number[], total: number): readonly Row[] {
  let rows = 0;
  return pages.map((number) => {
    const page = pageOf(total, number, 10, false);
    const before = rows;
    rows += page.recordCount;
    return { page, before };
  });
}

const taken = (pages: readonly number[], total: number) =>
  sampleToKeep(after(inOrder(pages, total)), undefined);

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('takes the page that lies deepest in the list, from whichever end it is read', () => {
  expect(taken(upTo(9), 90)).toMatchObject({ page: 5, resource: 'customers', atMs: NOW_MS });
  expect(taken(upTo(9).reverse(), 90)).toMatchObject({ page: 5 });
  expect(taken([3, 4, 5, 8, 9], 90)).toMatchObject({ page: 5 });
  expect(taken(upTo(200), 2_000)).toMatchObject({ page: 7 });
});

test('takes none where an API may have made a whole page', () => {
  expect(taken(upTo(4), 40)).toBeUndefined();
  expect(taken(upTo(5), 50)).toMatchObject({ page: 3 });
});

test('takes a page that has more records than an API makes', () => {
  const page = pageOf(25, 1, 25, false);
  expect(sampleToKeep(after([{ page, before: 0 }]), undefined)).toMatchObject({ page: 1 });
});

test('takes a whole list that is told to be, once it is over', () => {
  for (const [told, from, hashes] of [
    [8, 8, 8],
    [8, 12, undefined],
    [undefined, 8, undefined],
  ] as const) {
    const rows = [1, 2].map((number) => {
      const evidence = { warnings: [], ...(told !== undefined && { total: told }) };
      const page = { ...pageOf(from, number, 8, false), evidence };
      return { page, before: 8 * (number - 1) };
    });
    const read = after(rows);
    expect(sampleToKeep(read, undefined)).toBeUndefined();
    expect(sampleToKeep({ ...read, end: END }, undefined)?.hashes.length).toBe(hashes);
  }
});

/** A list whose first records, or last ones, an API made for every organization. */
interface MadeList {
  readonly made: number;
  readonly own: number;
  readonly areLast: boolean;
  readonly perPage: number;
}

function listOf({ made, own, areLast }: MadeList, organization: string): readonly string[] {
  const ids = Array.from({ length: made + own }, (_, id) => id);
  const texts = ids.map((id) => `{"id":${id},"name":"${id < made ? 'made' : organization}"}`);
  return areLast ? texts.reverse() : texts;
}

const MADE_LISTS = fc.record({
  made: fc.integer({ min: 0, max: MADE_AT_MOST }),
  own: fc.integer({ min: 0, max: 150 }),
  perPage: fc.integer({ min: 5, max: 60 }),
  areLast: fc.boolean(),
});

test('shows no organization by records that an API made for both, wherever pages end and whatever is read first', () => {
  fc.assert(
    fc.property(
      MADE_LISTS,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 10 }),
      fc.boolean(),
      (list, pages, skipped, isBack) => {
        const { made, own, perPage } = list;
        const pageIn = (organization: string, page: number) =>
          pageWith(listOf(list, organization).slice((page - 1) * perPage, page * perPage), page);
        const numbers = upTo(Math.ceil((made + own) / perPage));
        if (isBack) numbers.reverse();
        let before = 0;
        const rows = numbers.map((number) => {
          const page = pageIn('A', number);
          const row = { page, before };
          before += page.recordCount;
          return row;
        });
        // Also where the first pages were read by a version that kept nothing of them.
        let state = stateOf();
        for (const row of rows.slice(skipped, skipped + pages)) {
          state = after([row], state);
          const kept = sampleToKeep(state, undefined);
          if (kept === undefined) continue;
          expect(showsSame(kept, pageIn('A', kept.page))).toBe(true);
          expect(showsSame(kept, pageIn('B', kept.page))).toBe(false);
        }
      },
    ),
  );
});

test('comes to the same sample however many steps the pages come in, and stays small', () => {
  const met = { deep: 0, none: 0 };
  fc.assert(
    fc.property(
      MADE_LISTS,
      fc.array(fc.nat({ max: 3 * MINUTE_MS }), { minLength: 40, maxLength: 40 }),
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      (list, waits, cuts) => {
        const rows = listOf(list, 'A');
        const { perPage } = list;
        let atMs = NOW_MS;
        let [whole, cut] = [stateOf(), stateOf()];
        let kept: OrganizationSample | undefined;
        for (let before = 0; before < rows.length; before += perPage) {
          const number = before / perPage;
          atMs += waits[number % waits.length] ?? 0;
          const texts = rows.slice(before, before + perPage);
          const page = pageWith(texts, number + 1, { total: rows.length, total_pages: 9 });
          whole = after([{ page, before, atMs }], whole);
          cut = after([{ page, before, atMs }], cut);
          if (cuts[number % cuts.length]) {
            kept = sampleToKeep(cut, kept) ?? kept;
            const stored = JSON.stringify(cut);
            expect(stored.length - JSON.stringify(stateOf()).length).toBeLessThan(4_096);
            cut = v.parse(ExportStateSchema, JSON.parse(stored));
          }
        }
        const atEnd = sampleToKeep({ ...whole, end: END }, undefined);
        expect(sampleToKeep({ ...cut, end: END }, kept) ?? kept).toEqual(atEnd);
        if (atEnd === undefined) met.none++;
        else if (atEnd.least === 4) met.deep++;
      },
    ),
  );
  expect(Math.min(met.deep, met.none)).toBeGreaterThan(5);
});

test('takes no page for deeper by records that come again, edited or not, nor by those that are read again', () => {
  const again = pageOf(90, 3, 10).records.map((record) =>
    record.replace('"name":"', '"name":"new '),
  );
  const comeAgain = [
    { page: pageWith(again, 4), before: 30 },
    { page: pageOf(90, 6, 10), before: 30, again: 10 },
    { page: pageOf(90, 7, 10), before: undefined },
  ];
  const read = after([...inOrder([1, 2, 3], 90), ...comeAgain, ...comeAgain, ...comeAgain]);
  expect(sampleToKeep(read, undefined)).toBeUndefined();

  const further = after(
    [
      { page: pageOf(90, 5, 10), before: 40 },
      { page: pageOf(90, 8, 10), before: 50 },
    ],
    read,
  );
  expect(sampleToKeep(further, undefined)).toMatchObject({ least: 4 });
});

test('takes no page for deep by records in front of it that come again behind it in a later step', () => {
  // All but the first page are of those that an API made; then 20 were added in front.
  const rows = Array.from({ length: 40 }, (_, index) => recordOf(index));
  const [own, made] = [rows.slice(0, 20), rows.slice(20)];
  const pages = [own.slice(0, 10), own.slice(10), made.slice(0, 10), own.slice(10), made];
  const read = pages.map((texts, index) => ({
    page: pageWith(texts, index + 1),
    before: 10 * index,
  }));

  expect(sampleToKeep(after(read), undefined)).toBeUndefined();
});

test('makes the texts of few pages, however long the list is', () => {
  const asked: number[] = [];
  for (const isNew of [true, false]) {
    after(
      upTo(100).map((page) => ({
        page: pageThatTells(page, asked),
        before: isNew ? (page - 1) * 10 : 0,
      })),
    );
  }

  expect(asked).toEqual([...upTo(7), 1]);
});

test('looks for another sample of a list that takes long, and knows nothing then of what it read before', () => {
  const pages = inOrder(upTo(60), 600);
  const found = after(pages.slice(0, 20));
  const kept = sampleToKeep(found, undefined);
  expect(kept).toMatchObject({ page: 7 });

  const soon = pages.slice(20, 40).map((row) => ({ ...row, atMs: NOW_MS + 14 * MINUTE_MS }));
  expect(after(soon, found)).toEqual(found);
  const late = pages.slice(20).map((row) => ({ ...row, atMs: NOW_MS + 16 * MINUTE_MS }));
  expect(sampleToKeep(after(late.slice(0, 3), found), kept)).toBeUndefined();
  expect(sampleToKeep(after(late.slice(0, 5), found), kept)).toMatchObject({ page: 23 });
  expect(sampleToKeep(after(late, found), kept)).toMatchObject({ page: 27, least: 4 });
});

test('keeps the sample that tells something, and no longer one of a former version', () => {
  const kept = taken(upTo(9), 90);
  if (kept === undefined) throw new Error('There is one.');
  const first = after(inOrder([1], 90));
  expect(sampleToKeep(first, kept)).toBeUndefined();
  const { least: _least, ...former } = { ...kept, page: 1, hashes: ['a'], atMs: 0 };
  expect(sampleToKeep(first, former)).toMatchObject({ hashes: [] });
  expect(sampleToKeep(stateOf(), former)).toBeUndefined();
});

test('leaves the sample that it found before, and one that may lose as many records and is newer', () => {
  const read = after(inOrder(upTo(9), 90));
  const kept = sampleToKeep(read, undefined);
  if (kept === undefined) throw new Error('There is one.');
  expect(sampleToKeep(read, kept)).toBeUndefined();
  expect(sampleToKeep(read, { ...kept, atMs: NOW_MS + 1 })).toBeUndefined();
  expect(sampleToKeep(read, { ...kept, atMs: NOW_MS - 1 })).toEqual(kept);
});

test('takes none of a list that shows nothing of the organization', () => {
  const asked: number[] = [];
  const state = stateOf({ list: 'currencies' });

  const read = after([{ page: pageThatTells(1, asked), before: 0 }], state);

  expect(asked).toEqual([]);
  expect(read).toBe(state);
  expect(sampleToKeep(read, undefined)).toBeUndefined();
});

/** Makes the texts when they are asked for, as a page of the client does, and notes that it did. */
function pageThatTells(page: number, asked: number[]): Page {
  const made = pageOf(1_000, page, 10);
  return {
    ...made,
    get records() {
      asked.push(page);
      return made.records;
    },
  };
}
