import { expect, test } from '@jest/globals';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk } from '../../../../lib/customers-api/walks/taken.ts';
import { pageOf } from './moving-list.ts';

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
    for (let rows = 18; rows <= 32; rows++) {
      for (let behind = 1; behind <= 9; behind++) {
        for (let by = -12; by <= 12; by++) {
          const missed = missedBy(rows, behind, by, isPastEndRefused);
          if (missed === undefined) continue;
          expect([rows, behind, by, missed]).toEqual([rows, behind, by, []]);
          shown++;
        }
      }
    }
    expect(shown).toBeGreaterThan(1_000);
  },
);
