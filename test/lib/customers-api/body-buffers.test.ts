import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type BodyBuffer, BodyBuffers } from '../../../lib/customers-api/body-buffers.ts';

const KIB = 1024;

test('gives out what was released once more, the latest first', () => {
  const buffers = new BodyBuffers();
  const [first, second] = [buffers.take(1), buffers.take(1)];

  first.release();
  second.release();

  expect(buffers.take(64 * KIB).bytes).toBe(second.bytes);
  expect(buffers.take(0).bytes).toBe(first.bytes);
});

test('keeps memory only once, however often it is released', () => {
  const buffers = new BodyBuffers();
  const buffer = buffers.take(1);

  buffer.release();
  buffer.release();
  const again = buffers.take(1);
  // Its first owner has nothing to do with it any more.
  buffer.release();

  expect(again.bytes).toBe(buffer.bytes);
  expect(buffers.take(1).bytes).not.toBe(again.bytes);
});

test('keeps the size of the largest that came back, up to a mebibyte', () => {
  const buffers = new BodyBuffers();
  buffers.take(1).release();
  const large = buffers.take(200 * KIB);
  const huge = buffers.take(1025 * KIB);

  huge.release();
  large.release();

  expect(large.bytes).toHaveLength(256 * KIB);
  expect(buffers.take(1).bytes).toBe(large.bytes);
  expect(buffers.take(1).bytes).toHaveLength(256 * KIB);
  expect(buffers.take(1025 * KIB).bytes).not.toBe(huge.bytes);
});

test('keeps no more than an export can have under way', () => {
  const buffers = new BodyBuffers();
  const all = Array.from({ length: 40 }, () => buffers.take(1));

  for (const buffer of all) buffer.release();

  const again = Array.from({ length: 40 }, () => buffers.take(1).bytes);
  expect(again.filter((bytes) => all.some((each) => each.bytes === bytes))).toHaveLength(18);
});

test('gives a short body memory of its own, and a long one what it was read into', () => {
  const buffers = new BodyBuffers();
  const short = buffers.take(1);
  short.bytes.fill(7);
  const copied = buffers.body(short, 32 * KIB);
  const long = buffers.take(1);

  expect(long.bytes).toBe(short.bytes);
  long.bytes.fill(9);
  expect(copied.bytes).toEqual(new Uint8Array(32 * KIB).fill(7));
  copied.release();

  const kept = buffers.body(long, 32 * KIB + 1);
  expect(kept.bytes.buffer).toBe(long.bytes.buffer);
  kept.release();
  expect(buffers.take(1).bytes).toBe(long.bytes);
});

test('never lends the same memory to two at a time', () => {
  const step = fc.record({
    bytes: fc.integer({ min: 0, max: 1_200 * KIB }),
    release: fc.option(fc.nat(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const buffers = new BodyBuffers();
      const lent: BodyBuffer[] = [];
      const gone: BodyBuffer[] = [];
      for (const { bytes, release } of steps) {
        const taken = buffers.take(bytes);
        expect(taken.bytes.length).toBeGreaterThanOrEqual(bytes);
        expect(lent.map((each) => each.bytes.buffer)).not.toContain(taken.bytes.buffer);
        lent.push(taken);
        if (release === undefined) continue;
        const [released] = lent.splice(release % lent.length, 1);
        released?.release();
        if (released !== undefined) gone.push(released);
        // Those who released before do it again.
        gone[release % gone.length]?.release();
      }
    }),
  );
});
