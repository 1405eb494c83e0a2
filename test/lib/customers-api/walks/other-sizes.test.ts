import { expect, test } from '@jest/globals';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk, Taken } from '../../../../lib/customers-api/walks/taken.ts';
import { amountOf } from '../../../deep/depth.ts';
import { pageOf } from '../../../faults/model-api.ts';

/** Reads a list that stands still to its end. */
function read(answer: (ask: PageAsk) => Page, perPage = 25, maxPasses = 3): Taken {
  const walker = openWalk(newWalk({ firstPage: 1, perPage, maxPasses }));
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
      ...read(
        ({ page, perPage: asked = perPage }) => {
          requests++;
          return pageOf(total, page, atMost(asked), false);
        },
        perPage,
        1.5,
      ),
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

/** Of a list that stands still; pages are smaller between two answers. Nothing is told but the records. */
function isMissedBetween(total: number, cap: number, from: number, to: number): boolean {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: 10, maxPasses: 4 }));
  const stored = new Set<string>();
  for (let answers = 1; answers < 200; answers++) {
    const { page, perPage = 10 } = walker.ask(0) ?? { page: 0 };
    const size = answers >= from && answers < to ? Math.min(perPage, cap) : perPage;
    const answer = pageOf(total, page, size, false);
    const taken = walker.take(answer);
    if (taken.kind === 'refused') return false;
    if (taken.kind === 'page') for (const record of answer.records) stored.add(record);
    if (taken.end !== undefined) return taken.end.proof.open.length === 0 && stored.size < total;
  }
  throw new Error('no end');
}

test('no record is missing where the pages are smaller for some answers, and nothing tells of it', () => {
  const missed: unknown[] = [];
  // Steps that are prime to the sizes.
  for (let total = 20; total <= 60; total += amountOf({ short: 3, deep: 1 })) {
    for (const cap of [5, 7, 8, 9]) {
      for (let from = 2; from <= 12; from++) {
        for (const answers of [1, 2, 5]) {
          const to = from + answers;
          if (isMissedBetween(total, cap, from, to)) missed.push({ total, cap, from, to });
        }
      }
    }
  }
  expect(missed).toEqual([]);
});
