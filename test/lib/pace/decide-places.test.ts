import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decidePlaces, grantedPlaces } from '../../../lib/pace/decide-places.ts';
import {
  type Caller,
  changedPlaces,
  isShared,
  type PlaceRequest,
  type Places,
  placesAtOnce,
} from '../../../lib/pace/places.ts';
import type { PlainLimit } from '../../../lib/pace/plain-limit.ts';
import { amountOf } from '../../deep/depth.ts';

const bucket = (requestsPerSecond: number, burst: number): PlainLimit => ({
  kind: 'bucket',
  requestsPerSecond,
  burst,
});
const window = (requests: number, periodMs: number): PlainLimit => ({
  kind: 'window',
  requests,
  periodMs,
});

const asked = (limit: PlainLimit, wish: Partial<PlaceRequest> = {}): PlaceRequest => {
  const { nowMs = 100_000 } = wish;
  const rest = { caller: 'live' as const, count: 1, openAtMs: 0, earliestAtMs: nowMs };
  return { limit, nowMs, latestAtMs: nowMs + 60_000, ...rest, ...wish };
};

/** Takes places as the ledger does. */
function take(places: Places | undefined, request: PlaceRequest) {
  const decision = decidePlaces(places, request);
  const after = decision.change && changedPlaces(places, decision.change);
  if (decision.kind === 'full') return { ...decision, places: after ?? places };
  if (after === undefined) throw new Error('Nobody else was there.');
  return { kind: decision.kind, ...grantedPlaces(request, decision.count, after), places: after };
}

/** Takes places one after the other. */
function takeAll(requests: readonly PlaceRequest[]) {
  let places: Places | undefined;
  const taken: { readonly atMs: number; readonly request: PlaceRequest }[] = [];
  for (const request of requests) {
    const result = take(places, request);
    places = result.places;
    if (result.kind === 'granted') taken.push(...result.atMs.map((atMs) => ({ atMs, request })));
  }
  return { taken, places };
}

const callers = fc.constantFrom<Caller>('live', 'write', 'export');
const wishes = fc.array(
  fc.record({
    caller: callers,
    count: fc.integer({ min: 1, max: 12 }),
    afterMs: fc.integer({ min: 0, max: 700 }),
    aheadMs: fc.integer({ min: 0, max: 300 }),
    patienceMs: fc.integer({ min: 0, max: 5_000 }),
  }),
  { maxLength: 40 },
);

const numRuns = amountOf({ short: 200, deep: 5_000 });

test('no callers together ever get more places than a bucket refills, whoever asks for how many', () => {
  fc.assert(
    fc.property(
      wishes,
      fc.double({ min: 0.5, max: 300, noNaN: true }),
      fc.integer({ min: 1, max: 30 }),
      (drawn, rate, burst) => {
        let nowMs = 100_000;
        const requests = drawn.map(({ afterMs, aheadMs, patienceMs, ...wish }) => {
          nowMs += afterMs;
          const earliestAtMs = nowMs + aheadMs;
          return asked(bucket(rate, burst), {
            ...wish,
            nowMs,
            earliestAtMs,
            latestAtMs: earliestAtMs + patienceMs,
          });
        });
        const { taken } = takeAll(requests);
        expect(taken.filter(({ atMs, request }) => atMs < request.earliestAtMs)).toEqual([]);
        const times = taken.map(({ atMs }) => atMs).sort((a, b) => a - b);
        // Of a bucket that is full at first, by the places one after the other.
        let tokens = burst;
        let least = burst;
        for (const [index, atMs] of times.entries()) {
          const refilled = ((atMs - (times[index - 1] ?? atMs)) * rate) / 1000;
          tokens = Math.min(burst, tokens + refilled) - 1;
          least = Math.min(least, tokens);
        }
        expect(least).toBeGreaterThanOrEqual(-1e-6);
      },
    ),
    { numRuns },
  );
});

test('no callers together ever get more places of a window than it has', () => {
  fc.assert(
    fc.property(
      wishes,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 500, max: 60_000 }),
      (drawn, requests, periodMs) => {
        let nowMs = 100_000;
        const perWindow = new Map<number, number>();
        let places: Places | undefined;
        for (const { afterMs, caller, count } of drawn) {
          nowMs += afterMs;
          const request = asked(window(requests, periodMs), { nowMs, caller, count });
          const decision = take(places, request);
          places = decision.places;
          if (decision.kind === 'full') {
            expect(decision.againAtMs).toBeGreaterThan(nowMs);
            continue;
          }
          const fromMs = places?.windowFromMs ?? 0;
          expect(decision.untilMs).toBe(fromMs + periodMs);
          perWindow.set(fromMs, (perWindow.get(fromMs) ?? 0) + decision.atMs.length);
        }
        for (const count of perWindow.values()) expect(count).toBeLessThanOrEqual(requests);
        const begins = [...perWindow.keys()].sort((a, b) => a - b);
        for (const [index, fromMs] of begins.entries()) {
          const before = begins[index - 1];
          if (before !== undefined) expect(fromMs - before).toBeGreaterThanOrEqual(periodMs);
        }
      },
    ),
    { numRuns },
  );
});

test('a live read goes at once while an export is at the limit of a bucket', () => {
  const limit = bucket(20, 8);
  let nowMs = 100_000;
  let places: Places | undefined;
  for (let page = 0; page < 200; page++) {
    const wish = { caller: 'export' as const, nowMs, count: placesAtOnce(limit, 10) };
    const decision = take(places, asked(limit, wish));
    if (decision.kind === 'full') throw new Error('An export may wait.');
    places = decision.places;
    nowMs = Math.max(...decision.atMs);
  }
  const read = take(places, asked(limit, { nowMs }));
  expect(read).toMatchObject({ kind: 'granted', atMs: [nowMs] });
});

