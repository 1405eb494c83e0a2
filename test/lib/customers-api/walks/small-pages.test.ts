import { expect, test } from '@jest/globals';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import { pageOf } from '../../../faults/model-api.ts';

const TOTAL = 2_700;

test.each(Array.from({ length: 24 }, (_, index) => index + 1))(
  'reads a list by pages of %i to its end, also where windows of all sizes end at the same row',
  (perPage) => {
    const walker = openWalk(newWalk({ firstPage: 1, perPage }));
    let stored = 0;
    for (let answers = 0; answers < 3 * TOTAL; answers++) {
      const ask = walker.ask(0);
      if (ask === undefined) throw new Error(`nothing to ask for after ${stored} records`);
      const taken = walker.take(pageOf(TOTAL, ask.page, ask.perPage ?? perPage));
      if (taken.kind === 'refused') throw new Error(taken.message);
      const page = Math.min(ask.perPage ?? perPage, TOTAL);
      if (taken.kind === 'page') stored += page - (taken.skip?.length ?? 0);
      if (taken.end === undefined) continue;
      expect(stored).toBeGreaterThanOrEqual(TOTAL);
      return;
    }
    throw new Error('endless');
  },
);
