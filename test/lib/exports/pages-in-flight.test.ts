import { expect, test } from '@jest/globals';
import { PagesInFlight } from '../../../lib/exports/pages-in-flight.ts';

interface Served {
  readonly latencyMs: number;
  /** Of the processor, or of an API that takes one request after the other. @default 0 */
  readonly eachMs?: number;
  readonly pages: number;
  readonly perSecond?: number;
  /** Of this process. @default 0 */
  readonly busyShare?: number;
  /** Most that the caller has to ask for at a time. @default any number */
  readonly wantedAtOnce?: number;
  readonly flight?: PagesInFlight;
  readonly startMs?: number;
}

/** Asks for pages in virtual time; how long that took, and how many ran at the same time. */
function serve(served: Served) {
  const { latencyMs, eachMs = 0, pages, perSecond, wantedAtOnce = Infinity, startMs = 0 } = served;
  const { busyShare = 0 } = served;
  const flight = served.flight ?? new PagesInFlight(undefined);
  const underWay: { atMs: number; over: ReturnType<PagesInFlight['sent']> }[] = [];
  const atOnce: number[] = [];
  let nowMs = startMs;
  let freeMs = startMs;
  let sent = 0;
  for (;;) {
    while (sent < pages && underWay.length < Math.min(wantedAtOnce, flight.limit(perSecond))) {
      freeMs = Math.max(freeMs, nowMs + latencyMs) + eachMs;
      underWay.push({ atMs: freeMs, over: flight.sent(nowMs) });
      sent++;
      atOnce.push(underWay.length);
    }
    const first = underWay.shift();
    if (first === undefined) break;
    nowMs = first.atMs;
    first.over(nowMs, 50_000, nowMs * busyShare);
  }
  return { wallMs: nowMs - startMs, atOnce, limit: flight.limit(perSecond), flight, nowMs };
}

test('asks for the first page alone, whatever is set', () => {
  const pages = new PagesInFlight(9);
  expect(pages.limit(undefined)).toBe(1);
  pages.sent(0)(100, 50_000);
  expect(pages.limit(undefined)).toBe(9);
});

test.each([
  ['rate times latency and two', 50, 80, 6],
  ['two for a slow rate', 0.1, 0, 2],
  ['as many as a fast rate needs', 200, 150, 32],
  ['no more than the sockets of a process', 10_000, 1_000, 256],
])('has %s under way', (_title, perSecond, latencyMs, expected) => {
  const pages = new PagesInFlight(undefined);
  pages.sent(0)(latencyMs, 50_000);
  expect(pages.limit(perSecond)).toBe(expected);
});

test('asks for eight after the first answer, and then for twice as many each round', () => {
  const { atOnce } = serve({ latencyMs: 50, pages: 1 + 8 + 16 + 64 });
  expect(atOnce[1]).toBe(1);
  expect(Math.max(...atOnce.slice(0, 9))).toBe(8);
  expect(Math.max(...atOnce)).toBeGreaterThanOrEqual(30);
});

test.each([
  [0, 1.25, 1_000, 1.02],
  [2, 2.2, 1_000, 1.02],
  [20, 1.25, 300, 1.2],
  [150, 1.25, 1_000, 1.5],
  [150, 1.25, 5_000, 1.12],
])(
  'is bound by the processor at %i ms of latency: %f ms each, %i pages in %f times their time',
  (latencyMs, eachMs, pages, factor) => {
    const { wallMs } = serve({ latencyMs, eachMs, pages });
    expect(wallMs / (2 * latencyMs + pages * eachMs)).toBeLessThanOrEqual(factor);
  },
);

test.each([
  [0, 1.25, 16],
  [20, 1.25, 50],
  [20, 5, 16],
])(
  'keeps few under way where the processor or the API is busy: %i ms, %f ms each, at most %i',
  (latencyMs, eachMs, most) => {
    const { atOnce } = serve({ latencyMs, eachMs, pages: 5_000 });
    expect(Math.max(...atOnce.slice(-4_000))).toBeLessThanOrEqual(most);
  },
);

test.each([
  [0.95, 8],
  [0.5, 256],
])(
  'asks for no more at the same time where the processor was busy: for %f of the time, %i',
  (busyShare, expected) => {
    const { atOnce } = serve({ latencyMs: 20, pages: 5_000, busyShare });
    expect(Math.max(...atOnce)).toBe(expected);
  },
);

test('finds more when answers begin to take longer, and fewer when they do no more', () => {
  const { flight, nowMs } = serve({ latencyMs: 20, eachMs: 1.25, pages: 2_000 });
  const slow = serve({ latencyMs: 150, eachMs: 1.25, pages: 5_000, flight, startMs: nowMs });
  expect(slow.wallMs / (5_000 * 1.25)).toBeLessThanOrEqual(1.7);
  const after = { latencyMs: 20, eachMs: 1.25, pages: 20_000, flight, startMs: slow.nowMs };
  expect(Math.max(...serve(after).atOnce.slice(-2_000))).toBeLessThanOrEqual(60);
});

test.each([1, 3, 8])(
  'asks for at most twice as many as ran: a caller with %i to ask for at a time, then with more',
  (wantedAtOnce) => {
    const { limit } = serve({ latencyMs: 20, pages: 4_000, wantedAtOnce });
    expect(limit).toBeLessThanOrEqual(Math.max(8, 2 * wantedAtOnce));
  },
);

test('asks for few when a rate was kept that needed few, and is over', () => {
  const { flight } = serve({ latencyMs: 20, pages: 500, perSecond: 50 });
  expect(flight.limit(undefined)).toBeLessThanOrEqual(8);
});

test.each([
  [900_000, 18],
  [4 * 1024 * 1024, 4],
  [16 * 1024 * 1024, 1],
])('asks for no more pages of %i bytes at once than fit into memory: %i', (bytes, atOnce) => {
  const pages = new PagesInFlight(64);
  pages.sent(0)(100, bytes);
  pages.sent(100)(200, 10);
  expect(pages.limit(undefined)).toBe(atOnce);
  expect(pages.limit(1_000)).toBe(atOnce);
});

test.each([
  ['more than before', undefined, 50_000, 16],
  ['as many as fit', undefined, 2_097_152, 8],
  ['no more than are set', 4, 50_000, 4],
])('begins after a wait by chance with %s', (_title, set, bytes, expected) => {
  const pages = new PagesInFlight(set);
  pages.sent(0)(100, bytes);
  expect(pages.limitAfterChance()).toBe(expected);
});

test('begins after a wait by chance with no fewer than before', () => {
  const { flight, limit } = serve({ latencyMs: 150, pages: 1_000 });
  expect(limit).toBeGreaterThan(32);
  expect(flight.limitAfterChance()).toBe(limit);
});
