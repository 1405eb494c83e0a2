import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { META_DIALECTS, pageJson } from '../../../../infra/simulator/meta-dialects.ts';
import { randomOf } from '../../../../infra/simulator/random.ts';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { readEvidence } from '../../../../lib/customers-api/read-evidence.ts';
import { newWalk, type WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk, Taken } from '../../../../lib/customers-api/walks/taken.ts';
import { answerOf, MovingList, pageOf } from './moving-list.ts';

const PER_PAGE = 20;
const COUNTS = [0, 1, PER_PAGE - 1, PER_PAGE, PER_PAGE + 1, 2 * PER_PAGE];

function answer(dialect: (typeof META_DIALECTS)[number], total: number, ask: PageAsk): Page {
  const perPage = ask.perPage ?? PER_PAGE;
  const start = (ask.page - 1) * perPage;
  const count = Math.max(0, Math.min(perPage, total - start));
  const records = Array.from({ length: count }, (_, at) => `{"id":${start + at + 1}}`);
  const facts = { resource: 'customers', page: ask.page, perPage, firstPage: 1, total, count };
  const urlOf = (page: number) => `https://api.example.com/2.0/customers?page=${page}`;
  const body = pageJson(dialect, { ...facts, urlOf }, records);
  const { warnings: _warnings, ...evidence } = readEvidence(JSON.parse(body));
  return pageOf(records, ask.page, evidence);
}

function readAll(dialect: (typeof META_DIALECTS)[number], total: number, options: WalkOptions) {
  const walker = openWalk(newWalk(options));
  const ids: string[] = [];
  for (let requests = 1; requests < 100; requests++) {
    const ask = walker.ask(0);
    if (ask === undefined) throw new Error('nothing to ask for');
    const page = answer(dialect, total, ask);
    const taken = walker.take(page);
    if (taken.kind === 'refused') throw new Error(taken.message);
    if (taken.kind === 'page') {
      ids.push(...page.records.filter((_, row) => taken.skip?.includes(row) !== true));
    }
    if (taken.end !== undefined) return { requests, ids, proof: taken.end.proof };
  }
  throw new Error('no end');
}

test.each(META_DIALECTS)('short lists of dialect %s end, with each record once', (dialect) => {
  for (const total of COUNTS) {
    const fast = readAll(dialect, total, { walk: 'fast', firstPage: 1, perPage: PER_PAGE });
    const { ids, requests, proof } = readAll(dialect, total, { firstPage: 1, perPage: PER_PAGE });
    expect(new Set(ids).size).toBe(total);
    if (total >= 4 || fast.requests === 1) expect(proof).toMatchObject({ open: [] });
    expect(ids).toHaveLength(proof.by === 'equal-passes' ? 2 * total : total);
    // More may follow behind a full page, whatever its counts say, and may come onto it before that is asked for.
    const most = total === PER_PAGE ? 3 : 1;
    const more = total % PER_PAGE === 0 ? 6 : 4;
    expect(requests).toBeLessThanOrEqual(fast.requests === 1 ? most : fast.requests + more);
  }
});

test.each([0, 3])('a list of one page with %i records ends alike in both walks', (total) => {
  const [verified, fast] = (['verified', 'fast'] as const).map((walk) => {
    const walker = openWalk(newWalk({ walk, firstPage: 1, perPage: PER_PAGE }));
    const taken = walker.take(answer('nested', total, { page: 1, perPage: PER_PAGE }));
    const { proof: _proof, ...found } = Object(taken).end;
    return found;
  });

  expect(verified).toEqual(fast);
  expect(Object.keys(verified).sort()).toEqual(['contradictions', 'missing', 'rules']);
});

test('goes on from its JSON as it would have without', () => {
  const seeds = fc.record({
    seed: fc.integer({ min: 0, max: 1_000_000 }),
    perPage: fc.constantFrom('any' as const, 'fixed', 'listed', 'refuse-unlisted'),
    says: fc.constantFrom('all' as const, 'total', 'pages', 'more', 'link', 'nothing'),
    reopenAt: fc.integer({ min: 0, max: 40 }),
  });
  fc.assert(
    fc.property(seeds, ({ seed, perPage, says, reopenAt }) => {
      const takenBy = (reopens: (step: number) => boolean): readonly Taken[] => {
        const random = randomOf(seed);
        const edits = seed % 2 === 0 ? 'first' : 'stay';
        const list = new MovingList({ first: 'scattered', inserts: 'first', edits }, 300, random);
        let walker = openWalk(newWalk({ firstPage: 1, perPage: 25 }));
        const taken: Taken[] = [];
        for (let step = 0; step < 200; step++) {
          if (reopens(step)) walker = openWalk(JSON.parse(JSON.stringify(walker.state)));
          const page = answerOf(list, { perPage, says, largest: 25 }, walker.ask(0) ?? { page: 0 });
          const decided =
            typeof page === 'number'
              ? walker.refused({ status: page, hasErrorBody: true })
              : walker.take(page);
          if (decided === undefined) break;
          taken.push(decided);
          if (decided.kind === 'refused' || decided.end !== undefined) break;
          list.change({ inserts: 0.3, deletes: 0.3, edits: 0.3 });
        }
        return taken;
      };
      expect(takenBy((step) => step >= reopenAt)).toEqual(takenBy(() => false));
    }),
    { numRuns: 60 },
  );
});

test('asks for the second page alone until the first one told the id', () => {
  for (const walk of ['fast', 'verified'] as const) {
    const walker = openWalk(newWalk({ walk, firstPage: 1, perPage: PER_PAGE }));
    expect(walker.ask(1)).toBeUndefined();
    walker.take(answer('rails', 200, { page: 1, perPage: PER_PAGE }));
    expect(walker.ask(1)).toMatchObject({ idKey: 'id' });
  }
});

test('learns the id from the usual names, and reads a list without one page by page', () => {
  const records = [1, 2, 3, 4, 5].map((id) => `{"id":null,"customer_id":"c${id}","number":7}`);
  expect(pageOf(records, 1).idKey).toBe('customer_id');
  expect(pageOf(['{"name":"a"}', '{"name":"b"}'], 1).idKey).toBe('id');
  const walker = openWalk(newWalk({ firstPage: 1, perPage: 5 }));
  const nameless = Array.from({ length: 5 }, (_, at) => `{"name":"n${at}"}`);
  walker.take(pageOf(nameless, 1, { total: 9 }));
  expect(walker.ask(0)).toEqual({ page: 2, perPage: 5, idKey: 'id' });
  const end = walker.take(
    pageOf(
      nameless.slice(1).map((text) => text.replace('n', 'm')),
      2,
      { total: 9 },
    ),
  );
  expect(end).toMatchObject({ end: { proof: { open: [expect.stringContaining('Set idKey')] } } });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 10, 12])(
  'reads pages of %d to the end, whatever sizes fit',
  (perPage) => {
    const walker = openWalk(newWalk({ firstPage: 1, perPage }));
    const ids = new Set<string>();
    for (let requests = 1; requests < 3_000; requests++) {
      const ask = walker.ask(0);
      if (ask === undefined) throw new Error('nothing to ask for');
      const page = answer('rails', 500, ask);
      const taken = walker.take(page);
      for (const record of page.records) ids.add(record);
      if (taken.kind !== 'refused' && taken.end === undefined) continue;
      expect(taken).toMatchObject({ end: { contradictions: [] } });
      break;
    }
    expect(ids.size).toBe(500);
  },
);
