import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  nextWindow,
  overlapOf,
  type Window,
  windowAround,
} from '../../../../lib/customers-api/walks/next-window.ts';

function windowsOf(largest: number, rows: number): readonly Window[] {
  const windows: Window[] = [];
  for (let size = largest; size > largest / 2; size--) {
    for (let start = 0; start < rows; start += size) windows.push({ start, size });
  }
  return windows;
}

/** By trying all windows, from all ends that so many of them can have. */
function fewestWindows(rows: number, largest: number): number {
  const windows = windowsOf(largest, rows);
  let ends = new Set([largest]);
  for (let count = 1; ends.size > 0; count++) {
    if (Math.max(...ends) >= rows) return count;
    const further = new Set<number>();
    for (const end of ends) {
      for (const { start, size } of windows) {
        const isNext = start <= end - overlapOf(largest) && start + size > end;
        if (isNext) further.add(start + size);
      }
    }
    ends = further;
  }
  return Infinity;
}

test('no other windows of a list are fewer', () => {
  const lists = fc.record({
    largest: fc.integer({ min: 12, max: 40 }),
    pages: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(lists, ({ largest, pages }) => {
      const rows = pages * largest;
      let covered = largest;
      let count = 1;
      for (; covered < rows; count++) {
        const window = nextWindow(covered, largest);
        if (window === undefined) throw new Error(`nothing behind row ${covered}`);
        covered = window.start + window.size;
      }
      expect(count).toBeLessThanOrEqual(fewestWindows(rows, largest));
    }),
  );
});

test('a window around a place has a quarter of a page on both sides, small pages less', () => {
  const places = fc.record({
    largest: fc.integer({ min: 8, max: 500 }),
    row: fc.integer({ min: 0, max: 100_000 }),
  });
  fc.assert(
    fc.property(places, ({ largest, row: after }) => {
      const row = largest + after;
      const { start, size } = windowAround(row, largest);
      expect(start % size).toBe(0);
      expect(size).toBeLessThanOrEqual(largest);
      // A row that every size of a tiny page divides begins all its windows: for 8 rows, each multiple of 840.
      const least = largest >= 50 ? largest / 4 : Number(largest > 12);
      expect(Math.min(row - start, start + size - row)).toBeGreaterThanOrEqual(least);
    }),
  );
});

test('a window shares two rows with what was read before it, so that an edit of one is no gap', () => {
  for (let covered = 100; covered < 2_000; covered += 7) {
    expect(nextWindow(covered, 100)?.start).toBeLessThanOrEqual(covered - 2);
  }
});
