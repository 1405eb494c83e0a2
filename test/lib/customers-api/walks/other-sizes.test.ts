import { expect, test } from '@jest/globals';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk, Taken } from '../../../../lib/customers-api/walks/taken.ts';
import { pageOf } from '../../../faults/model-api.ts';

/** Reads a list that stands still to its end. */
function read(answer: (ask: PageAsk) => Page, perPage = 25): Taken {
  const walker = openWalk(newWalk({ firstPage: 1, perPage, maxPasses: 3 }));
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

const SIZES = [5, 10, 25, 50, 100];
const atMost = (asked: number) => SIZES.findLast((size) => size <= asked) ?? 5;

test.each([
  [25, 190],
  [50, 400],
  [100, 1_000],
])(
  'sizes that the API rounds down are given up at once, with pages of %i records of %i and no word of them',
  (perPage, total) => {
    let requests = 0;
    const { end } = {
      end: undefined,
      ...read(({ page, perPage: asked = perPage }) => {
        requests++;
        return pageOf(total, page, atMost(asked), false);
      }, perPage),
    };

    expect(end?.rules).toContain('empty-page');
    expect(end?.proof.open).toEqual([
      expect.stringContaining('its pages cannot be made to share records'),
      expect.stringContaining('No two passes'),
    ]);
    // One pass, the windows before it, and what ends it.
    expect(requests).toBeLessThanOrEqual(total / perPage + 5);
  },
);
