import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COMPRESSIONS, endingOf } from '../../../lib/exports/compression.ts';
import { PartWriter } from '../../../lib/exports/part.ts';
import { unpacked } from '../../unpacked.ts';

const hashesOf = (records: number) => new Uint32Array(2 * records);

describe.each(COMPRESSIONS)('a part of %s', (compression) => {
  const key = `part${endingOf(compression)}`;
  const unpackedBytes = (stored: Uint8Array) => unpacked(key, stored);

  test('gives back every byte of its pages, counted and hashed', async () => {
    const pages = fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pages, async (bodies) => {
        const part = new PartWriter(3, compression);
        for (const ndjson of bodies)
          await part.append({ ndjson, recordCount: 2, recordHashes: hashesOf(2) });
        const body = await part.finish();
        const raw = Buffer.concat(bodies);
        expect(unpackedBytes(body.stored).equals(raw)).toBe(true);
        expect(body.compression).toBe(compression);
        expect(body.sha256).toBe(createHash('sha256').update(body.stored).digest('hex'));
        expect(body).toMatchObject({
          firstPage: 3,
          pages: bodies.length,
          records: bodies.length * 2,
          bytes: raw.length,
        });
      }),
      { numRuns: 40 },
    );
  });

  test('keeps the order of pages that fill a batch, overflow it or are larger than one', async () => {
    const sizes = [300_000, 300_000, 524_288, 1, 524_287, 1_200_000, 0, 40_000, 500_000, 524_289];
    const bodies = sizes.map((size, index) => Buffer.alloc(size, `${index}`));
    const part = new PartWriter(1, compression);

    for (const ndjson of bodies)
      await part.append({ ndjson, recordCount: 1, recordHashes: hashesOf(1) });

    expect(unpackedBytes((await part.finish()).stored).equals(Buffer.concat(bodies))).toBe(true);
  });

  test('tells which of its records may have been read before', async () => {
    const part = new PartWriter(1, compression);
    const ndjson = Buffer.from('1\n2\n3\n4\n');
    const links = [
      {},
      { again: 2, skip: [0] },
      { again: 4 },
      { again: 9, skip: [3] },
      { again: 1, skip: [0, 2] },
      { again: 2 },
    ];
    for (const link of links)
      await part.append({ ndjson, recordCount: 4, recordHashes: hashesOf(4) }, link);
    // 4, 3, 4, 3, 2 and 4 records.
    expect((await part.finish()).again).toEqual([4, 5, 7, 14, 16, 18]);
  });

  test('releases a page when it is copied, and one that is larger than a batch not at all', async () => {
    const part = new PartWriter(1, compression);
    const released: string[] = [];
    const pageOf = (name: string, bytes: number) => {
      const ndjson = Buffer.alloc(bytes, name);
      const release = () => {
        released.push(name);
        ndjson.fill('-');
      };
      return { ndjson, recordCount: 1, recordHashes: hashesOf(1), release };
    };

    for (const [name, bytes] of [
      ['a', 900_000],
      ['b', 900_000],
      ['c', 1_200_000],
    ] as const) {
      await part.append(pageOf(name, bytes));
    }

    const text = unpackedBytes((await part.finish()).stored).toString();
    expect(text).toBe('a'.repeat(900_000) + 'b'.repeat(900_000) + 'c'.repeat(1_200_000));
    expect(released).toEqual(['a', 'b']);
  });

  test('holds far less than what went in', async () => {
    const part = new PartWriter(1, compression);
    const ndjson = Buffer.from('{"id":1,"name":"customer"}\n'.repeat(40_000));
    for (let page = 0; page < 60; page++)
      await part.append({ ndjson, recordCount: 40_000, recordHashes: hashesOf(40_000) });
    const body = await part.finish();
    expect(body.bytes).toBe(ndjson.length * 60);
    expect(body.stored.length).toBeLessThan(body.bytes / 50);
  });
});

test.each([
  [{ partMaxPages: 3, partMaxBytes: 1_000 }, 2, false],
  [{ partMaxPages: 2, partMaxBytes: 1_000 }, 2, true],
  [{ partMaxPages: 9, partMaxBytes: 20 }, 2, true],
])('is full by pages or bytes, whichever comes first: %j', async (limits, pages, expected) => {
  const part = new PartWriter(1, 'gzip');
  for (let page = 0; page < pages; page++) {
    await part.append({ ndjson: Buffer.alloc(10), recordCount: 1, recordHashes: hashesOf(1) });
  }
  expect(part.isFull(limits)).toBe(expected);
  part.discard();
});
