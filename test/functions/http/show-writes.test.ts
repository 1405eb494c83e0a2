import { expect, test } from '@jest/globals';
import { listUnclearWrites } from '../../../functions/http/show-writes.ts';
import { writeState } from '../aws/write-state.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

async function listed(count: number, settled = 0) {
  const names = Array.from({ length: count }, (_, at) => ({
    connection: 'acme',
    writeId: `${at}`,
  }));
  const ledger = {
    listUnclear: async () => names,
    readWrite: async (_: string, writeId: string) =>
      writeState({ writeId, status: Number(writeId) < settled ? 'done' : 'unclear' }),
  };
  const { log } = recordedLog();
  const input = { body: '', query: { status: 'unclear' } } as const;
  const call = { connection: 'acme', log, input };
  const about = { settings: undefined, caller: undefined, context: CONTEXT };
  const answer = await listUnclearWrites(
    { ...call, ...about },
    { ledger, clock: { now: () => 0 } },
  );
  const { writes, hasMore } = 'body' in answer ? JSON.parse(answer.body) : {};
  return { count: writes.length, hasMore };
}

const CONTEXT = {
  awsRequestId: 'r',
  getRemainingTimeInMillis: () => 1_000,
};

test.each([
  [50, { count: 50, hasMore: false }],
  [51, { count: 50, hasMore: true }],
])('of %i unclear writes fifty are shown, and whether there are more', async (count, expected) => {
  expect(await listed(count)).toEqual(expected);
});

test('a write that was settled a moment ago is not shown as unclear', async () => {
  expect(await listed(3, 1)).toEqual({ count: 2, hasMore: false });
});
