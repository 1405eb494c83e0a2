import { expect, test } from '@jest/globals';
import { CarriedPages } from '../../../lib/exports/carried-pages.ts';
import { pageOf } from '../../faults/model-api.ts';
import { asCarried } from './as-carried.ts';
import { stateOf } from './state-of.ts';

const STATE = stateOf({});

function pages() {
  const released: number[] = [];
  const page = (number: number) => ({
    ...pageOf(100, number, 10),
    release: () => void released.push(number),
  });
  return { released, pages: asCarried([undefined, page(2), page(3)]) };
}

test('gives pages once to the step that goes on where they were kept', () => {
  const carried = new CarriedPages();
  const kept = pages();
  carried.keep(STATE, 'v1', kept.pages, 1_000);
  const next = { ...STATE, step: STATE.step + 1, updatedAtMs: 2_000 };
  expect(carried.take(next, 'v1', 62_000)).toBe(kept.pages);
  expect(carried.take(next, 'v1', 62_000)).toEqual([]);
  expect(kept.released).toEqual([]);
});

test.each([
  ['another export', { state: { ...STATE, exportId: 'other' } }],
  ['another connection', { state: { ...STATE, connection: 'other' } }],
  ['another organization', { state: { ...STATE, organizationId: 'other' } }],
  [
    'a step that begins elsewhere',
    { state: { ...STATE, walk: { ...STATE.walk, kind: 'other' } as never } },
  ],
  ['another key', { keyVersion: 'v2' }],
  ['a step that begins too late', { nowMs: 76_001 }],
  ['a clock that was set back', { nowMs: -74_001 }],
])('gives nothing to %s, and gives their memory back', (_title, differs) => {
  const { state, keyVersion, nowMs } = { state: STATE, keyVersion: 'v1', nowMs: 1_000, ...differs };
  const carried = new CarriedPages();
  const kept = pages();
  carried.keep(STATE, 'v1', kept.pages, 1_000);
  expect(carried.take(state, keyVersion, nowMs)).toEqual([]);
  expect(kept.released).toEqual([2, 3]);
});

test('keeps those of one step, the latest', () => {
  const carried = new CarriedPages();
  const [first, second] = [pages(), pages()];
  carried.keep(STATE, 'v1', first.pages, 1_000);
  carried.keep(STATE, 'v1', second.pages, 1_000);
  expect(first.released).toEqual([2, 3]);
  expect(carried.take(STATE, 'v1', 1_000)).toBe(second.pages);
});
