import { expect, test } from '@jest/globals';
import type { PublishPorts } from '../../../lib/changes/ports.ts';
import {
  entryBytes,
  MAX_ENTRY_BYTES,
  type RecordEntry,
} from '../../../lib/changes/record-event.ts';
import { batchesOf, sendEntries } from '../../../lib/changes/send-entries.ts';

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

/** An entry of so many bytes, as EventBridge counts. */
function entryOf(bytes: number): RecordEntry {
  const none: RecordEntry = { detailType: 'Customer Added', detail: '', atMs: 0 };
  return { ...none, detail: 'x'.repeat(bytes - entryBytes(none)) };
}

test.each([
  ['10 small ones, and no more', Array.from({ length: 11 }, () => 100), [0, 10]],
  ['what fills it to the last byte', [MAX_ENTRY_BYTES - 100, 100, 100], [0, 2]],
  ['not one byte more', [MAX_ENTRY_BYTES - 100, 101, 100], [0, 1]],
  [
    'again as much in the next one',
    [MAX_ENTRY_BYTES, 100, MAX_ENTRY_BYTES - 100, 1_000],
    [0, 1, 3],
  ],
])('a batch takes %s', (_, sizes, firsts) => {
  const batches = batchesOf(sizes.map(entryOf));

  expect(batches.map(({ first }) => first)).toEqual(firsts);
  expect(batches.flatMap(({ entries: some }) => some)).toHaveLength(sizes.length);
});

test('of a batch only what was not taken is sent again, six times in all', async () => {
  const sizes: number[] = [];
  const sent = await sendEntries(
    sendingTo(async (some) => {
      sizes.push(some.length);
      return some.slice(-2);
    }),
    entries.slice(0, 10),
  );

  expect(sizes).toEqual([10, 2, 2, 2, 2, 2]);
  expect(sent).toEqual({ told: 0 });
});

test('nothing more is sent when time is up, or once a batch is not taken', async () => {
  let calls = 0;
  const put = async (some: readonly RecordEntry[]) => {
    calls++;
    return some;
  };
  expect(await sendEntries({ ...sendingTo(put), isTimeUp: () => true }, entries)).toEqual({
    told: 0,
  });
  expect(calls).toBe(0);

  const many = Array.from({ length: 20 }, () => entries.slice(0, 10)).flat();
  await sendEntries({ ...sendingTo(put), isTimeUp: () => calls >= 8 }, many);
  expect(calls).toBe(8);

  calls = 0;
  await sendEntries(sendingTo(put), many);
  // Each of the eight that were under way gives up.
  expect(calls).toBe(8 * 6);
});
