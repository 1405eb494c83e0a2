import { expect, test } from '@jest/globals';
import { checkLog } from '../../../infra/simulator/check-log.ts';
import type { RequestLogEntry } from '../../../infra/simulator/request-log.ts';

function entry(n: number, at: number, more: Partial<RequestLogEntry> = {}): RequestLogEntry {
  return {
    n,
    at,
    method: 'GET',
    path: '/2.0/customers',
    url: '/2.0/customers',
    keyId: 'A/1',
    connection: 1,
    status: 200,
    answeredAt: at,
    answeredAfter: n,
    ...more,
  };
}

function throttle(n: number, at: number, waitSeconds: number, more: Partial<RequestLogEntry> = {}) {
  const retryAfter = { retryAfterSeconds: waitSeconds, notBefore: at + waitSeconds * 1000 };
  return entry(n, at, { status: 429, ...retryAfter, ...more });
}

test('finds nothing in a polite log', () => {
  const log = [
    entry(1, 0),
    throttle(2, 10, 2),
    entry(3, 2010),
    throttle(4, 2020, 1),
    entry(5, 3020),
  ];

  expect(checkLog(log)).toEqual({
    requests: 5,
    throttled: 2,
    earlyRequests: [],
    requestsAfterAuthenticationFailure: [],
    doubleEffects: [],
    maxConcurrent: 1,
  });
});

test('finds requests that came before the wait was over, even by a millisecond', () => {
  const log = [throttle(1, 0, 2), entry(2, 1999), entry(3, 2000), entry(4, 2001)];

  expect(checkLog(log).earlyRequests).toEqual([2]);
});

test('finds hammering within the millisecond of the throttle', () => {
  expect(checkLog([throttle(1, 5, 1), entry(2, 5)]).earlyRequests).toEqual([2]);
});

test('a longer wait stays when a shorter one follows', () => {
  const log = [throttle(1, 0, 10), throttle(2, 100, 1), entry(3, 5000)];

  expect(checkLog(log).earlyRequests).toEqual([2, 3]);
});

test('a request under way when the throttle was answered is not early', () => {
  const log = [throttle(1, 0, 2, { answeredAfter: 2 }), entry(2, 0), entry(3, 2000)];

  expect(checkLog(log).earlyRequests).toEqual([]);
});

test('a wait that is over counts no more, even while a longer one goes on that was not known yet', () => {
  const log = [throttle(1, 0, 10, { answeredAfter: 3 }), throttle(2, 0, 1), entry(3, 3000)];

  expect(checkLog(log).earlyRequests).toEqual([]);
});

test('a request that crossed the answer on its way is excused for the given time only', () => {
  const elsewhere = { connection: 2 };
  const log = [throttle(1, 0, 2), entry(2, 3, elsewhere), entry(3, 6, elsewhere)];

  expect(checkLog(log, { flightMs: 5 }).earlyRequests).toEqual([3]);
});

test('a request that may have lain unread since before the answer is early on the connection of the answer alone', () => {
  const unread = { connection: 2, unreadMs: 90 };
  const log = [
    throttle(1, 0, 2),
    entry(2, 80, unread),
    entry(3, 80, { unreadMs: 90 }),
    entry(4, 94, unread),
    entry(5, 95, unread),
  ];

  expect(checkLog(log, { flightMs: 5 }).earlyRequests).toEqual([3, 5]);
});

test('a request on the connection on which the answer came is never excused', () => {
  const log = [throttle(1, 0, 2), entry(2, 3)];

  expect(checkLog(log, { flightMs: 5 }).earlyRequests).toEqual([2]);
});

test('a wait binds only the key whose answer asked for it', () => {
  expect(checkLog([throttle(1, 0, 2), entry(2, 1, { keyId: 'B/1' })]).earlyRequests).toEqual([]);
});

test('finds requests with a key that was answered 401, not with another one', () => {
  const log = [
    entry(1, 0, { status: 401, answeredAfter: 2 }),
    entry(2, 0),
    entry(3, 1),
    entry(4, 2, { keyId: 'A/2' }),
    entry(5, 3, { keyId: 'none', status: 401 }),
    entry(6, 4, { keyId: 'none', status: 401 }),
  ];

  expect(checkLog(log).requestsAfterAuthenticationFailure).toEqual([3]);
});

test('finds effects of one logical write that happened twice', () => {
  const effect = (id: number, more: object) => ({
    effect: {
      id,
      action: 'created',
      resource: 'customers',
      recordId: String(id),
      ...more,
    } as const,
  });
  const log = [
    entry(1, 0, effect(1, { idempotencyKey: 'k' })),
    entry(2, 1, effect(2, { idempotencyKey: 'k' })),
    entry(3, 2, effect(3, { reference: 'r' })),
    entry(4, 3, effect(4, { reference: 'r', idempotencyKey: 'other' })),
    entry(5, 4, effect(5, {})),
    entry(6, 5, effect(6, {})),
    entry(7, 6, { ...effect(7, { idempotencyKey: 'k' }), keyId: 'A/2' }),
    entry(8, 7, { ...effect(8, { idempotencyKey: 'k' }), keyId: 'B/1' }),
  ];

  expect(checkLog(log).doubleEffects).toEqual([2, 4, 7]);
});

test('counts requests that were under way at once with one key', () => {
  const { answeredAt: _, answeredAfter: __, ...unanswered } = entry(4, 0, { status: 'silent' });
  const log = [
    entry(1, 0, { answeredAfter: 3 }),
    entry(2, 0, { keyId: 'B/1' }),
    entry(3, 0),
    unanswered,
    entry(5, 0, { answeredAfter: 6 }),
    entry(6, 0),
  ];

  expect(checkLog(log).maxConcurrent).toBe(3);
  expect(checkLog([]).maxConcurrent).toBe(0);
});
