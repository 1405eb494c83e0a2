import { expect, test } from '@jest/globals';
import { createClientMemory } from '../../../lib/customers-api/client-memory.ts';
import type { WaitSource } from '../../../lib/customers-api/throttle-wait.ts';

const throttled = (retryAfterSeconds: number, waitSource: WaitSource = 'retry-after') => {
  const wait = { retryAfterSeconds, waitSource };
  return { status: 429, wait, reaction: { kind: 'throttled', status: 429, ...wait } } as const;
};

test('the wait that ends last holds, in whatever order answers come', () => {
  const memory = createClientMemory();
  for (const seconds of [60, 5]) memory.remember(throttled(seconds), 0);
  expect(memory.refusal(29_500)).toMatchObject({ kind: 'throttled', retryAfterSeconds: 31 });
  expect(memory.refusal(60_000)).toBeUndefined();
});

test('of requests that were under way together one wait is guessed', () => {
  const memory = createClientMemory();
  for (const atMs of [0, 10, 20]) memory.remember(throttled(2, 'backoff'), atMs);
  expect(memory.guesses()).toBe(1);
  memory.remember(throttled(4, 'backoff'), 3_000);
  expect(memory.guesses()).toBe(2);
  memory.remember({ status: 200, reaction: undefined, wait: undefined }, 8_000);
  expect(memory.guesses()).toBe(0);
});
