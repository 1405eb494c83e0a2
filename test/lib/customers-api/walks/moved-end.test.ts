import { expect, test } from '@jest/globals';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk } from '../../../../lib/customers-api/walks/taken.ts';
import { pageOf } from './moving-list.ts';
import { readList } from './read-list.ts';
import { ScriptedList } from './scripted-list.ts';

const PER_PAGE = 10;

/** Takes even sizes, and rounds others down. It tells no counts. */
function answerTo({ page, perPage = PER_PAGE }: PageAsk, ids: readonly number[]) {
  const size = perPage - (perPage % 2);
  const records = ids.slice((page - 1) * size, page * size).map((id) => `{"id":${id}}`);
  return pageOf(records, page, {});
}

/** Removes records in front behind one answer, or adds some there. */
function moved(ids: readonly number[], by: number): readonly number[] {
  if (by < 0) return ids.slice(-by);
  return [...Array.from({ length: by }, (_, at) => 1_000 + at), ...ids];
}

/** @returns Records that were there all the time and are not stored, if the list is proven to be whole. */
function missedBy(rows: number, behind: number, by: number, isPastEndRefused: boolean) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 }));
  const first = Array.from({ length: rows }, (_, at) => at + 1);
  const stored = new Set<string>();
  let ids = first;
  for (let answers = 1; answers < 100; answers++) {
    const answer = answerTo(walker.ask(0) ?? { page: 0 }, ids);
    const isRefused = isPastEndRefused && answer.recordCount === 0;
    const taken = isRefused
      ? walker.refused({ status: 404, hasErrorBody: true })
      : walker.take(answer);
    if (taken === undefined || taken.kind === 'refused') return undefined;
    if (taken.kind === 'page') for (const record of answer.records) stored.add(record);
    if (taken.end !== undefined) {
      if (taken.end.proof.by === undefined || taken.end.proof.open.length > 0) return undefined;
      const last = new Set(ids);
      return first.filter((id) => last.has(id) && !stored.has(`{"id":${id}}`));
    }
    if (answers === behind) ids = [...moved(ids, by)];
  }
  throw new Error('The walk has no end.');
}

test.each([true, false])(
  'no record is missing though rows move over the end while it is looked for, past it refused: %s',
  (isPastEndRefused) => {
    let shown = 0;
    const wrong: unknown[] = [];
    for (let rows = 18; rows <= 32; rows++) {
      for (let behind = 1; behind <= 9; behind++) {
        for (let by = -12; by <= 12; by++) {
          const missed = missedBy(rows, behind, by, isPastEndRefused);
          if (missed === undefined) continue;
          if (missed.length > 0) wrong.push({ rows, behind, by, missed });
          shown++;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(shown).toBeGreaterThan(1_000);
  },
);

/** As it is read while one ask is under way at a time. */
const SCRIPTED = {
  mix: { inserts: 0, deletes: 0, edits: 0 },
  random: () => 0,
  inFlight: 1,
} as const;

test('a full page that was looked for does not end the list, though the one behind it is empty then', () => {
  const result = readList({
    ...SCRIPTED,
    list: new ScriptedList(
      [3, 4, 6, 1, 5, 2],
      [3, 4, 6, 1, 5, 2],
      [3, 4, 6, 5, 2],
      [3, 4, 6, 5],
      // 5 comes onto the first page before the one behind it is asked for, and stands behind it again when that is read.
      [3, 6, 5],
      [7, 3, 6, 5],
    ),
    server: { perPage: 'any', says: 'total', largest: 3 },
    options: { firstPage: 1, perPage: 3, order: 'fixed' },
  });

  expect(result).toMatchObject({ isComplete: true, missed: 0, proof: { by: 'chain' } });
});

test('a full page that is read again does not end the list, though the one behind it was empty before', () => {
  const result = readList({
    ...SCRIPTED,
    list: new ScriptedList(
      [6, 5, 4, 3, 2, 1],
      [6, 5, 4, 3, 2, 1],
      [6, 5, 4, 3, 2, 1],
      [6, 5, 4, 2, 1],
      [7, 6, 5, 4, 2, 1],
    ),
    server: { perPage: 'fixed', says: 'nothing', largest: 5 },
    options: { firstPage: 1, perPage: 5, maxPasses: 3 },
  });

  expect(result).toMatchObject({ isComplete: false });
});
