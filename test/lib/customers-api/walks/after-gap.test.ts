import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { windowFrom } from '../../../../lib/customers-api/walks/next-window.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import { pageOf } from './moving-list.ts';

const PER_PAGE = 20;
const ROWS = 1_200;

interface Shown {
  readonly ids: 'rising' | 'falling' | 'scattered';
  readonly total?: 'told';
}

/** In a place of its own each, also those that are added in front. */
function idOf(place: number, { ids }: Shown): number {
  const rising = 10_000 + place;
  if (ids === 'rising') return rising;
  return ids === 'falling' ? 20_000 - place : (rising * 7_919) % 99_991;
}

/** So many rows are added in front, or removed there. */
function moved(added: number): readonly number[] {
  return Array.from({ length: ROWS + added }, (_, at) => at - added);
}

/**
 * Reads half of a list, which has these rows then.
 *
 * @returns The answers until a window shares rows with those that were read, and that was not held.
 */
function answersToLink(shown: Shown, later: readonly number[]): number {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  let rows = moved(0);
  for (let answers = 0, before = 0; answers < 200; answers++) {
    const { page, perPage = PER_PAGE } = walker.ask(0) ?? { page: 0 };
    const places = rows.slice((page - 1) * perPage, page * perPage);
    const evidence = shown.total === undefined ? {} : { total: rows.length };
    const records = places.map((place) => `{"id":${idOf(place, shown)}}`);
    const taken = walker.take(pageOf(records, page, evidence));
    const { state } = walker;
    if (taken.kind === 'refused' || state.kind === 'fast') throw new Error('not read');
    if (state.stage === 'pages') return Infinity;
    const isLinked = state.gap === undefined && state.held === undefined;
    if (rows === later && isLinked) return answers - before;
    if (rows === later || state.covered < ROWS / 2) continue;
    rows = later;
    before = answers;
  }
  throw new Error('no end');
}

test.each<[string, Shown, number, number]>([
  ['rising ids', { ids: 'rising' }, 11, 10],
  ['falling ids', { ids: 'falling' }, 11, 10],
])('of a list with %s the place that moved is found soon', (_, shown, mostAdded, mostRemoved) => {
  const added = fc.integer({ min: 50, max: 580 });
  const removed = fc.integer({ min: 20, max: 240 });
  fc.assert(
    fc.property(added, removed, (more, fewer) => {
      expect(answersToLink(shown, moved(more))).toBeLessThanOrEqual(mostAdded);
      expect(answersToLink(shown, moved(-fewer))).toBeLessThanOrEqual(mostRemoved);
    }),
  );
});

test.each([
  [{ ids: 'scattered', total: 'told' }, 50, 6],
  [{ ids: 'scattered', total: 'told' }, 130, 8],
  [{ ids: 'scattered', total: 'told' }, -30, 5],
  [{ ids: 'scattered', total: 'told' }, -300, 13],
  [{ ids: 'scattered' }, 50, 6],
  [{ ids: 'scattered' }, 130, 8],
  [{ ids: 'scattered' }, -30, 5],
  [{ ids: 'scattered' }, -130, 9],
] as const)(
  'of a list like %j, moved by %i rows, it is found by %i answers',
  (shown, added, most) => {
    expect(answersToLink(shown, moved(added))).toBeLessThanOrEqual(most);
  },
);

/** Everywhere in the list. */
const SPREAD = {
  'every third row is removed': moved(0).filter((row) => row % 3 !== 0),
  'a row is added behind every third one': moved(0).flatMap((row) =>
    row % 3 === 0 ? [row, ROWS + row] : [row],
  ),
};

test.each(['every third row is removed', 'a row is added behind every third one'] as const)(
  'where %s the totals tell at once where the place is',
  (what) => {
    const shown = { ids: 'scattered' } as const;
    expect(answersToLink({ ...shown, total: 'told' }, SPREAD[what])).toBe(3);
    expect(answersToLink(shown, SPREAD[what])).toBeGreaterThan(3);
  },
);

test('a window of which no record is taken speaks against the order as any other one', () => {
  const rows = (first: number, step: number) =>
    Array.from({ length: PER_PAGE }, (_, at) => {
      const id = first + step * at;
      return `{"id":${id},"created_at":${1_764_000_000 + id}}`;
    });
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  walker.take(pageOf(rows(500, -1), 1));
  expect(walker.state).toMatchObject({ idOrder: 'falling', dated: [{ order: 'falling' }] });

  // It is not full, so it is no end either, and is dropped.
  const taken = walker.take(pageOf(rows(100, 1).slice(0, 9), 2));
  expect(taken).toMatchObject({ kind: 'dropped' });
  expect(walker.state).toMatchObject({ stage: 'chain', idOrder: 'none', dated: [] });
});

test('the window from a row holds it, and begins as near to it as any', () => {
  const places = fc.record({
    row: fc.integer({ min: 0, max: 5_000 }),
    largest: fc.integer({ min: 4, max: 120 }),
  });
  fc.assert(
    fc.property(places, ({ row, largest }) => {
      const { start, size } = windowFrom(row, largest);
      const sizes = Array.from({ length: largest }, (_, at) => at + 1).filter(
        (each) => each > largest / 2,
      );
      expect(sizes).toContain(size);
      expect(row - start).toBe(Math.min(...sizes.map((each) => row % each)));
    }),
  );
});
