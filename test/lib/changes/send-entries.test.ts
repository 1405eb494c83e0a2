import { expect, test } from '@jest/globals';
import type { PublishPorts } from '../../../lib/changes/ports.ts';
import type { RecordEntry } from '../../../lib/changes/record-event.ts';
import { sendEntries } from '../../../lib/changes/send-entries.ts';

const entries = Array.from(
  { length: 25 },
  (_, index): RecordEntry => ({ detailType: 'Customer Added', detail: `{"n":${index}}`, atMs: 0 }),
);

function sendingTo(put: PublishPorts['bus']['put']) {
  const clock = { now: () => 0, sleep: async () => undefined };
  const random = { token: () => 'token', fraction: () => 0.5 };
  return { bus: { put }, clock, random, isTimeUp: () => false };
}

test('says what EventBridge answered where it takes no more', async () => {
  const denied = new Error('AccessDenied');
  const sent = await sendEntries(
    sendingTo(async (some) => {
      if (some.some(({ detail }) => detail === '{"n":12}')) throw denied;
      return [];
    }),
    entries,
  );

  expect(sent).toEqual({ told: 10, error: denied });
});

test.each([
  ['earlier', 1],
  ['later', 5],
])(
  'counts what was told up to the first batch that is not taken, though another one ends %s',
  async (_, turns) => {
    const sent = await sendEntries(
      sendingTo(async (some) => {
        const [first] = some;
        const isFirst = first?.detail === '{"n":10}';
        for (let turn = 0; turn < (isFirst ? 3 : turns); turn++) await Promise.resolve();
        return first?.detail === '{"n":0}' ? [] : some;
      }),
      entries,
    );

    expect(sent).toEqual({ told: 10 });
  },
);

test('what failed in between is no matter once all is told', async () => {
  let calls = 0;
  const sent = await sendEntries(
    sendingTo(async () => {
      if (calls++ % 2 === 0) throw new Error('ECONNRESET');
      return [];
    }),
    entries,
  );

  expect(sent).toEqual({ told: 25 });
});
