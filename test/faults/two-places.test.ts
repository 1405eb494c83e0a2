import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { manifestKey } from '../../lib/exports/store-objects.ts';
import { placeIn } from './checks.ts';
import { pageWith } from './model-api.ts';
import { EXPORT_ID, runExport } from './run-export.ts';

const ManifestSchema = v.object({
  completeness: v.object({ verdict: v.string(), reasons: v.array(v.string()) }),
});

const ROWS = 120;

/** In no order of their ids. */
function rowOf(index: number, edits = 0): string {
  return `{"id":${((index + 1) * 7919) % 9973},"edits":${edits}}`;
}

const STILL = Array.from({ length: ROWS }, (_, index) => rowOf(index));

/**
 * Exports a list that is said to be fixed, in several parts.
 *
 * @param listAt What the list is when a page of it is asked for, after so many requests.
 */
async function completenessOf(listAt: (page: number, before: number) => readonly string[]) {
  const world = await runExport({
    walk: 'verified',
    order: 'fixed',
    settings: { partMaxPages: 4 },
    behaviour: ({ page, perPage, before }) =>
      pageWith(listAt(page, before).slice((page - 1) * perPage, page * perPage), page),
  });
  const text = world.store.read(manifestKey(placeIn(world, EXPORT_ID)))?.text ?? 'null';
  return v.parse(ManifestSchema, JSON.parse(text)).completeness;
}

/** When the first page is asked for again, the list was read to its end. */
function isAtEnd(page: number, before: number): boolean {
  return page === 1 && before > 0;
}

const TWO_PLACES = expect.stringContaining('1 records came at two places');

test.each([0, 12, 30, 45])(
  'a record that comes again 60 rows after row %i has moved, so that others can be missing',
  async (first) => {
    const rows = [...STILL.slice(0, first + 60), rowOf(first), ...STILL.slice(first + 60)];

    expect(await completenessOf(() => rows)).toMatchObject({
      verdict: 'drifted',
      reasons: expect.arrayContaining([TWO_PLACES]),
    });
  },
);

test('a record that is edited between two answers that share it has not moved', async () => {
  const edited = STILL.map((text, index) => (index === 20 ? rowOf(20, 1) : text));
  const completeness = await completenessOf((_, before) => (before < 3 ? STILL : edited));

  expect(completeness).toMatchObject({ verdict: 'complete' });
  expect(completeness.reasons).toContainEqual(expect.stringContaining('1 of them changed'));
});

test('a record of the first page that has changed when it is read again was edited there', async () => {
  const edited = [rowOf(0, 1), ...STILL.slice(1)];
  const completeness = await completenessOf((...at) => (isAtEnd(...at) ? edited : STILL));

  expect(completeness).toMatchObject({ verdict: 'complete' });
  expect(completeness.reasons).toContainEqual(expect.stringContaining('1 of them changed'));
});

test('a record that stands on the first page at the end, and has not changed, has moved there', async () => {
  const moved = [...STILL.slice(0, 5), rowOf(60), ...STILL.slice(5)];

  expect(await completenessOf((...at) => (isAtEnd(...at) ? moved : STILL))).toMatchObject({
    verdict: 'drifted',
    reasons: expect.arrayContaining([TWO_PLACES]),
  });
});
