import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashRecords } from '../../../lib/customers-api/record-hashes.ts';
import { countRound, openIndexes } from '../../../lib/exports/count-repeats.ts';
import { INDEX_TABLE_BYTES, PartIndex } from '../../../lib/exports/part-index.ts';
import type { PartRecord } from '../../../lib/exports/part-record.ts';
import type { Store } from '../../../lib/exports/ports.ts';
import { indexKey } from '../../../lib/exports/store-objects.ts';
import { sha256Of } from '../../faults/memory-store.ts';

interface Part {
  readonly record: PartRecord;
  readonly stored: Uint8Array;
}

function partOf(number: number, hashes: readonly Uint32Array[]): Part {
  const index = new PartIndex();
  for (const each of hashes) index.add(each);
  const { stored, sha256, withoutId, repeats } = index.finish();
  expect(sha256).toBe(sha256Of(stored));
  const records = hashes.reduce((sum, each) => sum + each.length / 2, 0);
  const record: PartRecord = {
    ...{ connection: 'acme', exportId: 'request-1', number, token: `t${number}` },
    ...{
      key: `part-0000${number}-t${number}.ndjson.gz`,
      firstPage: 1,
      pages: 1,
      records,
      bytes: 1,
      storedBytes: 1,
    },
    ...{ sha256: 's', version: 'v', deleteAfterMs: 0, withoutId, repeats },
    index: { bytes: stored.length, version: sha256 },
  };
  return { record, stored };
}

function storeOf(parts: readonly Part[]) {
  const reads: number[] = [];
  const objects = new Map(
    parts.map(({ record, stored }) => {
      return [indexKey(record.key), stored];
    }),
  );
  const readBytes = async (key: string, from: number, to: number) => {
    reads.push(to - from);
    // A Buffer of a pool, as an SDK may give.
    return Buffer.from(objects.get(key)?.subarray(from, to) ?? []);
  };
  return { store: { readBytes }, reads };
}

function hashesOf(lines: readonly string[]): Uint32Array {
  const ndjson = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return hashRecords(ndjson, lines.length, 'id').hashes;
}

async function countAll(store: Pick<Store, 'readBytes'>, parts: readonly PartRecord[]) {
  const indexes = await openIndexes(store, parts);
  const found = { rounds: indexes.rounds, ids: 0, texts: 0, hashes: 0 };
  for (let round = 0; round < indexes.rounds; round++) {
    const { ids, texts, hashes, parts: having } = await countRound(store, indexes, round);
    found.ids += ids;
    found.texts += texts;
    found.hashes += hashes.length;
    expect([...hashes]).toEqual([...hashes.slice().sort()]);
    expect(having.length > 0).toBe(hashes.length > 0);
  }
  return found;
}

test('counts what came before in any part and in any order, with and without ids', async () => {
  const line = fc.tuple(fc.boolean(), fc.nat({ max: 30 }));
  const pages = fc.array(fc.array(line, { maxLength: 20 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(pages, { minLength: 2, maxLength: 4 }), async (contents) => {
      const texts = contents.map((each) =>
        each.map((page) => page.map(([hasId, n]) => (hasId ? `{"id":${n},"x":1}` : `{"x":${n}}`))),
      );
      const parts = texts.map((each, index) => partOf(index + 1, each.map(hashesOf)));
      const { store } = storeOf(parts);

      const all = texts.flat(2);
      const distinct = [...new Set(all)];
      const ids = (lines: readonly string[]) => lines.filter((each) => each.includes('id')).length;
      const records = parts.map(({ record }) => record);
      const twice = distinct.filter((each) => all.filter((other) => other === each).length > 1);
      expect(await countAll(store, records)).toEqual({
        rounds: 1,
        ids: ids(all) - ids(distinct),
        texts: all.length - distinct.length - (ids(all) - ids(distinct)),
        hashes: ids(twice),
      });
      expect(records.reduce((sum, each) => sum + each.withoutId, 0)).toBe(all.length - ids(all));
    }),
    { numRuns: 50 },
  );
});

/** Hashes with every highest byte, as those of `from` to `to` of a list would be. */
function manyHashes(from: number, to: number): Uint32Array {
  const words = new Uint32Array(2 * (to - from));
  for (let at = 0; at < words.length; at += 2) {
    const of = from + at / 2;
    words[at] = (of << 1) | 1;
    words[at + 1] = Math.imul(of, 0x9e3779b1);
  }
  return words;
}

test('counts a long list in rounds of at most some megabytes', async () => {
  // 10,000 of the second part are in the first, and 5 of the third.
  const ranges: readonly [number, number][] = [
    [0, 1_000_000],
    [990_000, 1_900_000],
    [1_899_995, 2_500_000],
  ];
  const parts = ranges.map(([from, to], index) => partOf(index + 1, [manyHashes(from, to)]));
  const records = parts.map(({ record }) => record);
  const { store, reads } = storeOf(parts);

  expect(await countAll(store, records)).toEqual({
    rounds: 5,
    ids: 10_005,
    texts: 0,
    hashes: 10_005,
  });
  expect(Math.max(...reads)).toBeLessThan(4_000_000);
  const tables = reads.filter((bytes) => bytes === INDEX_TABLE_BYTES).length;
  expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBe(
    8 * records.reduce((sum, each) => sum + each.records, 0) + tables * INDEX_TABLE_BYTES,
  );
});

test('keeps little of each index, so that an export of many small steps fits into memory', async () => {
  const { record } = partOf(1, [manyHashes(0, 30)]);
  const parts = Array.from({ length: 20_000 }, (_, index) => ({ ...record, number: index + 1 }));
  const store = {
    readBytes: async (_key: string, from: number, to: number) => new Uint8Array(to - from),
  };
  const keptBytes = () => {
    globalThis.gc?.();
    return process.memoryUsage().arrayBuffers;
  };
  const before = keptBytes();

  const indexes = await openIndexes(store, parts);

  // With 90,000 parts their tables alone would be 92 MB.
  expect(keptBytes() - before).toBeLessThan(1_000_000);
  expect(indexes.rounds).toBe(2);
});

test('does not take a part of an index for the whole of it', async () => {
  const parts = [1, 2].map((number) => partOf(number, [hashesOf([`{"id":${number}}`])]));
  const store = { readBytes: async () => new Uint8Array(3) };
  const records = parts.map(({ record }) => record);
  const counting = countAll(store, records);
  await expect(counting).rejects.toThrow(/part-00001-t1\.index has 3 bytes .* expected 8/);
});