test('an export leaves of a window what live reads took of the one before, and takes the rest at its end', () => {
  const limit = window(100, 60_000);
  const reads = Array.from({ length: 20 }, (_, index) =>
    asked(limit, { nowMs: 100_000 + index * 3_000 }),
  );
  const page = (nowMs: number) => asked(limit, { caller: 'export', count: 100, nowMs });

  const { taken } = takeAll([...reads, page(160_000), page(219_500)]);

  const pagesAt = (atMs: number) =>
    taken.filter((each) => each.request.caller === 'export' && each.atMs === atMs).length;
  // 20 are expected, and two standard deviations more.
  expect(pagesAt(160_000)).toBeGreaterThanOrEqual(70);
  expect(pagesAt(160_000)).toBeLessThanOrEqual(75);
  expect(pagesAt(160_000) + pagesAt(219_500)).toBe(100);
});

test('a read that finds a window used up lets exports leave more of the next one', () => {
  const limit = window(10, 1_000);
  const full = takeAll([asked(limit, { caller: 'export', count: 10 }), asked(limit)]).places;
  const pagesAfter = (places: Places | undefined) => {
    const wish = { caller: 'export' as const, count: 10, nowMs: 101_000 };
    const pages = take(places, asked(limit, wish));
    return pages.kind === 'granted' ? pages.atMs.length : 0;
  };

  const read = take(full, asked(limit, { nowMs: 100_500 }));

  expect(read).toMatchObject({ kind: 'full', againAtMs: 101_000, places: { othersTaken: 1 } });
  expect(pagesAfter(read.places)).toBeLessThan(pagesAfter(full));
});

test('a window begins anew at the end of a wait that the API asked for', () => {
  const limit = window(10, 60_000);
  const { places } = takeAll([asked(limit, { count: 10 })]);
  const again = asked(limit, { nowMs: 130_000, openAtMs: 130_000, count: 10 });
  expect(take(places, again)).toMatchObject({ kind: 'granted', untilMs: 190_000 });
});

test('a place that comes too late is not taken, and the answer says when the next one is free', () => {
  const limit = bucket(2, 1);
  const { places } = takeAll([asked(limit), asked(limit)]);
  const wish = asked(limit, { latestAtMs: 100_999 });
  expect(decidePlaces(places, wish)).toEqual({ kind: 'full', againAtMs: 101_000 });
});

test('times that a clock far ahead has stored hold nobody up', () => {
  const limit = bucket(2, 1);
  const { places } = takeAll([asked(limit, { nowMs: 9_000_000 })]);
  expect(take(places, asked(limit))).toMatchObject({ atMs: [100_000] });
  const inWindow = takeAll([asked(window(1, 1_000), { nowMs: 9_000_000 })]).places;
  expect(take(inWindow, asked(window(1, 1_000)))).toMatchObject({ atMs: [100_000] });
});

test('exports take places while others were seen lately, and not because of other exports', () => {
  const limit = bucket(10, 1);
  const { places: own } = takeAll([asked(limit, { caller: 'export' })]);
  expect(isShared(own, limit, 100_000)).toBe(false);
  const { places } = takeAll([asked(limit, { caller: 'write' })]);
  expect(isShared(places, limit, 159_000)).toBe(true);
  expect(isShared(places, limit, 161_000)).toBe(false);
  expect(isShared(places, window(10, 3_600_000), 161_000)).toBe(true);
  expect(isShared(undefined, limit, 0)).toBe(false);
});

test('many callers that saw the same places all get one each, without another try', () => {
  const limit = bucket(10, 1);
  const { places: seen } = takeAll([asked(limit), asked(limit)]);
  let places = seen;
  const times: number[] = [];
  for (let caller = 0; caller < 50; caller++) {
    const decision = decidePlaces(seen, asked(limit));
    if (decision.kind === 'full') throw new Error('There is a place.');
    const after = changedPlaces(places, decision.change);
    if (after === undefined) throw new Error('The change was not made.');
    times.push(...grantedPlaces(asked(limit), decision.count, after).atMs);
    places = after;
  }
  expect(times).toEqual(Array.from({ length: 50 }, (_, index) => 100_200 + index * 100));
});

test('a change is not made where its place would be too late by now', () => {
  const limit = bucket(10, 1);
  const { places: seen } = takeAll([asked(limit)]);
  const decision = decidePlaces(seen, asked(limit, { latestAtMs: 100_150 }));
  const { places: meanwhile } = takeAll([asked(limit), asked(limit)]);
  expect(decision.change && changedPlaces(meanwhile, decision.change)).toBeUndefined();
  expect(decision.change && changedPlaces(seen, decision.change)).toBeDefined();
});

test('a place of a bucket may be used until the next one, and a tenth of a second late at least', () => {
  expect(take(undefined, asked(bucket(2, 1), { count: 3 }))).toMatchObject({ untilMs: 101_500 });
  expect(take(undefined, asked(bucket(50, 4)))).toMatchObject({ untilMs: 100_100 });
});

test('exports leave as much of a window that began anew by a wait as of the one before', () => {
  const limit = window(100, 60_000);
  const reads = Array.from({ length: 20 }, (_, index) =>
    asked(limit, { nowMs: 100_000 + index * 1_000 }),
  );
  const { places } = takeAll(reads);
  const wait = { nowMs: 130_000, openAtMs: 130_000 };
  const page = take(places, asked(limit, { ...wait, caller: 'export', count: 100 }));

  // 20 are expected, and two standard deviations more.
  const pages = page.kind === 'granted' ? page.atMs.length : 0;
  expect(pages).toBeGreaterThanOrEqual(70);
  expect(pages).toBeLessThanOrEqual(75);
});
