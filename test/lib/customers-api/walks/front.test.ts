import { expect, test } from '@jest/globals';
import { newWalk, type WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import { RowMarks } from '../../../../lib/customers-api/walks/row-marks.ts';
import { frontWith } from '../../../../lib/customers-api/walks/take-first.ts';
import { defined } from '../../../../lib/defined.ts';
import { pageOf } from './moving-list.ts';

interface Row {
  readonly id: number;
  readonly updatedAt: number;
}

/** In the order of the last edit, newest first; ids in no order. */
function rowsOf(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, at) => ({
    id: ((at + 1) * 7919) % 9973,
    updatedAt: 1_764_000_000 - at,
  }));
}

/** Edits so many of the records that were edited longest ago. */
function edited(rows: readonly Row[], count: number): readonly Row[] {
  const [newest] = rows;
  const moved = rows.slice(rows.length - count).map((row, at) => ({
    ...row,
    updatedAt: (newest?.updatedAt ?? 0) + count - at,
  }));
  return [...moved, ...rows.slice(0, rows.length - count)];
}

interface Shown extends Pick<WalkOptions, 'order'> {
  readonly text?: (row: Row) => string;
}

const textOf = ({ id, updatedAt }: Row) => `{"id":${id},"updated_at":${updatedAt}}`;

/**
 * Reads the list, one page at a time.
 *
 * @param before What becomes of the list before a look at the front, counted from 0.
 * @returns What was stored after the list was read to its end.
 */
function readFront(
  rows: readonly Row[],
  perPage: number,
  before: (list: readonly Row[], look: number) => readonly Row[],
  { text = textOf, order }: Shown = {},
) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage, ...defined({ order }) }));
  const stored: string[] = [];
  let list = rows;
  let looks = 0;
  for (let answers = 0; answers < 100; answers++) {
    const ask = walker.ask(0) ?? { page: 0 };
    const { state } = walker;
    const isFront = state.kind === 'verified' && state.stage === 'front';
    if (isFront && ask.page === 1) list = before(list, looks++);
    const { page, perPage: size = perPage } = ask;
    const texts = list.slice((page - 1) * size, page * size).map(text);
    const answer = pageOf(texts, page, { total: list.length });
    const taken = walker.take(answer);
    if (taken.kind === 'refused') throw new Error(taken.message);
    const skip = new Set(taken.kind === 'page' ? taken.skip : []);
    if (isFront && taken.kind === 'page') {
      stored.push(...texts.filter((_text, row) => !skip.has(row)));
    }
    if (taken.end !== undefined) return { stored, list, proof: taken.end.proof };
  }
  throw new Error('no end');
}

test.each([
  [20, [0, 1, 7, 18, 19, 20, 21, 37, 38, 39, 60]],
  [50, [0, 1, 18, 19, 40, 49, 50, 51]],
])('of pages of %i the records that came to the front are stored, each once', (perPage, edits) => {
  for (const count of edits) {
    const rows = rowsOf(100);
    const { stored, list, proof } = readFront(rows, perPage, (shown, look) =>
      edited(shown, look === 0 ? count : 0),
    );

    const ids = stored.map((text) => Number(/\d+/.exec(text)?.[0]));
    expect([count, ids]).toEqual([count, list.slice(0, count).map(({ id }) => id)]);
    // A look that takes more than one answer shows no single moment, so there is another one.
    expect([count, proof.counts.frontChecks]).toEqual([count, count < perPage ? 1 : 2]);
    // One known record alone does not show that it is older than what was the first one.
    const isShown = count < perPage - 1;
    if (isShown) expect(proof).toMatchObject({ by: 'chain', open: [], order: 'by-last-edit' });
  }
});

