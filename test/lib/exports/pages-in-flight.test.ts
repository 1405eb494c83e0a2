import { expect, test } from '@jest/globals';
import { PagesInFlight } from '../../../lib/exports/pages-in-flight.ts';

/** Answers as an API gives them that takes `latencyMs` and no more than `capacity` requests at a time. */
function askedOf(latencyMs: number, capacity: number, answers: number, perSecond?: number) {
  const pages = new PagesInFlight(undefined);
  let nowMs = 0;
  for (let answered = 0; answered < answers; ) {
    const atOnce = pages.limit(perSecond);
    const roundMs = latencyMs * Math.max(1, atOnce / capacity);
    nowMs += roundMs;
    for (let each = 0; each < atOnce; each++) pages.answered(nowMs, roundMs, 50_000);
    answered += atOnce;
  }
  return pages.limit(perSecond);
}

test('asks for the first page alone, whatever is set', () => {
  const pages = new PagesInFlight(9);
  expect(pages.limit(undefined)).toBe(1);
  pages.answered(100, 100, 50_000);
  expect(pages.limit(undefined)).toBe(9);
});

test.each([
  ['rate times latency and two', 50, 80, 6],
  ['two for a slow rate', 0.1, 0, 2],
  ['as many as a fast rate needs', 200, 150, 32],
  ['no more than the sockets of a process', 10_000, 1_000, 256],
])('has %s under way', (_title, perSecond, latencyMs, expected) => {
  const pages = new PagesInFlight(undefined);
  pages.answered(latencyMs, latencyMs, 50_000);
  expect(pages.limit(perSecond)).toBe(expected);
});

test('doubles after each round, as long as that brings more', () => {
  const seen = [1, 3, 7, 15].map((answers) => askedOf(50, 100, answers));
  expect(seen).toEqual([2, 4, 8, 16]);
});

test('keeps few under way where the processor is busy: twice as many bring no more', () => {
  // 1.25 ms of the processor an answer, and hardly any latency.
  const seen = [1, 100, 1_000, 10_000].map((answers) => askedOf(1.5, 1.2, answers));
  expect(Math.max(...seen)).toBeLessThanOrEqual(3);
});

test.each([100, 16, 12, 8, 4, 1])(
  'asks an API that takes %i at a time for as many, and at most twice as many so that none is idle',
  (capacity) => {
    const seen = Array.from({ length: 40 }, (_, index) =>
      askedOf(20, capacity, 4_000 + index * 25),
    );
    const most = seen.toSorted((a, b) => a - b)[seen.length / 2];
    expect(most).toBeGreaterThanOrEqual(capacity);
    expect(most).toBeLessThanOrEqual(2 * capacity + 1);
  },
);

test.each([
  [900_000, 18],
  [4 * 1024 * 1024, 4],
  [16 * 1024 * 1024, 1],
])('asks for no more pages of %i bytes at once than fit into memory: %i', (bytes, atOnce) => {
  const pages = new PagesInFlight(64);
  pages.answered(100, 100, bytes);
  pages.answered(200, 100, 10);
  expect(pages.limit(undefined)).toBe(atOnce);
  expect(pages.limit(1_000)).toBe(atOnce);
});
