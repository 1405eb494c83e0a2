import { expect, test } from '@jest/globals';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk, Taken } from '../../../../lib/customers-api/walks/taken.ts';
import { pageOf } from './moving-list.ts';

const PER_PAGE = 10;

/** Reads 40 records of a server that takes no other size of pages. `answer` answers when the list is read again. */
function readTwice(answer: (ask: PageAsk, rows: (count: number) => Page) => Page | number) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 }));
  for (let answers = 0; answers < 500; answers++) {
    const ask = walker.ask(0);
    if (ask === undefined) throw new Error('nothing to ask for');
    const rows = (total: number) => pageFrom(ask.page, total);
    const answered = passesOf(walker.state) === 0 ? rows(40) : answer(ask, rows);
    const taken: Taken | undefined =
      typeof answered === 'number'
        ? walker.refused({ status: answered, hasErrorBody: true })
        : walker.take(answered);
    if (taken === undefined || taken.kind === 'refused' || taken.end !== undefined) return taken;
  }
  throw new Error('no end');
}

function passesOf(walk: ReturnType<typeof openWalk>['state']): number {
  return walk.kind === 'fast' ? 0 : walk.counts.passes;
}

function pageFrom(page: number, total: number): Page {
  const start = (page - 1) * PER_PAGE;
  const count = Math.max(0, Math.min(PER_PAGE, total - start));
  // The order of the ids says nothing.
  const records = Array.from(
    { length: count },
    (_, at) => `{"id":"${((start + at + 1) * 7919) % 9973}"}`,
  );
  return pageOf(records, page, { total, perPage: PER_PAGE, hasMore: start + count < total });
}

test.each([
  ['refuses a page', () => 404],
  ['gives one page again and again', (_: PageAsk, rows: (total: number) => Page) => rows(40)],
])(
  'a list that was read to its end ends unproven if the API %s when it is read again',
  (_, answer) => {
    const taken = readTwice((ask, rows) => {
      const page = answer(ask, rows);
      if (typeof page === 'number') return ask.page === 2 ? page : rows(40);
      return { ...page, evidence: { ...page.evidence, currentPage: 1, hasMore: true } };
    });
    expect(taken).toMatchObject({
      kind: 'dropped',
      end: { proof: { open: expect.arrayContaining([expect.stringContaining('read again')]) } },
    });
  },
);

test('a pass that only is to compare ends, also where the list grows faster than it is read', () => {
  let total = 40;
  const taken = readTwice((_, rows) => {
    total += 2 * PER_PAGE;
    return rows(total);
  });
  expect(taken).toMatchObject({ end: { proof: { open: [expect.anything(), expect.anything()] } } });
});

test('an order by a day of edit is not shown if more records than are remembered have the last one', () => {
  const isMoved = (id: number) => id === 150;
  const others = idsFrom(101, 60).filter((id) => !isMoved(id));
  const earlier = [...rowsOf(8, idsFrom(201, 60)), ...rowsOf(7, idsFrom(1, 60))];
  let rows = [...rowsOf(9, others), ...earlier, ...rowsOf(7, [150])];
  const walker = openWalk(newWalk({ firstPage: 1, perPage: 40, maxPasses: 1.5 }));
  for (let answers = 0; answers < 20; answers++) {
    const ask = walker.ask(0);
    const size = ask?.perPage ?? 40;
    const start = ((ask?.page ?? 1) - 1) * size;
    const total = rows.length;
    const evidence = { total, totalPages: Math.ceil(total / size) };
    const taken = walker.take(pageOf(rows.slice(start, start + size), ask?.page ?? 1, evidence));
    // The last record is edited, and goes between others of this day, which were read.
    if (answers === 1) rows = [...rowsOf(9, idsFrom(101, 60)), ...earlier];
    if (taken.kind === 'refused') throw new Error(taken.message);
    if (taken.end === undefined) continue;
    expect(taken.end.proof).toMatchObject({ order: 'unknown' });
    expect(taken.end.proof.open).toHaveLength(1);
    return;
  }
  throw new Error('no end');
});

test('records in the order of their creation never come at two places, so the same id there is told', () => {
  const records = Array.from(
    { length: 120 },
    (_, at) => `{"code":"c${(at * 37) % 113}","created_at":${1_764_000_000 + at}}`,
  );
  const walker = openWalk(newWalk({ firstPage: 1, perPage: 20 }));
  for (let answers = 0; answers < 20; answers++) {
    const { page, perPage = 20 } = walker.ask(0) ?? { page: 0 };
    const start = (page - 1) * perPage;
    const evidence = { total: 120, totalPages: Math.ceil(120 / perPage) };
    const taken = walker.take(pageOf(records.slice(start, start + perPage), page, evidence));
    if (taken.kind === 'refused') throw new Error(taken.message);
    if (taken.end === undefined) continue;
    expect(taken.end.proof).toMatchObject({ order: 'fixed', repeats: { kind: 'moved' } });
    return;
  }
  throw new Error('no end');
});

function idsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

function rowsOf(day: number, ids: readonly number[]): readonly string[] {
  return ids.map((id) => `{"id":${id},"updated_on":${1_764_000_000 + day}}`);
}
