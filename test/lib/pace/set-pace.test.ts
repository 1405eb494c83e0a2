import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SetPace } from '../../../lib/pace/set-pace.ts';

const NOW = 1_000_000;

test('sends no more than the rate in any stretch, however late each request is', () => {
  const lateness = fc.array(fc.nat({ max: 400 }), { minLength: 2, maxLength: 60 });
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 200, noNaN: true }), lateness, (rate, lates) => {
      const pace = new SetPace(rate, 0);
      let nowMs = 1_000_000;
      const sentAtMs = lates.map((lateMs) => {
        nowMs = pace.nextAtMs(nowMs) + lateMs;
        pace.sent(nowMs);
        return nowMs;
      });
      for (const [from, first] of sentAtMs.entries()) {
        for (const [count, last] of sentAtMs.slice(from).entries()) {
          expect(count).toBeLessThanOrEqual(((last - first + 5) * rate) / 1000 + 1e-6);
        }
      }
    }),
  );
});

test('keeps the rate although timers are late by a few milliseconds', () => {
  const pace = new SetPace(50, 0);
  let nowMs = 1_000_000;
  for (let sent = 0; sent < 1_000; sent++) {
    nowMs = pace.nextAtMs(nowMs) + 2;
    pace.sent(nowMs);
  }
  expect(nowMs - 1_000_000).toBeLessThan(20_030);
});

test('begins with the latest request of the step before', () => {
  expect(new SetPace(1, 5_000).nextAtMs(5_400)).toBe(6_000);
  expect(new SetPace(1, 5_000).nextAtMs(7_000)).toBe(7_000);
});

test('is not put off by requests of other callers, who take places', () => {
  const pace = new SetPace(10, 1_000);
  pace.spentElsewhere();
  expect(pace.nextAtMs(1_000)).toBe(1_100);
});

test('sends nothing on a connection that is there between requests that wait for theirs and leave as far apart', () => {
  const pace = new SetPace(50, NOW);
  const first = pace.sent(NOW + 20);
  first.left(NOW + 20);
  const [second, third] = [pace.sent(NOW + 40), pace.sent(NOW + 60)];
  expect(pace.nextAtMs(NOW + 60)).toBe(NOW + 80);
  first.answered({ kind: 'admitted', atMs: NOW + 70 });
  expect(pace.nextAtMs(NOW + 100)).toBe(NOW + 105);
  second.left(NOW + 340);
  third.answered({ kind: 'other' });
  second.answered({ kind: 'admitted', atMs: NOW + 360 });
  expect(pace.nextAtMs(NOW + 360)).toBe(NOW + 360);
});

test('keeps the rate where nobody tells when requests leave', () => {
  const pace = new SetPace(50, NOW);
  const sent = [20, 40, 60].map((afterMs) => pace.sent(NOW + afterMs));
  sent[0]?.answered({ kind: 'admitted', atMs: NOW + 70 });
  expect(pace.nextAtMs(NOW + 70)).toBe(NOW + 80);
});

test('keeps the rate although a request has not left yet when the next one is asked for', () => {
  const pace = new SetPace(50, NOW);
  const first = pace.sent(NOW + 20);
  first.left(NOW + 21);
  first.answered({ kind: 'admitted', atMs: NOW + 39 });
  pace.sent(NOW + 40);
  expect(pace.nextAtMs(NOW + 40)).toBe(NOW + 60);
});
