import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashRecords } from '../../../../lib/customers-api/record-hashes.ts';
import { RowMarks } from '../../../../lib/customers-api/walks/row-marks.ts';

const ROWS = fc.uniqueArray(fc.record({ id: fc.nat(), name: fc.string() }), {
  minLength: 1,
  maxLength: 20,
  selector: ({ id }) => id,
});

test('marks that were written and read again know the same rows and texts as the page, in any part', () => {
  fc.assert(
    fc.property(ROWS, fc.nat({ max: 20 }), (rows, count) => {
      const page = marksOf(rows);
      const last = RowMarks.parse(`${marksOf(rows).last(count)}`);
      expect(last.length).toBe(Math.min(count, rows.length));
      for (let row = 0; row < last.length; row++) {
        const onPage = rows.length - last.length + row;
        expect(last.lastWithIdOf(page, onPage)).toBe(row);
        expect(page.lastWithIdOf(last, row)).toBe(onPage);
        expect(last.hasSameText(row, page, onPage)).toBe(true);
      }
    }),
  );
});

test('a row whose text has changed has the same id and another text', () => {
  const before = marksOf([
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ]);
  const after = marksOf([
    { id: 3, name: 'c' },
    { id: 2, name: 'changed' },
  ]);
  expect(before.lastWithIdOf(after, 0)).toBe(-1);
  expect(before.lastWithIdOf(after, 1)).toBe(1);
  expect(before.hasSameText(1, after, 1)).toBe(false);
});

test('rows of two pages are kept one after the other, with their texts', () => {
  const first = [{ id: 1, name: 'a' }];
  const second = [
    { id: 2, name: 'b' },
    { id: 3, name: 'c' },
  ];
  const both = RowMarks.parse(`${marksOf(first).followedBy(marksOf(second))}`);
  expect(`${both}`).toBe(`${marksOf([...first, ...second])}`);
  expect(`${both.first(1)}`).toBe(`${marksOf(first)}`);
});

function marksOf(rows: readonly object[]): RowMarks {
  const ndjson = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const { hashes: recordHashes } = hashRecords(ndjson, rows.length, 'id');
  return RowMarks.of({ ndjson, recordCount: rows.length, recordHashes });
}

test('rows are told apart by all 64 bits of their ids, and of their texts', () => {
  const ids = Uint32Array.of(8, 1, 8, 2, 9, 1, 9, 2);
  const page = { ndjson: Buffer.from('a\nb\nc\nd\n'), recordCount: 4, recordHashes: ids };
  const marks = RowMarks.of(page);
  const rows = [0, 1, 2, 3];
  expect(rows.map((row) => marks.lastWithIdOf(RowMarks.of(page), row))).toEqual(rows);

  const of = (...words: readonly number[]) =>
    RowMarks.parse(Buffer.from(Uint32Array.from(words).buffer).toString('base64'));
  const texts = of(0, 0, 8, 1, 0, 0, 8, 2, 0, 0, 9, 1);
  expect([0, 1, 2].map((row) => texts.hasSameText(row, of(0, 0, 8, 1), 0))).toEqual([
    true,
    false,
    false,
  ]);
});
