import { expect, test } from '@jest/globals';
import { type PlacedRow, RepeatedRows } from '../../../lib/exports/repeated-rows.ts';

const HASH = 2n ** 40n + 7n;
const row = (line: number): PlacedRow => ({ low: 7, high: 256, part: 1, line });

/** Notes rows whose ids have the same hash, in this order. */
function noted(texts: readonly string[]) {
  const repeated = RepeatedRows.none();
  repeated.add(BigUint64Array.of(HASH), [1]);
  const kinds = texts.map((text, line) => repeated.note(row(line), Buffer.from(text), 'id').kind);
  // As the next step finds it.
  return { kinds, repeated: RepeatedRows.from(repeated.stored()) };
}

test('of the rows of one id all but the newest are older', () => {
  const { kinds, repeated } = noted(['{"id":1}', '{"id":1}', '{"id":1,"name":"b"}']);

  expect(kinds).toEqual(['first', 'equal', 'changed']);
  expect([0, 1, 2].map((line) => repeated.isOlder(row(line)))).toEqual([true, true, false]);
});

test('an id that is escaped otherwise is the same one', () => {
  const { kinds } = noted(['{"id":"a/1"}', '{"id":"a\\/1"}']);

  expect(kinds).toEqual(['first', 'changed']);
});

test('no row is older than one of another id, although both ids have the same hash', () => {
  const { kinds, repeated } = noted(['{"id":1}', '{"id":2}', '{"id":1}']);

  expect(kinds).toEqual(['first', 'other', 'other']);
  expect([0, 1, 2].map((line) => repeated.isOlder(row(line)))).toEqual([false, false, false]);
});
