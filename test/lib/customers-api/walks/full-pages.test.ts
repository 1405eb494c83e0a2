import { expect, test } from '@jest/globals';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk, type WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import { pageOf } from './moving-list.ts';

const PER_PAGE = 10;

interface Api {
  readonly rows: number;
  readonly takesPerPage: boolean;
  /** By page and size. */
  readonly says: (page: number, size: number) => Omit<Page['evidence'], 'warnings'>;
  /** What comes of a page after the last one. */
  readonly pastEnd: 'empty' | 'refused' | 'last';
}

function answerOf({ rows, takesPerPage, says, pastEnd }: Api, page: number, asked: number) {
  const size = takesPerPage ? asked : PER_PAGE;
  const last = Math.ceil(rows / size);
  if (page > last && pastEnd === 'refused') return 404;
  const shown = pastEnd === 'last' ? Math.min(page, last) : page;
  const start = (shown - 1) * size;
  const count = Math.max(0, Math.min(size, rows - start));
  const records = Array.from({ length: count }, (_, at) => `{"id":${start + at + 1}}`);
  return pageOf(records, page, says(page, size));
}

/** Reads a list that stands still, one page at a time. */
function read(api: Api, order?: WalkOptions['order']) {
  const options = { firstPage: 1, perPage: PER_PAGE, maxPasses: 3 };
  const walker = openWalk(newWalk({ ...options, ...(order === undefined ? {} : { order }) }));
  const stored = new Set<string>();
  for (let answers = 0; answers < 100; answers++) {
    const { page, perPage = PER_PAGE } = walker.ask(0) ?? { page: 0 };
    const answer = answerOf(api, page, perPage);
    const taken =
      typeof answer === 'number'
        ? walker.refused({ status: answer, hasErrorBody: true })
        : walker.take(answer);
    if (taken === undefined || taken.kind === 'refused') return { stored, proof: undefined };
    if (taken.kind === 'page' && typeof answer !== 'number') {
      for (const record of answer.records) stored.add(record);
    }
    if (taken.end !== undefined) return { stored, proof: taken.end.proof };
  }
  throw new Error('no end');
}

const COUNTED = Array.from({ length: 50 }, (_, at) => PER_PAGE + 1 + at);

test.each<[string, boolean, WalkOptions['order'], string]>([
  ['windows', true, undefined, 'chain'],
  ['passes', false, undefined, 'equal-passes'],
  ['pages from the last to the first', false, 'appended', 'backward'],
])('a list that is longer than its counts say is read to its end by %s', (_, takes, order, by) => {
  for (const counted of COUNTED) {
    for (const more of [0, 1, 3]) {
      const rows = counted + more;
      const says = (_page: number, size: number) => ({
        total: counted,
        totalPages: Math.ceil(counted / size),
      });
      const { stored, proof } = read({ rows, takesPerPage: takes, says, pastEnd: 'empty' }, order);
      // Where the last page by the counts is not full the rows behind them are on it.
      if (proof?.open.length === 0) expect([counted, stored.size]).toEqual([counted, rows]);
      if (more === 0) expect(proof).toMatchObject({ by, open: [] });
    }
  }
});

test.each(['empty', 'refused', 'last'] as const)(
  'a last page that is full is the last one, where what comes after it is %s',
  (pastEnd) => {
    for (const rows of [2 * PER_PAGE, 3 * PER_PAGE]) {
      const last = rows / PER_PAGE;
      for (const says of [
        (page: number) => ({ hasMore: page < last }),
        (page: number) => ({ nextPage: page < last ? page + 1 : ('none' as const) }),
        () => ({ totalPages: last }),
        () => ({ total: rows }),
      ]) {
        const { stored, proof } = read({ rows, takesPerPage: false, says, pastEnd });
        expect(stored.size).toBe(rows);
        expect(proof).toMatchObject({ by: 'equal-passes', open: [] });
      }
    }
  },
);
