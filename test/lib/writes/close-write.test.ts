import { expect, test } from '@jest/globals';
import { closeWrite } from '../../../lib/writes/close-write.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';

const ENDED = { status: 'done', attempt: 2, unannounced: true, updatedAtMs: 9 } as const;

/** A write that is closed, beside another one in its order. @param takesEvents Whether the event bus does. */
async function closed(own: Partial<WriteState>, takesEvents = true) {
  const state = writeState({ ...ENDED, orderKey: 'o', ...own });
  const other = writeState({ writeId: 'next', orderKey: 'o' });
  const { ports, ledger, events, sent } = acceptWorld([state, other], ['w', 'next']);
  const refusing = { publish: () => Promise.reject(new Error('EventBridge is out of order')) };
  const closing = closeWrite(takesEvents ? ports : { ...ports, events: refusing }, state);
  if (takesEvents) await closing;
  else await expect(closing).rejects.toThrow('EventBridge is out of order');
  const woken = sent.map(({ writeId }) => writeId);
  return {
    events,
    woken,
    line: ledger.readLine('acme', 'o')?.writeIds,
    stored: ledger.readWrite('acme', 'w'),
  };
}

test('the end of a write is told, the next one of its order woken, and both are noted', async () => {
  const { events, woken, line, stored } = await closed({});

  expect(events).toMatchObject([{ id: 'acme/w/done/2', kind: 'done', atMs: 9, orderKey: 'o' }]);
  expect([woken, line]).toEqual([['next'], ['next']]);
  expect(stored).toMatchObject({ unannounced: false, closed: true });
});

test('the next write of the order goes on though the bus takes nothing, and the end is still to be told', async () => {
  const { woken, line, stored } = await closed({}, false);

  expect([woken, line]).toEqual([['next'], ['next']]);
  expect(stored).toMatchObject({ unannounced: true, closed: false });
});

test('a write that is left to a person is told under an id of its attempt, and keeps its place', async () => {
  const { events, woken, line, stored } = await closed({ status: 'unclear' });

  expect(events).toMatchObject([{ id: 'acme/w/unclear/2' }]);
  expect([woken, line]).toEqual([[], ['w', 'next']]);
  expect(stored).toMatchObject({ unannounced: false, closed: true });
});

test('what was told is not told again, and one that came back into its order leaves it', async () => {
  const told = await closed({ unannounced: false });
  expect(told.events).toEqual([]);
  expect(told.stored).toMatchObject({ closed: true });

  const late = await closed({ unannounced: false, closed: true });
  expect([late.events, late.line]).toEqual([[], ['next']]);
  expect(late.stored?.writeToken).toBe('first');
});
