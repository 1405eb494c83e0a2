import { expect, test } from '@jest/globals';
import { UnreadableItemError } from '../../../lib/steps/unreadable-item.ts';
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
  const done = await closeWrite(takesEvents ? ports : { ...ports, events: refusing }, state);
  const error = new Error('EventBridge is out of order');
  expect(done.untold).toEqual(takesEvents ? undefined : { error });
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

test.each(['SQS', 'the next one'])(
  'the end of a write is told, once, though its order cannot go on: %s fails',
  async (failing) => {
    const state = writeState({ ...ENDED, orderKey: 'o' });
    const other = writeState({ writeId: 'next', orderKey: 'o' });
    const { world, ports, ledger, events, sent } = acceptWorld([state, other], ['w', 'next']);
    const { readWrite } = ports.ledger;
    const unreadable: typeof readWrite = (connection, writeId) =>
      writeId === 'next'
        ? Promise.reject(new UnreadableItemError({ connection, sort: 'write#next' }, ['operation']))
        : readWrite(connection, writeId);
    world.canSend = failing !== 'SQS';
    const broken =
      failing === 'SQS' ? ports : { ...ports, ledger: { ...ports.ledger, readWrite: unreadable } };
    const close = async (own = ports) =>
      closeWrite(own, ledger.readWrite('acme', 'w') ?? state).then(
        () => 'closed',
        (error: Error) => error.name,
      );

    expect(await close(broken)).not.toBe('closed');
    expect(await close(broken)).not.toBe('closed');
    expect(events.map(({ id }) => id)).toEqual(['acme/w/done/2']);
    expect(ledger.readWrite('acme', 'w')).toMatchObject({ unannounced: false, closed: false });

    world.canSend = true;
    expect(await close()).toBe('closed');
    expect(sent.map(({ writeId }) => writeId)).toEqual(['next']);
    expect([events.length, ledger.readWrite('acme', 'w')?.closed]).toEqual([1, true]);
  },
);
