import { expect, test } from '@jest/globals';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { Walk } from '../../../../lib/customers-api/walks/walker.ts';
import { isDeep, tried } from '../../../deep/depth.ts';
import { pageOf } from './moving-list.ts';

/** Too few for pages that share records. */
const PER_PAGE = 2;
const MOST_CHANGES = 3;

/** A list, and what was read of it. Records with an id below 0 are left out of pages that are cut already. */
interface Moment {
  readonly walk: Walk;
  readonly rows: readonly number[];
  readonly stored: readonly number[];
  /** Ids that were there from the start, and still are. */
  readonly throughout: readonly number[];
  readonly changes: number;
}

type Evidence = (rows: number, page: number) => Omit<Page['evidence'], 'warnings'>;

const SAYS: Readonly<Record<string, Evidence>> = {
  nothing: () => ({}),
  'the number of pages': (rows) => ({ totalPages: Math.ceil(rows / PER_PAGE) }),
  'whether more follow': (rows, page) => ({ hasMore: page * PER_PAGE < rows }),
};

function firstMoments(rows: number): readonly Moment[] {
  const walk = newWalk({ firstPage: 1, perPage: PER_PAGE, maxPasses: 3 });
  return Array.from({ length: 2 ** rows }, (_, hidden) => {
    const ids = Array.from({ length: rows }, (_row, at) =>
      (hidden >> at) % 2 === 1 ? -at - 1 : at + 1,
    );
    return { walk, rows: ids, stored: [], throughout: ids.filter((id) => id > 0), changes: 0 };
  });
}

/** One record is removed; or, in the deep test, one is left out where it stands, or added behind all others. */
function changesOf({ rows, throughout, changes, ...moment }: Moment): readonly Moment[] {
  if (changes === MOST_CHANGES) return [];
  const added = 10 + changes;
  const without = (id: number) => throughout.filter((each) => each !== id);
  const removed = rows.map((id) => ({
    rows: rows.filter((each) => each !== id),
    throughout: without(id),
  }));
  const others = [
    ...rows.map((id) => ({
      rows: rows.map((each) => (each === id ? -id : each)),
      throughout: without(id),
    })),
    ...[added, -added].map((id) => ({ rows: [...rows, id], throughout })),
  ];
  return [...removed, ...(isDeep ? others : [])].map((changed) => ({
    ...moment,
    ...changed,
    changes: changes + 1,
  }));
}

/** @returns `undefined` where the walk is over, or was told of an end that is none. */
function afterAnswer(moment: Moment, says: Evidence): Moment | 'complete' | undefined {
  const { rows, stored } = moment;
  const walker = openWalk(moment.walk);
  const { page, idKey } = walker.ask(0) ?? { page: 0 };
  const cut = rows.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const shown = cut.filter((id) => id > 0);
  // An empty page in the middle of a list, see the limits in docs/walks.md.
  if (cut.length > 0 && shown.length === 0) return undefined;
  const records = shown.map((id) => `{"id":${id}}`);
  const taken = walker.take(pageOf(records, page, says(rows.length, page), idKey));
  if (taken.kind === 'refused') return undefined;
  const taking = taken.kind === 'page' ? shown : [];
  const all = [...new Set([...stored, ...taking])].toSorted((one, other) => one - other);
  if (taken.end === undefined) return { ...moment, walk: walker.state, stored: all };
  const { by, open, leastRecords = 0 } = taken.end.proof;
  if (by === undefined || open.length > 0 || all.length < leastRecords) return undefined;
  // An expectation for each of tens of thousands would take half of the time.
  if (moment.throughout.every((id) => all.includes(id))) return 'complete';
  throw new Error(`${JSON.stringify(moment)} is taken for complete with ${JSON.stringify(all)}`);
}

test.each(Object.entries(SAYS))(
  'two passes over pages with gaps that tell %s miss nothing where records are only added at the end, whatever happens between which answers',
  (_, says) => {
    let complete = 0;
    for (const first of firstMoments(5)) {
      const open = [first];
      const seen = new Set<string>();
      for (let moment = open.pop(); moment !== undefined; moment = open.pop()) {
        const key = JSON.stringify(moment);
        if (seen.has(key)) continue;
        seen.add(key);
        const next = afterAnswer(moment, says);
        if (next === 'complete') complete++;
        else if (next !== undefined) open.push(next);
        open.push(...changesOf(moment));
      }
      tried('moments of lists whose pages have gaps', seen.size);
    }
    expect(complete).toBeGreaterThan(1_000);
  },
  isDeep ? 600_000 : 60_000,
);
