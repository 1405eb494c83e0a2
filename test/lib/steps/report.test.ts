import { expect, test } from '@jest/globals';
import { leaveItem } from '../../../lib/steps/report.ts';
import type { StepItem } from '../../../lib/steps/step-item.ts';
import { type StepKind, wakeItem } from '../../../lib/steps/step-kind.ts';

const NOW_MS = 1_767_312_000_000;

const ITEM: StepItem = {
  writeToken: 'first',
  notBeforeMs: NOW_MS + 1_500,
  updatedAtMs: NOW_MS - 9,
  wakeUpSent: false,
};

/** What is done with an item, in order. */
function kindOf(does: (what: string) => void): StepKind<StepItem> {
  return {
    clock: { now: () => NOW_MS },
    random: { token: () => 'own' },
    read: async () => ITEM,
    swap: async (next, expectedToken) => {
      does(`marked ${next.wakeUpSent} in place of ${expectedToken}`);
      return { kind: 'written' };
    },
    send: async (_, dueAtMs = 0) => does(`sent for ${dueAtMs - NOW_MS} ms later`),
    stepOf: () => 1,
    restOf: () => undefined,
  };
}

const WOKEN = ['sent for 1500 ms later', 'marked true in place of first'];

test.each([
  [{ kind: 'missing' }, 'acknowledge', 'missing', []],
  [{ kind: 'held', state: ITEM }, 'retry', 'held', []],
  [{ kind: 'past', state: ITEM, sendNext: true }, 'acknowledge', 'past', WOKEN],
  [{ kind: 'past', state: ITEM, sendNext: false }, 'acknowledge', 'past', []],
  [{ kind: 'over', state: ITEM }, 'acknowledge', 'over', ['closed']],
  [{ kind: 'halted', state: ITEM }, 'acknowledge', 'halted', ['closed']],
] as const)('handles a wake-up without work: %j', async (meaning, answer, result, expected) => {
  const done: string[] = [];
  const left = await leaveItem(
    kindOf((what) => done.push(what)),
    meaning,
    async () => done.push('closed'),
  );

  expect(left).toMatchObject({ answer, result });
  expect(done).toEqual(expected);
});

test('a wake-up without work comes back when what remains of its item fails', async () => {
  const close = async () => {
    throw new Error('EventBridge is out of order');
  };

  const left = leaveItem(
    kindOf(() => undefined),
    { kind: 'over', state: ITEM },
    close,
  );
  await expect(left).rejects.toThrow('EventBridge');
});

test('marks no wake-up as sent that could not be sent', async () => {
  const done: string[] = [];
  const kind = kindOf((what) => done.push(what));
  const send = async () => {
    throw new Error('SQS is out of order');
  };

  await expect(wakeItem({ ...kind, send }, ITEM)).rejects.toThrow('SQS');
  expect(done).toEqual([]);
});
