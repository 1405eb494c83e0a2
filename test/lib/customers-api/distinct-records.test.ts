import { expect, test } from '@jest/globals';
import { estimatedRecords, withRecords } from '../../../lib/customers-api/distinct-records.ts';
import { hashRecords } from '../../../lib/customers-api/record-hashes.ts';

function hashesOf(from: number, count: number): Uint32Array {
  const lines = Array.from({ length: count }, (_, index) => `{"id":${from + index}}\n`);
  return hashRecords(Buffer.from(lines.join('')), count, 'id').hashes;
}

test.each([1, 10, 100, 1_000, 10_000, 300_000])(
  'counts %i different records within a fifth, however often they come',
  (count) => {
    const once = withRecords(undefined, hashesOf(0, count));
    expect(estimatedRecords(once) / count).toBeGreaterThan(0.8);
    expect(estimatedRecords(once) / count).toBeLessThan(1.2);
    expect(withRecords(once, hashesOf(0, count))).toBe(once);
  },
);

test('counts the same whatever the pages are', () => {
  const whole = withRecords(undefined, hashesOf(0, 1_000));
  let paged: string | undefined;
  for (let page = 9; page >= 0; page--) paged = withRecords(paged, hashesOf(page * 100, 100));
  expect(paged).toBe(whole);
  expect(whole).toMatch(/^[0-R]{256}$/);
});

test('counts no record of an empty list', () => {
  expect(estimatedRecords(withRecords(undefined, hashesOf(0, 0)))).toBe(0);
});
