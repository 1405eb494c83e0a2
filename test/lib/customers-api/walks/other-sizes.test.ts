import { expect, test } from '@jest/globals';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk, Taken } from '../../../../lib/customers-api/walks/taken.ts';
import { pageOf } from '../../../faults/model-api.ts';

/** Reads a list that stands still to its end. */
function read(answer: (ask: PageAsk) => Page): Taken {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: 25, maxPasses: 3 }));
  for (let answers = 0; answers < 500; answers++) {
    const ask = walker.ask(0);
    if (ask === undefined) throw new Error('nothing to ask for');
    const taken = walker.take(answer(ask));
    if (taken.kind === 'refused' || taken.end !== undefined) return taken;
  }
  throw new Error('no end');
}

test.each([26, 32, 40, 49, 50, 51, 130])(
  'a list of %i records whose pages all have 25 is shown complete',
  (total) => {
    const { end } = { end: undefined, ...read(({ page }) => pageOf(total, page, 25)) };

    expect(end?.proof).toMatchObject({ by: 'equal-passes', open: [] });
  },
);

test('a list whose API does not know the page is refused, though its pages have the size that is asked for', () => {
  const taken = read(({ perPage = 25 }) => pageOf(1_000, 1, perPage, false));

  expect(taken).toMatchObject({ kind: 'refused', reason: 'not-advancing' });
});
