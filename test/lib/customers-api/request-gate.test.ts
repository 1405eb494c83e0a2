import { expect, test } from '@jest/globals';
import { createRequestGate } from '../../../lib/customers-api/request-gate.ts';
import type { WaitSource } from '../../../lib/customers-api/throttle-wait.ts';

const throttled = (retryAfterSeconds: number, waitSource: WaitSource = 'retry-after') => {
  const wait = { retryAfterSeconds, waitSource };
  return { status: 429, wait, reaction: { kind: 'throttled', status: 429, ...wait } } as const;
};

test('the wait that ends last holds, in whatever order answers come', () => {
  const gate = createRequestGate();
  for (const seconds of [60, 5]) gate.remember(throttled(seconds), 0);
  expect(gate.refusal(29_500)).toMatchObject({ kind: 'throttled', retryAfterSeconds: 31 });
  expect(gate.refusal(60_000)).toBeUndefined();
});

test('of requests that were under way together one wait is guessed', () => {
  const gate = createRequestGate();
  for (const atMs of [0, 10, 20]) gate.remember(throttled(2, 'backoff'), atMs);
  expect(gate.guesses()).toBe(1);
  gate.remember(throttled(4, 'backoff'), 3_000);
  expect(gate.guesses()).toBe(2);
  gate.remember({ status: 200, reaction: undefined, wait: undefined }, 8_000);
  expect(gate.guesses()).toBe(0);
});
