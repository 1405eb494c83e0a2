import { expect, test } from '@jest/globals';
import { handleOnce } from '../../../lib/changes/handle-once.ts';
import { memoryEventStore } from './memory-event-store.ts';

const CLAIM_MS = 60_000;
const CALLS = ['before claim', 'after claim', 'before done', 'after done', 'in handler'];

/** Delivers one event, as a queue does, until it is handled. What stands in `broken` happens at the first delivery. */
function world(broken: { readonly at?: string; readonly isCrash?: boolean } = {}) {
  let nowMs = 0;
  let isBroken = false;
  let isDead = false;
  let deliveries = 0;
  const at = (place: string) => {
    if (isDead) throw new Error('dead');
    if (isBroken || place !== broken.at) return;
    isBroken = true;
    isDead = broken.isCrash ?? false;
    throw new Error(`broken ${place}`);
  };
  const store = memoryEventStore(() => nowMs, at);
  let handled = 0;
  const deliver = async (answer = 'acknowledge') => {
    isDead = false;
    const claim = { id: 'e1', token: `t${deliveries++}`, untilMs: nowMs + CLAIM_MS };
    try {
      return await handleOnce(
        store,
        claim,
        async () => {
          handled += 1;
          at('in handler');
          return answer;
        },
        (given) => given === 'acknowledge',
      );
    } catch {
      return { kind: 'failed' } as const;
    }
  };
  return { deliver, pass: (ms: number) => (nowMs += ms), handled: () => handled };
}

test('an event that is delivered again is not handled again', async () => {
  const { deliver, handled, pass } = world();

  expect(await deliver()).toEqual({ kind: 'handled', answer: 'acknowledge' });
  expect(await deliver()).toEqual({ kind: 'done' });
  pass(1e9);
  expect(await deliver()).toEqual({ kind: 'done' });
  expect(handled()).toBe(1);
});

test('an event that its handler did not finish is handled again, at once', async () => {
  const { deliver, handled } = world({ at: 'in handler' });

  expect(await deliver()).toEqual({ kind: 'failed' });
  expect(await deliver('retry')).toEqual({ kind: 'handled', answer: 'retry' });
  expect(await deliver()).toEqual({ kind: 'handled', answer: 'acknowledge' });
  expect(handled()).toBe(3);
});

test('an event whose handler crashed is busy until its claim is over, and then handled', async () => {
  const { deliver, handled, pass } = world({ at: 'in handler', isCrash: true });

  expect(await deliver()).toEqual({ kind: 'failed' });
  pass(CLAIM_MS);
  expect(await deliver()).toEqual({ kind: 'busy' });
  pass(1);
  expect(await deliver()).toEqual({ kind: 'handled', answer: 'acknowledge' });
  expect(handled()).toBe(2);
});

test('what was handled counts, although the store does not hear of it', async () => {
  const { deliver, handled } = world({ at: 'before done' });

  const first = await deliver();
  expect(first).toMatchObject({ kind: 'handled', answer: 'acknowledge', storeError: {} });
  expect(handled()).toBe(1);
});

test.each(CALLS.flatMap((at) => [false, true].map((isCrash) => ({ at, isCrash }))))(
  'an outage or a crash loses no event: $at, crash $isCrash',
  async (broken) => {
    const { deliver, handled, pass } = world(broken);
    for (let tries = 0; tries < 3; tries++) {
      await deliver();
      pass(CLAIM_MS + 1);
    }

    expect(await deliver()).toEqual({ kind: 'done' });
    // Twice only where the handler was called, and its end was not stored.
    const isTwice = broken.at === 'in handler' || broken.at === 'before done';
    expect(handled()).toBe(isTwice ? 2 : 1);
  },
);

test('of two that handle one event at the same time one is told that it is busy', async () => {
  const store = memoryEventStore(() => 0);
  let handled = 0;
  const handle = (token: string) =>
    handleOnce(
      store,
      { id: 'e1', token, untilMs: CLAIM_MS },
      async () => {
        await Promise.resolve();
        handled += 1;
        return true;
      },
      (answer) => answer,
    );
  const kinds = (await Promise.all(['a', 'b', 'c'].map(handle))).map(({ kind }) => kind);

  expect(kinds.sort()).toEqual(['busy', 'busy', 'handled']);
  expect(handled).toBe(1);
});