test.each([1, 2, 10, 15])(
  'records that are edited are stored behind %i rows with a time later than now',
  (ahead) => {
    const rows = rowsOf(100);
    const pinned = rows.slice(0, ahead).map((row) => ({ ...row, updatedAt: row.updatedAt + 1e6 }));
    const others = rows.slice(ahead);
    for (const count of [0, 1, 7, 18, 19, 20, 21, 40, 60]) {
      const shown = readFront([...pinned, ...others], 20, (list, look) => [
        ...pinned,
        ...edited(list.slice(ahead), look === 0 ? count : 0),
      ]);

      const ids = shown.stored.map((text) => Number(/\d+/.exec(text)?.[0]));
      const moved = shown.list.slice(ahead, ahead + count).map(({ id }) => id);
      expect([count, ids]).toEqual([count, moved]);
      if (ahead + count < 20) expect(shown.proof).toMatchObject({ by: 'chain', open: [] });
    }
  },
);

const createdOf = ({ id }: Row) => `{"id":${id},"created_at":${1_700_000_000 + id}}`;

const idOf = ({ id }: Row) => `{"id":${id}}`;

test.each<[string, Shown, number]>([
  ['ids that fall, with nothing beside', { text: idOf }, -1],
  ['ids that rise, with nothing beside', { text: idOf }, 1],
  [
    'times of creation that fall too',
    { text: (row) => `{"created_at":${row.id + 1e9},${textOf(row).slice(1)}` },
    -1,
  ],
  ['ids and times of creation that fall', { text: createdOf }, -1],
  ['ids and times of creation that rise', { text: createdOf }, 1],
  [
    'times of creation that fall, and ids in no order',
    { text: (row) => createdOf(row).replace(/\d+/, `${row.id ^ 3}`) },
    -1,
  ],
  ['times of creation, by last edit as it is set', { text: createdOf, order: 'by-last-edit' }, -1],
])(
  'records that are edited are stored behind others with a time later than now, of a list with %s',
  (_, shown, step) => {
    const { text = textOf } = shown;
    const rows = rowsOf(100).map((row, at) => ({ ...row, id: step > 0 ? at + 1 : 100 - at }));
    for (const ahead of [1, 2, 4]) {
      const pinned = rows
        .slice(0, ahead)
        .map((row) => ({ ...row, updatedAt: row.updatedAt + 1e6 }));
      for (const count of [3, 19, 20 - ahead, 40]) {
        const { stored, list } = readFront(
          [...pinned, ...rows.slice(ahead)],
          20,
          (before, look) => [...pinned, ...edited(before.slice(ahead), look === 0 ? count : 0)],
          shown,
        );
        const moved = list.slice(ahead, ahead + count).map(text);
        expect([ahead, count, stored]).toEqual([ahead, count, moved]);
      }
    }
  },
);

test.each<[string, Shown, number]>([
  ['ids that rise', { text: idOf }, 1],
  ['ids that fall', { text: idOf }, -1],
  ['times of creation', { text: createdOf }, -1],
  ['times of the last edit', {}, -1],
  ['an order that is set', { text: idOf, order: 'fixed' }, -1],
])('of a list with %s removed records in front are no reason to look again', (_, shown, step) => {
  const rows = rowsOf(9).map((row, at) => ({ ...row, id: step > 0 ? at + 1 : 9 - at }));
  for (const removed of [[0], [3], [0, 2], [1, 3], [0, 1, 3]]) {
    const { stored, proof } = readFront(
      rows,
      4,
      (list, look) => (look === 0 ? list.filter((_row, at) => !removed.includes(at)) : list),
      shown,
    );
    expect([removed, stored]).toEqual([removed, []]);
    expect(proof).toMatchObject({ by: 'chain', open: [], counts: { frontChecks: 1 } });
  }
});

test('after a look of more than one answer, removed records in front are no reason for a third one', () => {
  const { proof } = readFront(rowsOf(24), 8, (list, look) =>
    look === 0 ? edited(list, 8) : list.filter((_row, at) => look !== 1 || at < 6 || at > 7),
  );
  expect(proof).toMatchObject({ by: 'chain', open: [], counts: { frontChecks: 2 } });
});

