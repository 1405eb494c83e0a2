import { expect, test } from '@jest/globals';
import { newWalk, type WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import { pageOf } from './moving-list.ts';

/** Ids in no order, under times that rise or fall from row to row. */
function rowsOf(sign: 1 | -1, name: string) {
  return Array.from({ length: 100 }, (_, at) => ({
    id: `${1000 + ((at * 37) % 100)}`,
    [name]: 1_764_000_000 + sign * at,
  }));
}

function proofOf(
  records: readonly string[],
  options: Partial<WalkOptions> = {},
  isSizeFixed = false,
) {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: 10, ...options }));
  for (let answers = 0; answers < 100; answers++) {
    const { page, perPage = 10, idKey } = walker.ask(0) ?? { page: 0 };
    const size = isSizeFixed ? 10 : perPage;
    const texts = records.slice((page - 1) * size, page * size);
    const taken = walker.take(pageOf(texts, page, {}, idKey));
    if (taken.kind === 'refused') throw new Error(taken.message);
    if (taken.end !== undefined) return taken.end.proof;
  }
  throw new Error('no end');
}

function textsOf(rows: readonly object[], at: number, id: unknown): readonly string[] {
  return rows.map((row, index) => JSON.stringify(index === at ? { ...row, id } : row));
}

const NO_ID = [expect.stringContaining('Not all records have an id (id)')];
const SAME_ID = [expect.stringContaining('Two records of one page have the same id (id)')];

test.each([
  ['no id', null, NO_ID],
  ['the id of another one on its page', rowsOf(1, 'created_at')[50]?.id, SAME_ID],
])('a record of a later page with %s leaves the list unproven', (_, id, open) => {
  const rows = rowsOf(1, 'created_at');
  expect(proofOf(textsOf(rows, 53, '1'))).toMatchObject({ by: 'chain', open: [] });

  const proof = proofOf(textsOf(rows, 53, id));
  expect(proof).toMatchObject({ open });
  expect(proof.by).toBeUndefined();
});

test('records without an id are not read until two passes are equal, which would prove nothing', () => {
  const texts = textsOf(rowsOf(1, 'created_at'), 53, null);
  const proof = proofOf(texts, { maxPasses: 5 }, true);
  expect(proof.open).toEqual(expect.arrayContaining(NO_ID));
  expect(proof).toMatchObject({ counts: { passes: 1 } });
  expect(proof.by).toBeUndefined();
});

test('a list by last edit, newest first, gives again what is edited where its front is read again, and nowhere else', () => {
  const texts = rowsOf(-1, 'updated_at').map((row) => JSON.stringify(row));
  expect(proofOf(texts)).toMatchObject({
    ...{ by: 'chain', order: 'by-last-edit' },
    repeats: { kind: 'moved', frontFromRow: 100, mayBeEqual: true },
  });
});

test('a list by last edit, oldest first, gives again what is edited at its end, wherever that is then', () => {
  const texts = rowsOf(1, 'updated_at').map((row) => JSON.stringify(row));
  expect(proofOf(texts)).toMatchObject({
    ...{ by: 'chain', order: 'by-last-edit' },
    repeats: { kind: 'moved', frontFromRow: 0, mayBeEqual: true },
  });
});
