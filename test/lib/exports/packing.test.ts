import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COMPRESSIONS, type Compression } from '../../../lib/exports/compression.ts';
import { createPacker, isBroken, unpack } from '../../../lib/exports/packing.ts';
import { amountOf } from '../../deep/depth.ts';
import { until } from '../../until.ts';

const numRuns = amountOf({ short: 20, deep: 500 });

async function packedBy(compression: Compression, bytes: Uint8Array) {
  const packer = createPacker(compression);
  packer.end(bytes);
  return buffer(packer);
}

const piecesOf = (compression: Compression, ...stored: readonly Uint8Array[]) =>
  unpack(Readable.from(stored), compression);

/** Why it cannot be unpacked; `undefined` when it can. */
async function problemOf(compression: Compression, ...stored: readonly Uint8Array[]) {
  try {
    await buffer(piecesOf(compression, ...stored));
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
        const stored = await packedBy(compression, bytes);
        expect((await buffer(piecesOf(compression, stored))).equals(bytes)).toBe(true);
      }),
      { numRuns },
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
        const problem = await problemOf(compression, flipped);
        // Bits between blocks of deflate hold nothing (RFC 1951, section 3.2.4), and neither do some of zstd's: then every
        // byte is as it was.
        if (problem === undefined) {
          expect((await buffer(piecesOf(compression, flipped))).equals(RECORDS)).toBe(true);
        } else expect(isBroken(problem)).toBe(true);
      }),
      { numRuns },
    );
  });

  test('is read no further when the reader leaves', async () => {
    const whole = await packedBy(compression, Buffer.concat(Array(20).fill(RECORDS)));
    const source = { isLeft: false, isWhole: false };
    const stored = async function* () {
      try {
        for (let at = 0; at < whole.length; at += 1_000) {
          // What was unpacked comes in between.
          await new Promise((resolve) => setImmediate(resolve));
          yield whole.subarray(at, at + 1_000);
        }
        source.isWhole = true;
      } finally {
        source.isLeft = true;
      }
    };
    for await (const piece of unpack(stored(), compression)) {
      expect(RECORDS.subarray(0, piece.length).equals(piece)).toBe(true);
      break;
    }
    await until('the end of the read', () => source.isLeft);
    expect(source.isWhole).toBe(false);
  });

  test('passes an error of its source on, which is no broken file', async () => {
    const whole = await packedBy(compression, RECORDS);
    const stored = async function* () {
      yield whole.subarray(0, 1_000);
      throw new Error('outage');
    };
    const read = buffer(unpack(stored(), compression));
    await expect(read).rejects.toThrow('outage');
  });

  test('is broken when something else comes after it', async () => {
    const whole = await packedBy(compression, RECORDS);
    for (const more of [Buffer.from('{"id":1}\n'), RECORDS]) {
      expect(isBroken(await problemOf(compression, whole, more))).toBe(true);
      expect(isBroken(await problemOf(compression, Buffer.concat([whole, more])))).toBe(true);
    }
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
    const sizes: number[] = [];
    for await (const piece of piecesOf(compression, bomb)) sizes.push(piece.length);
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

test('a zstd file of two frames is broken: Node.js would leave the second one out', async () => {
  const frame = await packedBy('zstd', RECORDS);
  expect(zstdDecompressSync(Buffer.concat([frame, frame])).length).toBe(RECORDS.length);
  expect(isBroken(await problemOf('zstd', frame, frame))).toBe(true);
  const gzips = Readable.from([gzipSync('one'), gzipSync('two')]);
  expect((await buffer(unpack(gzips, 'gzip'))).toString()).toBe('onetwo');
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