test('one record that is edited where it stands, at the end of a short page, is no reason to look again', () => {
  const rows = rowsOf(40).map((row, at) => ({ ...row, id: at + 1 }));
  const { stored, proof } = readFront(
    rows,
    8,
    (list) => list.map((row, at) => (at === 7 ? { ...row, updatedAt: 0 } : row)),
    { text: ({ id, updatedAt }) => `{"id":${id},"balance":${updatedAt}}` },
  );
  expect(stored).toEqual([]);
  expect(proof).toMatchObject({ by: 'chain', open: [], counts: { frontChecks: 1 } });
});

test('rows are remembered behind those of a short page if the last one that it shares has not changed', () => {
  const marksOf = (ids: readonly number[], changed?: number) =>
    RowMarks.of(
      pageOf(
        ids.map((id) => `{"id":${id},"is":${id === changed}}`),
        1,
      ),
    );
  const front = frontWith(undefined, marksOf([1, 2, 3, 4]));

  expect(frontWith(front, marksOf([3, 4, 5]))).toBe(`${marksOf([1, 2, 3, 4, 5])}`);
  expect(frontWith(front, marksOf([3, 4, 5], 3))).toBe(`${marksOf([1, 2, 3, 4, 5])}`);
  expect(frontWith(front, marksOf([3, 4, 5], 4))).toBe(front);
  expect(frontWith(front, marksOf([5, 6, 7]))).toBe(front);
  expect(frontWith(front, marksOf([4, 3, 5]))).toBe(front);
});

test('a front that changes by a page before each look is looked at eight times, and nothing is shown', () => {
  const { proof } = readFront(rowsOf(400), 20, (list) => edited(list, 20));

  expect(proof.counts.frontChecks).toBe(8);
  expect(proof).toMatchObject({ open: [expect.stringContaining('The front of the list')] });
});

test('a front that holds still at the last look is shown', () => {
  const { proof } = readFront(rowsOf(400), 20, (list, look) => edited(list, look < 7 ? 20 : 0));

  expect(proof.counts.frontChecks).toBe(8);
  expect(proof).toMatchObject({ by: 'chain', open: [], order: 'by-last-edit' });
});

test('the total of the latest look is the last one, and as many records are needed', () => {
  const { proof } = readFront(rowsOf(100), 20, (list) => list.slice(0, 97));

  expect(proof).toMatchObject({ by: 'chain', lastTotal: 97, leastRecords: 97 });
});

test('a list of which each record was edited meanwhile is looked at once, and is not shown', () => {
  const { stored, proof } = readFront(rowsOf(100), 20, (list) => edited(list, 100));

  expect(stored).toHaveLength(100);
  expect(proof).toMatchObject({ counts: { frontChecks: 1 }, open: [expect.anything()] });
});

test('a list by the day of creation is fixed, however many records the first day has', () => {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: 50 }));
  const ids = Array.from({ length: 150 }, (_, at) => ((at + 1) * 7919) % 9973);
  const days = [29, 28, 27].flatMap((day, at) =>
    ids
      .slice(50 * at, 50 * at + 50)
      .sort((one, other) => one - other)
      .map((id) => `{"id":${id},"created_on":"2026-11-${day}"}`),
  );
  for (let answers = 0; answers < 20; answers++) {
    const { page, perPage = 50 } = walker.ask(0) ?? { page: 0 };
    const texts = days.slice((page - 1) * perPage, page * perPage);
    const taken = walker.take(pageOf(texts, page, { total: days.length }));
    if (taken.kind === 'refused') throw new Error(taken.message);
    if (taken.end === undefined) continue;
    expect(taken.end.proof).toMatchObject({ by: 'chain', open: [], order: 'fixed' });
    return;
  }
  throw new Error('no end');
});
