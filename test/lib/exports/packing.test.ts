import { buffer } from 'node:stream/consumers';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COMPRESSIONS } from '../../../lib/exports/compression.ts';
import { createPacker, createUnpacker, isBroken } from '../../../lib/exports/packing.ts';

async function packedBy(compression: (typeof COMPRESSIONS)[number], bytes: Uint8Array) {
  const packer = createPacker(compression);
  packer.end(bytes);
  return buffer(packer);
}

/** Why it cannot be unpacked; `undefined` when it can. */
async function problemOf(compression: (typeof COMPRESSIONS)[number], stored: Uint8Array) {
  const unpacker = createUnpacker(compression);
  unpacker.end(stored);
  try {
    await buffer(unpacker);
    return undefined;
  } catch (error) {
    return error;
  }
}

const RECORDS = Buffer.from(
  Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"name":"${id * 7919}"}\n`).join(''),
);

describe.each(COMPRESSIONS)('%s', (compression) => {
  test('is unpacked to what was packed, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (bytes) => {
        const unpacker = createUnpacker(compression);
        unpacker.end(await packedBy(compression, bytes));
        expect((await buffer(unpacker)).equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('is broken wherever it is cut', async () => {
    const whole = await packedBy(compression, RECORDS);
    const cuts = [0, 1, 5, whole.length >> 1, whole.length - 9, whole.length - 1];
    for (const at of cuts) {
      expect(isBroken(await problemOf(compression, whole.subarray(0, at)))).toBe(true);
    }
  });

  test('is broken by any flipped bit of what it holds', async () => {
    const whole = await packedBy(compression, RECORDS);
    // The header of a gzip member holds a time and more that says nothing of the content.
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10, max: whole.length - 1 }), async (at) => {
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        expect(isBroken(await problemOf(compression, flipped))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('is broken when it is of another form', async () => {
    const other = compression === 'gzip' ? zstdCompressSync(RECORDS) : gzipSync(RECORDS);
    for (const stored of [other, Buffer.from('{"id":1}\n'), Buffer.alloc(0)]) {
      expect(isBroken(await problemOf(compression, stored))).toBe(true);
    }
  });

  test('unpacks a bomb in small pieces', async () => {
    const bomb = await packedBy(compression, Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(300_000);
    const unpacker = createUnpacker(compression);
    unpacker.end(bomb);
    const sizes: number[] = [];
    for await (const piece of unpacker) sizes.push(piece.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  });
});

test('a zstd file needs no larger window than all decoders have, and has a checksum', async () => {
  const stored = await packedBy('zstd', Buffer.concat(Array(20).fill(RECORDS)));
  const [, , , , descriptor = 0, window = 0] = stored;
  // RFC 8878 section 3.1.1.1: bit 2 is the checksum, bit 5 one segment, then a byte of the window follows.
  expect(descriptor & 0b10_0100).toBe(0b00_0100);
  expect(2 ** (10 + (window >> 3))).toBeLessThanOrEqual(8 * 1024 * 1024);
});

test('a zstd file that asks for more memory is refused', async () => {
  // A frame without content whose window is 128 MiB, as many as Node takes by default.
  const hostile = Buffer.from('28b52ffd0088010000', 'hex');
  expect(zstdDecompressSync(hostile)).toHaveLength(0);
  expect(isBroken(await problemOf('zstd', hostile))).toBe(true);
});

test('an outage is no broken file', () => {
  for (const error of [new Error('Z_DATA_ERROR'), { code: 'ECONNRESET' }, undefined, 'Z_']) {
    expect(isBroken(error)).toBe(false);
  }
});
