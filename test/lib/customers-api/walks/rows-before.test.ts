import { expect, test } from '@jest/globals';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import { rowsBefore } from '../../../../lib/customers-api/walks/rows-before.ts';
import type { Walk } from '../../../../lib/customers-api/walks/walker.ts';
import { pageOf } from '../../../faults/model-api.ts';

/** Of each answer, until the walk is over. @param size Of each page, whatever is asked for. */
function beforeEach(walk: Walk, total: number, size?: number): readonly (number | undefined)[] {
  const walker = openWalk(walk);
  const before: (number | undefined)[] = [];
  for (;;) {
    const ask = walker.ask(0);
    if (ask === undefined) throw new Error('Nothing is asked for.');
    before.push(rowsBefore(walker.state));
    const taken = walker.take(pageOf(total, ask.page, size ?? ask.perPage ?? 10));
    if (taken.kind === 'refused') throw new Error(taken.message);
    if (taken.end !== undefined) return before;
  }
}

const OPTIONS = { firstPage: 1, perPage: 10 };

test('knows the place of each page of the first pass, and none in a further one', () => {
  expect(beforeEach(newWalk({ ...OPTIONS, walk: 'fast' }), 25)).toEqual([0, 10, 20]);

  const places = beforeEach(newWalk({ ...OPTIONS, maxPasses: 3 }), 45, 10);
  const further = places.lastIndexOf(40) + 1;
  expect([...new Set(places.slice(0, further))]).toEqual([0, 8, 10, 20, 30, 40]);
  expect(places.length).toBeGreaterThan(further + 4);
  expect(places.slice(further + 1).every((each) => each === undefined)).toBe(true);
});

test('knows how many rows stand behind a page where the walk goes from the last one to the first', () => {
  const places = beforeEach(newWalk({ ...OPTIONS, order: 'appended' }), 45, 10);
  // The first two answers show that windows cannot be had.
  expect(places).toEqual([0, 8, undefined, 5, 15, 25, 35, undefined]);
});
