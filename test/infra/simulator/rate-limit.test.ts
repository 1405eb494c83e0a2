import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limiterOf } from '../../../infra/simulator/rate-limit.ts';

const admitted = { kind: 'admitted' };

test('a token bucket admits its burst, then asks to wait for the next token in whole seconds', () => {
  const ask = limiterOf({ kind: 'token-bucket', ratePerSecond: 0.4, burst: 2 });

  expect([ask(1000), ask(1000)]).toEqual([admitted, admitted]);
  expect(ask(1000)).toEqual({ kind: 'throttled', waitSeconds: 3 }); // 2.5 s
  expect(ask(3499)).toEqual({ kind: 'throttled', waitSeconds: 1 });
  expect(ask(3500)).toEqual(admitted);
  expect(ask(3500)).toEqual({ kind: 'throttled', waitSeconds: 3 });
});

test('a token bucket never holds more than its burst', () => {
  const ask = limiterOf({ kind: 'token-bucket', ratePerSecond: 10, burst: 2 });

  ask(0);

  expect([ask(1e9), ask(1e9), ask(1e9)].map(({ kind }) => kind)).toEqual([
    'admitted',
    'admitted',
    'throttled',
  ]);
});

test('a fixed window asks to wait until its end', () => {
  const ask = limiterOf({ kind: 'fixed-window', requests: 2, windowSeconds: 60 });

  expect([ask(500), ask(10_000)]).toEqual([admitted, admitted]);
  expect(ask(10_500)).toEqual({ kind: 'throttled', waitSeconds: 50 });
  expect(ask(60_499)).toEqual({ kind: 'throttled', waitSeconds: 1 });
  expect(ask(60_500)).toEqual(admitted);
});

const second = { kind: 'fixed-window', requests: 2, windowSeconds: 1 } as const;
const minute = { kind: 'fixed-window', requests: 3, windowSeconds: 60 } as const;

test('of several limits the longest wait counts, and a throttled request takes room in none', () => {
  const ask = limiterOf({ kind: 'all', limits: [second, minute] });

  expect([ask(0), ask(0)]).toEqual([admitted, admitted]);
  expect(ask(500)).toEqual({ kind: 'throttled', waitSeconds: 1 });
  expect(ask(1000)).toEqual(admitted);
  expect(ask(1000)).toEqual({ kind: 'throttled', waitSeconds: 59 });
});

test('a limit changes after its time, counted from the first request, and the last one stays', () => {
  const steps = [
    { limit: second, forSeconds: 10 },
    { limit: minute, forSeconds: 5 },
  ];
  const ask = limiterOf({ kind: 'changing', steps });
  const kinds = (nowMs: number) => [1, 2, 3, 4].map(() => ask(nowMs).kind);
  const most = (admissions: number) =>
    [1, 2, 3, 4].map((place) => (place <= admissions ? 'admitted' : 'throttled'));

  expect(kinds(1_000)).toEqual(most(2));
  expect(kinds(10_999)).toEqual(most(2));
  expect(kinds(11_000)).toEqual(most(3));
  expect(kinds(71_000)).toEqual(most(3));
});

test('a client that waits as asked is admitted', () => {
  const limits = fc.oneof(
    fc.record({
      kind: fc.constant('token-bucket' as const),
      ratePerSecond: fc.double({ min: 0.001, max: 100, noNaN: true }),
      burst: fc.integer({ min: 1, max: 20 }),
    }),
    fc.record({
      kind: fc.constant('fixed-window' as const),
      requests: fc.integer({ min: 1, max: 20 }),
      windowSeconds: fc.integer({ min: 1, max: 1000 }),
    }),
  );
  const several = fc.record({
    kind: fc.constant('all' as const),
    limits: fc.array(limits, { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(
      fc.oneof(limits, several),
      fc.array(fc.integer({ min: 0, max: 3000 })),
      (limit, pauses) => {
        const ask = limiterOf(limit);
        let nowMs = 1_700_000_000_000;
        for (const pauseMs of pauses) {
          nowMs += pauseMs;
          const admission = ask(nowMs);
          if (admission.kind === 'admitted') continue;
          nowMs += admission.waitSeconds * 1000;
          expect(ask(nowMs)).toEqual(admitted);
        }
      },
    ),
  );
});

test('a token bucket is full again in time, however often it is asked', () => {
  const ask = limiterOf({ kind: 'token-bucket', ratePerSecond: 10, burst: 1 });
  const kinds = Array.from({ length: 11 }, (_, at) => ask(1_000 + 10 * at).kind);
  expect(kinds).toEqual(['admitted', ...Array.from({ length: 9 }, () => 'throttled'), 'admitted']);
});

test('a clock that is set back takes no token away', () => {
  const ask = limiterOf({ kind: 'token-bucket', ratePerSecond: 1, burst: 2 });
  expect([ask(10_000), ask(5_000)]).toEqual([admitted, admitted]);
});
