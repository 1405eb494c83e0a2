import { expect, test } from '@jest/globals';
import { createClientMemory } from '../../../lib/customers-api/client-memory.ts';
import type { WaitSource } from '../../../lib/customers-api/throttle-wait.ts';

const throttled = (retryAfterSeconds: number, waitSource: WaitSource = 'retry-after') => {
  const wait = { retryAfterSeconds, waitSource };
  return { status: 429, wait, reaction: { kind: 'throttled', status: 429, ...wait } } as const;
};

const at = (nowMs: number, elapsedMs = nowMs) => ({ nowMs, elapsedMs });

test('the wait that ends last holds, in whatever order answers come', () => {
  const memory = createClientMemory();
  for (const seconds of [60, 5]) memory.remember(throttled(seconds), at(0));
  expect(memory.refusal(at(29_500))).toMatchObject({ kind: 'throttled', retryAfterSeconds: 31 });
  expect(memory.refusal(at(60_000))).toBeUndefined();
});

test.each([
  ['the clock of the system is set forward', at(3_605_000, 5_000)],
  ['the clock of the system is set back', at(-3_600_000, 60_000)],
  ['the other clock stands still', at(60_000, 5_000)],
])('a wait is not over as long as one clock says so: %s', (_, moment) => {
  const memory = createClientMemory();
  memory.remember(throttled(60), at(0));
  expect(memory.refusal(moment)).toMatchObject({ kind: 'throttled', isHeldBack: true });
  expect(memory.refusal(at(60_000))).toBeUndefined();
});

test('of requests that were under way together one wait is guessed', () => {
  const memory = createClientMemory();
  for (const atMs of [0, 10, 20]) memory.remember(throttled(2, 'backoff'), at(atMs));
  expect(memory.guesses()).toBe(1);
  memory.remember(throttled(4, 'backoff'), at(3_000));
  expect(memory.guesses()).toBe(2);
  memory.remember({ status: 200, reaction: undefined, wait: undefined }, at(8_000));
  expect(memory.guesses()).toBe(0);
});

test('a wait that the API names ends the row of those that were guessed', () => {
  const memory = createClientMemory();
  memory.remember(throttled(2, 'backoff'), at(0));
  memory.remember(throttled(5), at(3_000));
  expect(memory.guesses()).toBe(0);
});

test.each([
  ['a Retry-After', 'retry-after', { kind: 'throttled', status: 200, retryAfterSeconds: 9 }],
  ['the end of a window', 'rate-limit-reset', undefined],
] as const)('of %s beside a page it holds a Retry-After alone', (_, waitSource, refusal) => {
  const memory = createClientMemory();
  const wait = { retryAfterSeconds: 9, waitSource };
  memory.remember({ status: 200, reaction: undefined, wait }, at(0));
  const held = refusal && { ...refusal, waitSource, isHeldBack: true };
  expect(memory.refusal(at(0))).toEqual(held);
});

test('a key that was rejected stays rejected, whatever is answered later', () => {
  const memory = createClientMemory();
  const reaction = { kind: 'authentication-failure', status: 401 } as const;
  memory.remember({ status: 401, reaction, wait: undefined }, at(0));
  memory.remember(throttled(1), at(0));
  expect(memory.refusal(at(Number.MAX_SAFE_INTEGER))).toEqual(reaction);
});
