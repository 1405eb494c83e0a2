import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type BodyBuffer, BodyBuffers } from '../../../lib/customers-api/body-buffers.ts';

const KIB = 1024;

/** Instead of `toBe`, which prints all of both when they differ. */
function isSame(one: BodyBuffer, other: BodyBuffer): boolean {
  return one.bytes.buffer === other.bytes.buffer;
}

test('gives out what was released once more, the latest first', () => {
  const buffers = new BodyBuffers();
  const [first, second] = [buffers.take(1), buffers.take(1)];

  first.release();
  second.release();

  expect(isSame(buffers.take(64 * KIB), second)).toBe(true);
  expect(isSame(buffers.take(0), first)).toBe(true);
});

test('keeps memory only once, however often it is released', () => {
  const buffers = new BodyBuffers();
  const buffer = buffers.take(1);

  buffer.release();
  buffer.release();
  const again = buffers.take(1);
  // Its first owner has nothing to do with it any more.
  buffer.release();

  expect(isSame(again, buffer)).toBe(true);
  expect(isSame(buffers.take(1), again)).toBe(false);
});

test.each([
  [0, 64],
  [64 * KIB, 64],
  [64 * KIB + 1, 128],
  [200 * KIB, 256],
  [1024 * KIB, 1024],
])('lends the next larger size: %i bytes of %i KiB', (atLeastBytes, sizeKib) => {
  expect(new BodyBuffers().take(atLeastBytes).bytes).toHaveLength(sizeKib * KIB);
});

test('keeps every size beside the others', () => {
  const buffers = new BodyBuffers();
  const [small, large] = [buffers.take(1), buffers.take(200 * KIB)];

  large.release();
  small.release();

  expect(isSame(buffers.take(1), small)).toBe(true);
  expect(isSame(buffers.take(200 * KIB), large)).toBe(true);
});

test.each([
  [64, 300, 256],
  [1024, 40, 16],
  [1025, 3, 0],
])('of %i KiB each and %i released keeps %i', (sizeKib, released, kept) => {
  const buffers = new BodyBuffers();
  const all = Array.from({ length: released }, () => buffers.take(sizeKib * KIB));

  for (const buffer of all) buffer.release();

  const known = new Set(all.map((each) => each.bytes.buffer));
  const again = Array.from({ length: released }, () => buffers.take(sizeKib * KIB).bytes.buffer);
  expect(again.filter((memory) => known.has(memory)).length).toBe(kept);
});

test('gives a short body memory of its own, and a long one what it was read into', () => {
  const buffers = new BodyBuffers();
  const short = buffers.take(1);
  short.bytes.fill(7);
  const copied = buffers.body(short, 32 * KIB);
  const long = buffers.take(1);
  expect(isSame(long, short)).toBe(true);

  long.bytes.fill(9);
  expect(copied.bytes.buffer.byteLength).toBe(32 * KIB);
  expect(copied.bytes.every((byte) => byte === 7)).toBe(true);
  copied.release();

  const kept = buffers.body(long, 32 * KIB + 1);
  expect(kept.bytes).toHaveLength(32 * KIB + 1);
  expect(isSame(kept, long)).toBe(true);
  kept.release();
  expect(isSame(buffers.take(1), long)).toBe(true);
});

test('never lends the same memory to two at a time', () => {
  const step = fc.record({
    bytes: fc.integer({ min: 0, max: 1_200 * KIB }),
    release: fc.option(fc.nat(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const buffers = new BodyBuffers();
      const lent: BodyBuffer[] = [];
      const gone: BodyBuffer[] = [];
      for (const { bytes, release } of steps) {
        const taken = buffers.take(bytes);
        expect(taken.bytes.length >= bytes).toBe(true);
        expect(lent.some((each) => isSame(each, taken))).toBe(false);
        lent.push(taken);
        if (release === undefined) continue;
        const [released] = lent.splice(release % lent.length, 1);
        released?.release();
        if (released !== undefined) gone.push(released);
        // Those who released before do it again.
        gone[release % gone.length]?.release();
      }
    }),
    { numRuns: 40 },
  );
});
