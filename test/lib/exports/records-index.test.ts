import { expect, test } from '@jest/globals';
import { INDEX_SHARES } from '../../../lib/exports/part-index.ts';
import {
  indexBytes,
  RECORDS_TABLE_BYTES,
  RecordsIndex,
  WORDS_AN_ENTRY,
} from '../../../lib/exports/records-index.ts';

function indexOf(records: readonly string[]): Uint8Array {
  const index = new RecordsIndex('id');
  for (const text of records) index.add(Buffer.from(`${text}\n`), 0, Buffer.byteLength(text));
  return index.finish()?.body ?? new Uint8Array();
}

const wordsOf = (stored: Uint8Array) => new Uint32Array(new Uint8Array(stored).buffer);

test('has each record once, in the share of its id, with its line', () => {
  const records = Array.from({ length: 10_000 }, (_, n) => `{"id":${n},"n":${n % 7}}`);
  const stored = indexOf(records);
  expect(stored.length).toBe(indexBytes(10_000));
  const words = wordsOf(stored);
  expect([words[0], words[INDEX_SHARES]]).toEqual([0, 10_000]);

  const lines = new Set<number | undefined>();
  for (let share = 0; share < INDEX_SHARES; share++) {
    for (let entry = words[share] ?? 0; entry < (words[share + 1] ?? 0); entry++) {
      const at = RECORDS_TABLE_BYTES / 4 + entry * WORDS_AN_ENTRY;
      expect((words[at + 1] ?? 0) >>> 24).toBe(share);
      lines.add(words[at + 4]);
    }
  }
  expect(lines.size).toBe(10_000);
});

test('tells ids apart as they are written, and texts by every byte', () => {
  const [one, other] = [wordsOf(indexOf(['{"id":1,"a":1}'])), wordsOf(indexOf(['{"id":1,"a":2}']))];
  const entry = RECORDS_TABLE_BYTES / 4;

  expect(one.slice(entry, entry + 2)).toEqual(other.slice(entry, entry + 2));
  expect(one.slice(entry + 2, entry + 4)).not.toEqual(other.slice(entry + 2, entry + 4));
  const ids = ['1', '1.0', '"1"', '10e-1', '12345678901234567890', '12345678901234567891'].map(
    (id) => String(wordsOf(indexOf([`{"id":${id}}`])).slice(entry, entry + 2)),
  );
  expect(new Set(ids).size).toBe(6);
});

test.each(['{"Id":1}', '{"id":null}', '{"id":""}', '{"id":{}}', '[1]', '1', '{"x":{"id":1}}'])(
  'there is none of a part with %s, which has no id',
  (record) => {
    expect(indexOf(['{"id":1}', record]).length).toBe(0);
  },
);
