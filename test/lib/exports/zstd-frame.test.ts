import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { oneFrame } from '../../../lib/exports/zstd-frame.ts';

const { ZSTD_c_checksumFlag: checksum, ZSTD_c_contentSizeFlag: contentSize } = constants;
const TEXT = Buffer.from(
  Array.from({ length: 60_000 }, (_, id) => `{"id":${id * 7919}}\n`).join(''),
);
const NOISE = Buffer.from(
  Uint32Array.from({ length: 90_000 }, (_, at) => at * 2_654_435_761).buffer,
);

/** As a part is written: its size is not known at its start. */
async function streamed(bytes: Uint8Array): Promise<Buffer> {
  const packer = createZstdCompress();
  packer.end(bytes);
  return buffer(packer);
}

const read = (...stored: readonly Uint8Array[]) => buffer(oneFrame(Readable.from(stored)));

test.each<[string, () => Buffer | Promise<Buffer>]>([
  ['with a checksum', () => zstdCompressSync(TEXT, { params: { [checksum]: 1 } })],
  ['without a checksum', () => zstdCompressSync(TEXT)],
  ['without its size', () => zstdCompressSync(TEXT, { params: { [contentSize]: 0 } })],
  ['that was streamed', () => streamed(TEXT)],
  ['of nothing', () => zstdCompressSync('')],
  ['of nothing that was streamed', () => streamed(Buffer.alloc(0))],
  ['of some bytes', () => zstdCompressSync('{}')],
  ['of 255 to 65,791 bytes', () => zstdCompressSync(TEXT.subarray(0, 300))],
  ['of blocks that are not compressed', () => zstdCompressSync(NOISE)],
  ['of blocks of one byte', () => zstdCompressSync(Buffer.alloc(1_000_000, 'x'))],
])('passes on a frame %s, however it is cut into pieces, and no part of it', async (_, make) => {
  const frame = await make();
  await fc.assert(
    fc.asyncProperty(fc.nat(frame.length), fc.nat(frame.length), async (one, other) => {
      const [first, second] = [Math.min(one, other), Math.max(one, other)];
      const pieces = [frame.subarray(0, first), frame.subarray(first, second)];
      expect((await read(...pieces, frame.subarray(second))).equals(frame)).toBe(true);
      const isCut =
        pieces.map(({ length }) => length).reduce((sum, each) => sum + each) < frame.length;
      if (isCut) await expect(read(...pieces)).rejects.toThrow('unexpected end of file');
      const more = frame.subarray(0, 1 + first);
      await expect(read(frame, more)).rejects.toThrow('more bytes after the end');
      await expect(read(Buffer.concat([frame, more]))).rejects.toThrow('more bytes after the end');
    }),
    { numRuns: 20 },
  );
});

test('gives what is before the cut, so that a reader need not wait for the end', async () => {
  const frame = zstdCompressSync(TEXT);
  const pieces = oneFrame(Readable.from([frame.subarray(0, 100)]));
  expect((await pieces.next()).value).toEqual(frame.subarray(0, 100));
  await expect(pieces.next()).rejects.toThrow('unexpected end of file');
});

test('refuses what begins otherwise, also a frame to be skipped', async () => {
  const skippable = Buffer.from('502a4d180000000000', 'hex');
  for (const stored of [Buffer.from('{"id":1}\n'), skippable]) {
    await expect(read(stored)).rejects.toThrow('not a zstd frame');
  }
});
